"""What statements bind and use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from gproj_lsp.resolvers.python.evaluating import (
    EXPRESSIONS,
    errors_in,
    parameters,
    plain_text,
    store,
)
from gproj_lsp.resolvers.python.reading import Handler, Here, Reader, for_some
from gproj_lsp.resolvers.python.scopes import Caught, Given, Imported, Kind, Life, Try, Use, Value
from gproj_lsp.resolvers.python.tree import Node, span_of, text_of
from gproj_lsp.text import Span

__all__ = ["HANDLERS"]

_BROAD = frozenset({"Exception", "BaseException", "StandardError"})
_ANY = Caught.NAME | Caught.ATTRIBUTE | Caught.IMPORT | Caught.CALL
_COMPOUND = frozenset(
    {
        "class_definition",
        "decorated_definition",
        "for_statement",
        "function_definition",
        "if_statement",
        "match_statement",
        "try_statement",
        "while_statement",
        "with_statement",
    }
)
_EXCUSE = re.compile(
    r"#\s*noqa\b(?!:)|\bF821\b|\bname-defined\b|\breportUndefinedVariable\b|\bundefined-variable\b"
)
_PLAIN_METACLASSES = frozenset({"type", "ABCMeta", "abc.ABCMeta", "EnumMeta", "enum.EnumMeta"})


def _function(reader: Reader, node: Node, here: Here) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None or body is None:
        return reader.parts(node, here)
    reader.bind(name, "function", here, Life(node.end_byte))
    outer = _types(reader, node, here)
    types = replace(outer, late=True, typed=True)
    scope = reader.scope(Kind.FUNCTION, Span(body.start_byte, node.end_byte), outer)
    scope.name = text_of(name)
    inside = outer.within(scope)
    parameters(reader, node.child_by_field_name("parameters"), here, inside, types)
    reader.later(node.child_by_field_name("return_type"), types)
    return reader.later(body, inside.suite(body))


def _class(reader: Reader, node: Node, here: Here) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None or body is None:
        return reader.parts(node, here)
    reader.bind(name, "class", here, Life(node.end_byte))
    outer = _types(reader, node, here)
    bases = node.child_by_field_name("superclasses")
    reader.later(bases, outer)
    scope = reader.scope(Kind.CLASS, Span(body.start_byte, node.end_byte), outer)
    scope.custom = any(
        text_of(named) == "metaclass" and text_of(value) not in _PLAIN_METACLASSES
        for each in (bases.named_children if bases is not None else ())
        if (named := each.child_by_field_name("name")) and (value := each.child_by_field_name("value"))
    )
    return reader.later(body, outer.within(scope).suite(body))


def _types(reader: Reader, node: Node, here: Here) -> Here:
    """The scope of type parameters, where there are any."""
    given = node.child_by_field_name("type_parameters")
    if given is None:
        return here
    inside = here.within(reader.scope(Kind.TYPES, span_of(node), here))
    _bind_types(reader, given, inside)
    return inside


def _bind_types(reader: Reader, given: Node, inside: Here) -> None:
    for each in given.named_children:
        part = each.named_children[0] if each.type == "type" and each.named_child_count else each
        if part.type == "constrained_type":
            first, *bounds = part.named_children
            reader.all(bounds, replace(inside, late=True))
            part = first.named_children[0] if first.type == "type" and first.named_child_count else first
        if part.type in ("splat_type", "list_splat_pattern") and part.named_child_count:
            part = part.named_children[0]
        if part.type == "identifier":
            reader.bind(part, "type", inside)
        elif part.type in ("typed_default_parameter", "assignment"):
            store(reader, part.named_children[0], "type", inside)
            reader.all(part.named_children[1:], replace(inside, late=True))
        else:
            reader.later(part, replace(inside, late=True))


def _type_alias(reader: Reader, node: Node, here: Here) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    name = left.named_children[0] if left is not None and left.named_child_count else left
    inside = here
    if name is not None and name.type == "generic_type" and name.named_child_count > 1:
        inside = here.within(reader.scope(Kind.TYPES, span_of(node), here))
        _bind_types(reader, name.named_children[1], inside)
        name = name.named_children[0]
    if name is not None and name.type == "identifier":
        reader.bind(name, "type", here, Life(node.end_byte))
    reader.later(right, replace(inside, late=True))


def _assignment(reader: Reader, node: Node, here: Here) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    annotation = node.child_by_field_name("type")
    reader.later(annotation, replace(here, late=True, typed=True))
    reader.later(right, here)
    if left is None:
        return
    given = _given(right, annotation)
    if left.type == "identifier":
        value = Value(place=span_of(right)) if right is not None and right.type == "call" else None
        kind = "annotation" if right is None else "variable"
        reader.bind(left, kind, here, Life(node.end_byte), value, given)
        if text_of(left) == "__all__" and right is not None:
            _exports(reader, right, here)
    else:
        store(reader, left, "variable", here, Life(node.end_byte), given)


def _given(right: Node | None, annotation: Node | None) -> Given | None:
    """What an assignment says of its targets' value."""
    if right is not None:
        return Given("assigned", span_of(right))
    return Given("annotated", span_of(annotation)) if annotation is not None else None


