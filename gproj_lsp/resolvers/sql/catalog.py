"""Γ as SQL looks names up in it: relations by schema and name, columns by relation."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from gproj_lsp.environment import Binding, Environment, Frame, Key
from gproj_lsp.resolvers.sql import names
from gproj_lsp.resolvers.sql.dialects import Dialect, dialect_of
from gproj_lsp.resolvers.sql.lexicon import lexicon_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gproj_lsp.resolve import World

__all__ = ["Catalog"]


class _Index:
    """What one frame holds, by owner and by name.

    `users` are by what they need: views, children, foreign keys. `heirs` inherit from another relation.
    """

    def __init__(self, frame: Frame) -> None:
        self.columns: dict[str, list[Binding]] = {}
        self.relations: dict[str, list[Binding]] = {}
        self.heirs: list[Binding] = []
        self.schemas: set[str] = set()
        self.users: dict[str, list[Binding]] = {}
        for key, binding in frame.bindings.items():
            if key.namespace == "Column":
                self.columns.setdefault(key.owner, []).append(binding)
                if target := binding.attrs.get("references"):
                    for owner in {target, target.rpartition(".")[0]}:
                        self.users.setdefault(owner, []).append(binding)
            elif key.namespace == names.RELATION:
                self.relations.setdefault(key.folded, []).append(binding)
                self.schemas.add(key.owner)
                if binding.sort == "Table" and "inherits" in binding.attrs:
                    self.heirs.append(binding)
                for owner in binding.attrs.get("uses", "").split():
                    self.users.setdefault(owner, []).append(binding)
            elif key.namespace == "Schema":
                self.schemas.add(key.folded)


_indexes: WeakKeyDictionary[Frame, _Index] = WeakKeyDictionary()


def _index(frame: Frame) -> _Index:
    """The frame's index, built when a lookup by less than the whole key first needs it."""
    found = _indexes.get(frame)
    if found is None:
        found = _indexes[frame] = _Index(frame)
    return found


