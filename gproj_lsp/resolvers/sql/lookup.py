"""What a name means: columns in scopes, relations and functions in Γ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rapidfuzz.distance import OSA

from gproj_lsp.environment import Binding, Key
from gproj_lsp.facts import DISPUTED
from gproj_lsp.resolve import Verdict
from gproj_lsp.resolvers.sql.lexicon import lexicon_of
from gproj_lsp.resolvers.sql.recorder import Finding, Place

if TYPE_CHECKING:
    from gproj_lsp.resolvers.sql.catalog import Catalog
    from gproj_lsp.resolvers.sql.names import Name
    from gproj_lsp.resolvers.sql.scopes import Relation, Scope

__all__ = ["STRING", "Lookup"]

_OTHER_FIELDS = frozenset({"nextval", "currval"})
"""Members of sequences, in the dialects that write them like columns."""

_AFTER_SELECT = frozenset({"Group", "Having", "Order", "Qualify", "Window"})
"""Clauses that see aliases of SELECT in some dialects; to the others, no dialect shows them that is not known to."""

_ROW_AGGREGATES = frozenset(
    {"array_agg", "count", "json_agg", "jsonb_agg", "row_to_json", "to_json", "to_jsonb", "hash_record"}
)
"""Functions of a whole row, which PostgreSQL lets one write like a column: `t.count` is `count(t)`."""


_SHORT = 4
"""Names up to this length are too near to each other to say which one was meant."""

_UNITS = frozenset({"year", "month", "day", "hour", "minute", "second"})

_KINDS = frozenset(
    """array bool bpchar case coalesce date exists float4 float8 greatest int2 int4 int8 interval json jsonb least nullif
    numeric regclass row text time timestamp timestamptz timetz varchar xmlelement""".split()  # noqa: SIM905  (words)
)
"""What PostgreSQL calls an output that is a literal of a type, a CASE or the like, and has no alias."""


class Lookup:
    """Looks names up for one statement; never says *ghost* where something in scope is not known."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._dialect = catalog.dialect
        self._system = frozenset(catalog.system_columns)
        self._reserved = lexicon_of(catalog.dialect.name).reserved

    def bare(self, name: Name, place: Place) -> Finding:
        """A column without a qualifier."""
        scope, clause, _ = place
        for each in scope.chain():
            found = self._in_block(name, each, clause if each is scope else each.clause)
            if found is not None:
                return found
        return self._nowhere(name, place)

    def _in_block(self, name: Name, scope: Scope, clause: str) -> Finding | None:
        """What the name means if this block decides it."""
        dialect, folded = self._dialect, name.folded
        matches = scope.matches(folded)
        alias = scope.aliases.get(folded)
        explicit = folded in scope.explicit
        usable = alias is not None and clause in dialect.aliases and (explicit or clause in dialect.implicit)
        if usable and not (matches and clause in dialect.columns_first):
            return Finding(Verdict.DECLARED, alias)
        if matches:
            return self._matched(scope, folded, matches)
        if folded in self._system and any(relation.base for relation in scope.relations):
            return Finding(Verdict.DECLARED)
        if dialect.rows and (row := _row(scope, folded)) is not None:
            return Finding(Verdict.DECLARED, row.alias)
        if explicit and clause in _AFTER_SELECT:
            return Finding(Verdict.UNKNOWN, alias, "it is an alias of SELECT, which may not be visible here")
        if scope.open:
            return Finding(Verdict.UNKNOWN, None, _why_open(scope))
        if name.mark and any(relation.anonymous for relation in scope.relations):
            return Finding(Verdict.UNKNOWN, None, "a column of that query has no plain name")
        return None

    def _matched(self, scope: Scope, folded: str, matches: list[tuple[Relation, Binding]]) -> Finding:
        relation, column = matches[0]
        if len(matches) > 1 and not (self._dialect.using_first and folded in scope.merged):
            return self._several(scope, matches)
        if folded in relation.repeated and self._dialect.repeated:
            return Finding(Verdict.AMBIGUOUS, column, f"{relation.spelling} gives it more than once")
        return Finding(Verdict.DECLARED, column, owner=relation.owner)

    def _several(self, scope: Scope, matches: list[tuple[Relation, Binding]]) -> Finding:
        column = matches[0][1]
        if scope.lenient:
            return Finding(Verdict.UNKNOWN, column, "a NATURAL join may have merged it")
        doubted = next((found.attrs[DISPUTED] for _, found in matches if DISPUTED in found.attrs), "")
        if doubted:
            return Finding(Verdict.UNKNOWN, column, doubted)
        holders = [each.spelling or "a query without a name" for each, _ in matches]
        candidates = tuple(f"{each.spelling}.{found.spelling}" for each, found in matches if each.spelling)
        reason = (
            f"{' and '.join(holders)} both have it" if len(holders) == 2 else f"{', '.join(holders)} have it"
        )
        return Finding(Verdict.AMBIGUOUS, column, reason, candidates)

    def _nowhere(self, name: Name, place: Place) -> Finding:
        """A column that no block around it has."""
        dialect = self._dialect
        if name.mark == '"' and dialect.strings:
            return STRING
        function = self.catalog.function("", name.folded)
        if function is not None and function.attrs.get("kind") == "syntax":
            return Finding(Verdict.DECLARED, function)
        if self._is_keyword(name):
            return Finding(Verdict.UNKNOWN, None, "it may be a keyword")
        if dialect.anonymous == "function" and place.clause in dialect.implicit and name.folded in _KINDS:
            return Finding(Verdict.UNKNOWN, None, "an output without an alias may be called so")
        if not any(scope.relations for scope in place.scope.chain()):
            if dialect.variables:
                return Finding(Verdict.UNKNOWN, None, "it may be a variable")
            if not self.catalog.populated:
                return Finding(Verdict.UNKNOWN, None, "no table is known")
        if not dialect.rows and place.scope.named(name.folded) is not None:
            return Finding(Verdict.UNKNOWN, None, "it is a table's name")
        return Finding(Verdict.GHOST, candidates=self.candidates(place))

    def qualified(
        self, qualifier: Name, schema: str | None, name: Name, place: Place, relation: Relation | None
    ) -> Finding:
        """A column with a qualifier.

        Args:
            qualifier: What stands before the last dot.
            schema: The folded schema before that, or None.
            name: The column.
            place: Where they stand.
            relation: The relation in scope that the qualifier names, if one does.
        """
        if relation is None:
            return self._unqualified(qualifier, name, place)
        if schema is not None and schema != relation.schema:
            if relation.schema is None or not relation.schema:
                return Finding(Verdict.UNKNOWN, None, f"{relation.spelling} may be of another schema")
            reason = f"{relation.spelling} is of another schema"
            return Finding(Verdict.GHOST, None, reason, self.candidates(place, qualified=True))
        if self._dialect.twins and schema is None:
            return self._of_twins(relation, name, place)
        return self.member(relation, name)

    def _of_twins(self, relation: Relation, name: Name, place: Place) -> Finding:
        """A column of the relations of one name."""
        scope = next((each for each in place.scope.chain() if relation in each.relations), place.scope)
        having = [each for each in scope.twins(relation) if each.find(name.folded) is not None]
        if len(having) > 1 and name.folded not in scope.merged:
            reason = f"FROM has two relations of the name {relation.spelling}, and both have it"
            return Finding(Verdict.AMBIGUOUS, having[0].find(name.folded), reason)
        return self.member(having[0] if having else relation, name)

    def member(self, relation: Relation, name: Name) -> Finding:
        """A column of one relation."""
        if (column := relation.find(name.folded)) is not None:
            if name.folded in relation.repeated and self._dialect.repeated:
                return Finding(Verdict.AMBIGUOUS, column, f"{relation.spelling} gives it more than once")
            return Finding(Verdict.DECLARED, column, owner=relation.owner)
        if name.folded in self._system and relation.base:
            return Finding(Verdict.DECLARED)
        if relation.open:
            return Finding(Verdict.UNKNOWN, None, f"not all columns of {relation.spelling} are known")
        if name.mark and relation.anonymous:
            return Finding(Verdict.UNKNOWN, None, "a column of that query has no plain name")
        if self._is_keyword(name):
            return Finding(Verdict.UNKNOWN, None, "it may be a keyword")
        if self._dialect.name == "postgres" and self._is_attribute(name.folded):
            return Finding(Verdict.UNKNOWN, None, "it may be a function of the row")
        candidates = tuple(column.spelling for column in relation.columns().values())
        return Finding(
            Verdict.GHOST, None, f"{relation.spelling} has no such column", candidates, relation.owner
        )

    def _is_keyword(self, name: Name) -> bool:
        """Whether the parser may have read a keyword as a name (`SET a = DEFAULT`), or what is no text at all."""
        if "\0" in name.text:
            return True
        return not name.mark and (name.folded in self._dialect.words or name.text.lower() in self._reserved)

    def _is_attribute(self, folded: str) -> bool:
        if folded in _ROW_AGGREGATES:
            return True
        function = self.catalog.function("", folded)
        return function is not None and function.origin.provider != "builtin"

    def _unqualified(self, qualifier: Name, name: Name, place: Place) -> Finding:
        """A column whose qualifier is no relation in scope."""
        scope = place.scope
        if self._is_keyword(name) or self._is_keyword(qualifier):
            return Finding(Verdict.UNKNOWN, None, "it may have been read from a keyword")
        if any(each.names_open or each.behind for each in scope.chain()):
            return Finding(Verdict.UNKNOWN, None, _NOT_ALL_RELATIONS)
        holder = self.bare(qualifier, place)
        if self._dialect.fields and holder.verdict is not Verdict.GHOST:
            return Finding(Verdict.UNKNOWN, None, "it may be a field of a column")
        if holder.binding is not None and holder.binding.attrs.get("kind") == "parameter":
            return Finding(Verdict.UNKNOWN, None, "it is a field of a parameter")
        if name.folded in _OTHER_FIELDS:
            return Finding(Verdict.UNKNOWN, None, "it may be of a sequence")
        if self._dialect.variables and not any(each.relations for each in scope.chain()):
            return Finding(Verdict.UNKNOWN, None, "it may be a variable")
        reason = f"no {qualifier.text} is in scope"
        return Finding(Verdict.GHOST, None, reason, self.candidates(place, qualified=True))

    def candidates(self, place: Place, *, qualified: bool = False) -> tuple[str, ...]:
        """Spellings of the columns that can stand there."""
        found = list(place.scope.visible(place.upto))
        if not qualified:
            return tuple(each.spelling for each in found)
        return tuple(
            each.spelling
            if each.qualified or each.relation is None or not each.relation.spelling
            else f"{each.relation.spelling}.{each.spelling}"
            for each in found
        )

    def table(self, schema: str | None, name: Name) -> Finding:
        """A table that no common table expression hides.

        Args:
            schema: The folded schema, or None where none is written.
            name: The table.
        """
        catalog = self.catalog
        if (found := catalog.relation(schema or "", name.folded)) is not None:
            return Finding(Verdict.DECLARED, found)
        if self._is_keyword(name):
            return Finding(Verdict.UNKNOWN, None, "it may be a keyword")
        if catalog.dropped(schema or "", name.folded):
            return Finding(Verdict.GHOST, None, "it was dropped or renamed above")
        if not schema and catalog.elsewhere(name.folded):
            return Finding(Verdict.UNKNOWN, None, "it is a table of another schema")
        if catalog.closes_relations(schema or ""):
            return Finding(Verdict.GHOST)
        return Finding(Verdict.UNKNOWN, None, "not all tables are known")

    def function(self, schema: str, name: Name) -> Finding:
        """A function by its folded schema and name."""
        catalog = self.catalog
        if (found := catalog.function(schema, name.folded)) is not None:
            return Finding(Verdict.DECLARED, found)
        if catalog.environment.lookup(Key("Type", schema, name.folded)) is not None:
            return Finding(Verdict.DECLARED)  # a cast, written like a call
        if name.folded in _UNITS:
            return Finding(Verdict.UNKNOWN, None, "it may be a unit of time")
        if catalog.dialect.name == "postgres" and catalog.is_some_column(name.folded):
            return Finding(Verdict.UNKNOWN, None, "it may be a column, written like a function of its row")
        if catalog.closes_functions(schema) and (not schema or schema in catalog.schemas):
            if catalog.dialect.name == "sqlite" and not self._is_slip(name.folded):
                return Finding(Verdict.UNKNOWN, None, "an application or an extension may add it")
            return Finding(Verdict.GHOST)
        return Finding(Verdict.UNKNOWN, None, "not all functions are known")

    def _is_slip(self, folded: str) -> bool:
        """Whether it is one slip of the pen away from a function of the dialect; a number is no slip (`uuid4`)."""
        known = lexicon_of(self._dialect.name).functions.values()
        return (
            len(folded) > _SHORT
            and not any(map(str.isdigit, folded))
            and any(OSA.distance(folded, each, score_cutoff=1) <= 1 for names in known for each in names)
        )


STRING = Finding(Verdict.UNKNOWN, None, "a double-quoted name that matches nothing is a string")
"""SQLite's reading of `WHERE name = "Anna"`."""

_NOT_ALL_RELATIONS = "not all relations in scope are known"


def _row(scope: Scope, folded: str) -> Relation | None:
    return next((relation for relation in scope.relations if relation.name == folded), None)


def _why_open(scope: Scope) -> str:
    if scope.names_open:
        return _NOT_ALL_RELATIONS
    unknown = next((relation.spelling for relation in scope.relations if relation.open), "")
    return f"not all columns of {unknown} are known" if unknown else "not all columns in scope are known"