def _augmented(reader: Reader, node: Node, here: Here) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    reader.later(right, here)
    if left is not None and left.type == "identifier":
        reader.use(left, here)
        given = Given("updated", span_of(right)) if right is not None else None
        reader.bind(left, "variable", here, Life(node.end_byte), given=given)
        if text_of(left) == "__all__" and right is not None:
            _exports(reader, right, here)
    else:
        reader.later(left, here)


def _exports(reader: Reader, node: Node, here: Here) -> None:
    """The entries of `__all__`."""
    if here.scope.kind is not Kind.MODULE:
        return
    left = [node]
    while left:
        each = left.pop()
        if each.type == "string":
            said = plain_text(each)
            if said is not None and said.isidentifier():
                span = span_of(each.named_children[1])
                reader.module.uses.append(Use(said, span, here.scope, here.block, late=True, exported=True))
        elif each.type in ("list", "tuple", "binary_operator", "parenthesized_expression"):
            left += each.named_children


def _for(reader: Reader, node: Node, here: Here) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    body, other = node.child_by_field_name("body"), node.child_by_field_name("alternative")
    inside = here.suite(body or node, loops=True, whole=node)
    reader.later(right, here)
    if left is not None:
        given = Given("iterated", span_of(right)) if right is not None else None
        store(reader, left, "variable", inside, Life((right or left).end_byte), given)
    reader.later(body, inside)
    if other is not None:
        reader.later(other, here.suite(other))


def _while(reader: Reader, node: Node, here: Here) -> None:
    body, other = node.child_by_field_name("body"), node.child_by_field_name("alternative")
    inside = here.suite(body or node, loops=True, whole=node)
    reader.later(node.child_by_field_name("condition"), inside)
    reader.later(body, inside)
    if other is not None:
        reader.later(other, here.suite(other))


def _if(reader: Reader, node: Node, here: Here) -> None:
    condition = node.child_by_field_name("condition")
    caught = for_some(condition)
    for each in node.children_by_field_name("alternative"):
        caught |= for_some(each.child_by_field_name("condition"))
    reader.later(condition, here)
    inside = here.catching(caught)
    for body in (node.child_by_field_name("consequence"), *node.children_by_field_name("alternative")):
        if body is not None:
            reader.later(body, inside.suite(body))


def _try(reader: Reader, node: Node, here: Here) -> None:
    body = node.child_by_field_name("body")
    others = [each for each in node.named_children if each.type not in ("block", "comment")]
    handlers = [each for each in others if each.type.startswith("except")]
    caught, broad = Caught.NOTHING, False
    for handler in handlers:
        header = _header(handler)
        caught |= errors_in(header)
        broad = (
            broad
            or not _BROAD.isdisjoint(header.replace(",", " ").split())
            or header in ("except", "except*")
        )
    if broad and body is not None and _is_one(body):
        caught |= _ANY
    inside = here.catching(caught)
    if broad:
        inside = replace(inside, tries=Try(Span(handlers[0].start_byte, handlers[-1].end_byte), here.tries))
    if body is not None:
        reader.later(body, inside.suite(body))
    for handler in handlers:
        _except(reader, handler, here)
    reader.all((each for each in others if each not in handlers), here)