class Catalog:
    """Γ before a statement, with the dialect's rules.

    Attributes:
        environment: Γ.
        world: What stays the same over the document.
        dialect: The rules of visibility.
        closed: Sorts whose every name Γ knows.
        system_columns: Columns that every table has without declaring them.
        frames: What can be written where a table's columns fit, by its key and by those of its columns that no longer do.
        plain: Names written without quotes, by their text.
    """

    def __init__(self, environment: Environment, world: World) -> None:
        self.environment = environment
        self.world = world
        self.dialect: Dialect = dialect_of(world.settings)
        self.closed = world.closed
        self.system_columns = lexicon_of(self.dialect.name).system_columns
        self.frames: dict[tuple[str, frozenset[str]], Frame] = {}
        self.plain: dict[str, names.Name] = {}
        self._columns: dict[str, Mapping[str, Binding]] = {}

    @classmethod
    def of(cls, environment: Environment, world: World) -> Catalog:
        """As the constructor; statements that see the same Γ share what was found out about it."""
        dialect = names.dialect_in(world)
        last = _last.get(dialect)
        if last is None or last.environment is not environment or last.world != world:
            last = _last[dialect] = cls(environment, world)
        return last

    def fold(self, name: str, *, quoted: bool) -> str:
        """The name after the dialect's case folding."""
        return names.fold(name, quoted, self.dialect.name)

    def schema(self, name: str, *, quoted: bool) -> str:
        """The folded schema; empty where it need not be said."""
        return names.schema_key(name, quoted, self.dialect.name)

    def spell(self, name: str) -> str:
        """How the name must be written, quoted where that is needed."""
        return names.spell(name, self.dialect.name)

    def relation(self, schema: str, name: str) -> Binding | None:
        """The table or view of that name; schema and name folded, the schema empty where it need not be said."""
        found = self.environment.lookup(names.relation_key(schema, name))
        return found if found is None or found.sort == "Table" else None

    def spelling(self, table: Binding) -> str:
        """How a table must be written where no schema is said: with its own, unless that need not be said."""
        return f"{self.spell(table.owner)}.{table.spelling}" if table.owner else table.spelling

    def owner(self, table: Binding) -> str:
        """The key of a table's columns."""
        return names.table_key(table.owner, table.folded)

    def dropped(self, schema: str, name: str) -> bool:
        """Whether an earlier statement dropped or renamed it, so that its absence is certain."""
        return self._taken_away(names.relation_key(schema, name))

    def column_dropped(self, owner: str, name: str) -> bool:
        """Whether an earlier statement dropped or renamed the column."""
        return self._taken_away(names.column_key(owner, name))

    def _taken_away(self, key: Key) -> bool:
        if key.namespace == names.RELATION and names.is_open(self.environment, names.RELATION, key.owner):
            return False
        for frame in reversed(self.environment.frames):
            if key in frame.bindings:
                return False
            if key in frame.tombstones:
                return True
        return False

    def closes_relations(self, schema: str) -> bool:
        """Whether Γ knows every table of the schema."""
        return (
            "Table" in self.closed
            and not names.is_open(self.environment, names.RELATION, schema)
            and (not schema or schema in self.schemas)
        )

    def elsewhere(self, name: str) -> tuple[Binding, ...]:
        """Relations of that name in any schema."""
        lookup = self.environment.lookup
        return tuple(
            binding
            for frame in self.environment.frames
            for binding in _index(frame).relations.get(name, ())
            if lookup(binding.key) is binding
        )

    def users(self, owner: str) -> Iterator[Binding]:
        """What says that it needs a relation: relations made from it, and columns that refer to it."""
        lookup = self.environment.lookup
        for frame in self.environment.frames:
            for binding in _index(frame).users.get(owner, ()):
                if lookup(binding.key) is binding:
                    yield binding

    @cached_property
    def schemas(self) -> frozenset[str]:
        """Every schema that Γ has something of, folded."""
        return frozenset(schema for frame in self.environment.frames for schema in _index(frame).schemas)

    @cached_property
    def relations(self) -> tuple[Binding, ...]:
        """Every relation that can be named here, nearest first."""
        return tuple(self._relations())

    @cached_property
    def populated(self) -> bool:
        """Whether Γ has any table that the database does not bring by itself; an empty Γ proves nothing."""
        return any(binding.origin.provider != "builtin" for binding in self._relations())

    def heirs(self) -> Iterator[Binding]:
        """Every relation that inherits from another."""
        lookup = self.environment.lookup
        for frame in reversed(self.environment.frames):
            for binding in _index(frame).heirs:
                if lookup(binding.key) is binding:
                    yield binding

    def _relations(self) -> Iterator[Binding]:
        """Relations one by one: Γ changes with every declaration, and mostly the first few answer what is asked."""
        lookup = self.environment.lookup
        for frame in reversed(self.environment.frames):
            for bindings in _index(frame).relations.values():
                for binding in bindings:
                    if binding.sort == "Table" and lookup(binding.key) is binding:
                        yield binding

    def is_some_column(self, name: str) -> bool:
        """Whether any relation has a column of that name."""
        return any(
            binding.folded == name
            for frame in self.environment.frames
            for columns in _index(frame).columns.values()
            for binding in columns
        )

    def column(self, owner: str, name: str) -> Binding | None:
        """A relation's column, by its relation's key and its folded name."""
        return self.environment.lookup(names.column_key(owner, name))

    def columns(self, owner: str) -> Mapping[str, Binding]:
        """A relation's columns by folded name, in order of declaration."""
        found = self._columns.get(owner)
        if found is None:
            found = self._columns[owner] = self._read_columns(owner)
        return found

    def _read_columns(self, owner: str) -> Mapping[str, Binding]:
        lookup = self.environment.lookup
        return {
            binding.folded: binding
            for frame in self.environment.frames
            for binding in _index(frame).columns.get(owner, ())
            if lookup(binding.key) is binding
        }

    def function(self, schema: str, name: str) -> Binding | None:
        """The function of that name; schema and name folded, the schema empty where it need not be said."""
        return self.environment.lookup(names.function_key(schema, name))

    def closes_functions(self, schema: str) -> bool:
        """Whether Γ knows every function of the schema."""
        return "Function" in self.closed and not (
            names.is_open(self.environment, "Function") or names.is_open(self.environment, "Function", schema)
        )


_last: dict[str, Catalog] = {}
"""By dialect, the catalog asked for last: many statements of a buffer see one Γ."""
