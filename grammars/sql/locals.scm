; Where names are declared and used, by tree-sitter's locals convention with sorts.
; Columns belong to relations, which scopes alone can't tell: the resolver decides those. These captures say
; which places hold names at all, where a statement is too broken for the resolver's own parser.

; Every query is a scope; so is what it is nested in.
(subquery) @local.scope
(cte) @local.scope
(create_query) @local.scope
(statement) @local.scope

; A table or view is declared for the statements after it, its columns with it.
((create_table (object_reference name: (identifier) @local.definition.Table))
  (#set! definition.scope "global"))
((create_view (object_reference name: (identifier) @local.definition.Table))
  (#set! definition.scope "global")
  (#set! kind "view"))
(column_definition name: (identifier) @local.definition.Column)

; Names given inside a statement.
((statement (cte (identifier) @local.definition.Table))
  (#set! kind "cte"))
(relation alias: (identifier) @local.definition.Alias)

; Uses.
(relation (object_reference name: (identifier) @local.reference.Table))
(from (object_reference name: (identifier) @local.reference.Table))
(insert (object_reference name: (identifier) @local.reference.Table))
(insert (list (column (identifier) @local.reference.Column)))
(field (object_reference name: (identifier) @local.reference.Alias))
(field name: (identifier) @local.reference.Column)
(invocation (object_reference name: (identifier) @local.reference.Function))