def _header(handler: Node) -> str:
    """What a handler takes, as written: without its name and its suite."""
    end = next(
        (each.start_byte for each in handler.children if each.type in (":", "block")), handler.end_byte
    )
    data = (handler.text or b"")[: end - handler.start_byte].decode("utf-8", "replace")
    return data.partition(" as ")[0].replace("(", " ").replace(")", " ").strip()


def _is_one(body: Node) -> bool:
    """Whether a suite is a single simple statement."""
    parts = [each for each in body.named_children if each.type != "comment"]
    return len(parts) == 1 and parts[0].type not in _COMPOUND


def _except(reader: Reader, node: Node, here: Here) -> None:
    suite = next((each for each in node.named_children if each.type == "block"), None)
    inside = here.suite(suite or node)
    for each in node.named_children:
        if each is suite or each == suite:
            continue
        if each.type == "as_pattern" and each.named_child_count > 1:
            reader.all(each.named_children[:-1], here)
            since = suite.start_byte if suite is not None else each.end_byte
            store(reader, each.named_children[-1], "exception", inside, Life(since, node.end_byte))
        else:
            reader.later(each, here)
    reader.later(suite, inside)


def _clause(reader: Reader, node: Node, here: Here) -> None:
    reader.parts(node, here.suite(node))


def _with(reader: Reader, node: Node, here: Here) -> None:
    body = node.child_by_field_name("body")
    caught = Caught.NOTHING
    for each in node.named_children:
        if each == body:
            continue
        header = text_of(each)
        if "aises" in header or "suppress" in header:
            broad = any(word in header for word in _BROAD) and body is not None and _is_one(body)
            caught |= errors_in(header) | (_ANY if broad else Caught.NOTHING)
        reader.later(each, here)
    if body is not None:
        reader.later(body, here.catching(caught).suite(body))


def _with_item(reader: Reader, node: Node, here: Here) -> None:
    for each in node.named_children:
        if each.type == "as_pattern" and each.named_child_count > 1:
            reader.all(each.named_children[:-1], here)
            given = Given("entered", span_of(each.named_children[0]))
            store(reader, each.named_children[-1], "variable", here, Life(each.end_byte), given)
        else:
            reader.later(each, here)


def _case(reader: Reader, node: Node, here: Here) -> None:
    inside = here.suite(node)
    for each in node.named_children:
        if each.type == "case_pattern":
            _pattern(reader, each, inside)
        else:
            reader.later(each, inside)


def _pattern(reader: Reader, pattern: Node, here: Here) -> None:
    """What a pattern binds, and the classes and constants that it names."""
    life = Life(pattern.start_byte)
    left = [pattern]
    while left:
        node = left.pop()
        parts = node.named_children
        if node.type == "class_pattern":
            reader.use(parts[0].named_children[0] if parts[0].named_child_count else parts[0], here)
            left += parts[1:]
        elif node.type == "dotted_name" and len(parts) > 1:
            reader.use(parts[0], here)
        elif node.type == "keyword_pattern":
            left += parts[1:]
        elif node.type == "identifier":
            if text_of(node) != "_":
                reader.bind(node, "variable", here, life)
        elif node.type == "string":
            reader.later(node, here)
        else:
            left += parts


def _import(reader: Reader, node: Node, here: Here) -> None:
    for each in node.children_by_field_name("name"):
        if each.type == "aliased_import":
            path, alias = each.child_by_field_name("name"), each.child_by_field_name("alias")
            if path is None or alias is None:
                continue
            value = Value(text_of(path))
            reader.bind(alias, "import", here, Life(node.end_byte), value=value)
        else:
            path, first = each, each.named_children[0]
            value = Value(text_of(first))
            reader.bind(first, "import", here, Life(node.end_byte), value=value)
        bound = each.type != "aliased_import"
        _modules(reader, path, here, bound=bound)


def _modules(reader: Reader, path: Node, here: Here, *, bound: bool) -> None:
    """The modules that a dotted name asks for, one a part."""
    before: list[str] = []
    for part in path.named_children:
        owner, name = ".".join(before), text_of(part)
        first = not before
        reader.module.imports.append(
            Imported(
                owner or name,
                name if owner else "",
                span_of(part),
                binds=bound and first,
                whole=True,
                caught=here.caught,
            )
        )
        before.append(name)


def _import_from(reader: Reader, node: Node, here: Here) -> None:
    source = node.child_by_field_name("module_name")
    module = text_of(source).replace(" ", "") if source is not None else "__future__"
    if any(each.type == "wildcard_import" for each in node.named_children):
        outside = here.scope.kind in (Kind.MODULE, Kind.CLASS)
        reader.module.stars.append((module, node.end_byte if outside else 0))
    if source is not None and source.type == "dotted_name":
        _modules(reader, source, here, bound=False)
    for each in node.children_by_field_name("name"):
        aliased = each.type == "aliased_import"
        path = each.child_by_field_name("name") if aliased else each
        alias = each.child_by_field_name("alias") if aliased else each.named_children[0]
        if path is None or alias is None or not path.named_child_count:
            continue
        name = path.named_children[0]
        reader.bind(alias, "import", here, Life(node.end_byte), value=Value(f"{module}.{text_of(name)}"))
        if source is not None:
            reader.module.imports.append(
                Imported(
                    module,
                    text_of(name),
                    span_of(name),
                    binds=not aliased,
                    whole=False,
                    caught=here.caught,
                )
            )


def _elsewhere(reader: Reader, node: Node, here: Here) -> None:
    """`global` and `nonlocal`."""
    where = "global" if node.type == "global_statement" else "nonlocal"
    for each in node.named_children:
        if each.type == "identifier":
            reader.module.elsewhere.append(
                Use(text_of(each), span_of(each), here.scope, here.block, late=True)
            )
            if here.scope.kind is not Kind.MODULE:
                here.scope.outer[text_of(each)] = where


def _delete(reader: Reader, node: Node, here: Here) -> None:
    left = list(node.named_children)
    while left:
        each = left.pop()
        if each.type == "identifier":
            reader.use(each, here)
            reader.bind(each, "deletion", here, Life(node.end_byte))
        elif each.type in ("expression_list", "tuple", "list", "parenthesized_expression"):
            left += each.named_children
        elif each.type == "attribute":
            store(reader, each, "deletion", here, Life(node.end_byte))
        else:
            reader.later(each, here)


def _exec(reader: Reader, node: Node, here: Here) -> None:
    """Python 2's statement."""
    if node.named_child_count < 2:
        reader.grow_wild("exec may declare names")
    reader.parts(node, here)


def _unread(reader: Reader, node: Node, here: Here) -> None:  # noqa: ARG001  (a handler's parameters)
    """What does not parse means nothing; `import *` may be anywhere in it."""
    if "*" in text_of(node) and "import" in text_of(node):
        reader.grow_wild("everything of a module may be imported")


def _comment(reader: Reader, node: Node, here: Here) -> None:  # noqa: ARG001  (a handler's parameters)
    """A comment may say to other checkers that a name of its line is there, though nothing declares it."""
    if _EXCUSE.search(text_of(node)):
        reader.module.excused.append(Span(node.start_byte - node.start_point[1], node.end_byte))


HANDLERS: Mapping[str, Handler] = {
    **EXPRESSIONS,
    "ERROR": _unread,
    "assignment": _assignment,
    "augmented_assignment": _augmented,
    "case_clause": _case,
    "class_definition": _class,
    "comment": _comment,
    "delete_statement": _delete,
    "else_clause": _clause,
    "exec_statement": _exec,
    "finally_clause": _clause,
    "for_statement": _for,
    "function_definition": _function,
    "future_import_statement": _import_from,
    "global_statement": _elsewhere,
    "if_statement": _if,
    "import_from_statement": _import_from,
    "import_statement": _import,
    "nonlocal_statement": _elsewhere,
    "try_statement": _try,
    "type_alias_statement": _type_alias,
    "while_statement": _while,
    "with_item": _with_item,
    "with_statement": _with,
}
