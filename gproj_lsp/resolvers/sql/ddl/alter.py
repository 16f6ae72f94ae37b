"""ALTER, and MySQL's RENAME TABLE."""

from __future__ import annotations

from dataclasses import replace

from gproj_lsp.environment import Binding
from gproj_lsp.facts import DISPUTED
from gproj_lsp.resolvers.sql.ddl.columns import ColumnDef, column_def, definitions
from gproj_lsp.resolvers.sql.ddl.draft import PINNED, Draft, Target
from gproj_lsp.resolvers.sql.ddl.kinds import ROUTINES
from gproj_lsp.resolvers.sql.ddl.reader import Name, Path, Reader
from gproj_lsp.resolvers.sql.names import column_key, function_key, relation_key, schema_key, table_key

__all__ = ["alter", "rename"]

_NO_COLUMNS = frozenset(
    {
        "constraint",
        "primary",
        "foreign",
        "index",
        "key",
        "check",
        "partition",
        "default",
        "unique",
        "projection",
    }
)
"""What ALTER TABLE … DROP drops besides columns."""


def alter(draft: Draft, reader: Reader) -> None:
    """Read what follows ALTER."""
    reader.take_any("materialized", "foreign", "online", "ignore", "virtual", "external")
    what = reader.peek()
    reader.at += 1
    if what in ("table", "view", "sequence", "index"):
        _relation(draft, reader, index=what == "index")
    elif what in ROUTINES:
        _routine(draft, reader)
    elif what == "schema" and reader.path() is not None and reader.take("rename", "to"):
        draft.opens.add("Table")
        if (name := reader.name()) is not None:
            draft.open_schema(name)
    elif what == "publication" and reader.skip_to("table") and reader.take("table"):
        for path in reader.paths():
            draft.pin(draft.target(path))
    elif what == "type" and reader.path() is not None and reader.take("rename", "to"):
        draft.opens.add("Type")


def rename(draft: Draft, reader: Reader) -> None:
    """MySQL: RENAME TABLE a TO b, c TO d."""
    if not reader.take_any("table", "tables"):
        return
    for item in reader.within(reader.tokens[reader.at :]).items():
        each = reader.within(item)
        each.take("if", "exists")
        old = each.path()
        if old is not None and each.take("to") and (new := each.path()) is not None:
            draft.rename(draft.target(old), draft.target(new))


def _relation(draft: Draft, reader: Reader, *, index: bool) -> None:
    """What follows ALTER TABLE; PostgreSQL's ALTER INDEX renames tables, too."""
    reader.take("if", "exists")
    only = reader.take("only")
    path = reader.path()
    if path is None or (index and draft.target(path).binding is None):
        return
    reader.take("*")
    actions = _Actions(draft, draft.target(path), only=only)
    for item in reader.within(reader.tokens[reader.at :]).items():
        actions.read(reader.within(item))


def _routine(draft: Draft, reader: Reader) -> None:
    path = reader.path()
    reader.group()
    if path is None:
        return
    key = function_key(path.schema_key(draft.dialect), path.name.folded(draft.dialect))
    if reader.take("rename", "to") and (new := reader.name()) is not None:
        name = new.declared(draft.dialect)
        to = function_key(key.owner, new.folded(draft.dialect))
    elif reader.take("set", "schema") and (new := reader.name()) is not None:
        name = path.name.declared(draft.dialect)
        to = function_key(schema_key(new.text, new.quoted, draft.dialect), key.folded)
    else:
        return
    old = draft.environment.lookup(key)
    if old is not None and "overloads" not in old.attrs and old.origin.provider != "builtin":
        draft.drop(key)
    draft.place(to, new.span)
    draft.declare(
        draft.routine(to, name, old.attrs.get("kind", "scalar") if old else "scalar", overloaded=False)
    )


class _Actions:
    """The actions of one ALTER TABLE."""

    def __init__(self, draft: Draft, target: Target, *, only: bool) -> None:
        self.draft = draft
        self.target = target
        self.only = only
        self.adding = False

    def read(self, reader: Reader) -> None:
        """Read one action."""
        if reader.take("add"):
            self._add(reader)
        elif reader.take("drop"):
            self._drop(reader)
        elif reader.take("rename"):
            self._rename(reader)
        elif reader.take("change"):
            reader.take("column")
            self._change(reader.name(), reader)
        elif reader.take("set", "schema"):
            self._set_schema(reader.name())
        elif reader.peek() in ("attach", "inherit"):
            self._inherit(reader)
        elif self.adding and reader.dialect == "generic":
            self._define(column_def(reader))  # T-SQL: ADD a int, b int

    def _inherit(self, reader: Reader) -> None:
        """ATTACH PARTITION child, INHERIT parent."""
        attached = reader.take("attach", "partition")
        if not attached:
            reader.at += 1
        if (path := reader.path()) is not None:
            other = self.draft.target(path)
            child, parent = (other, self.target) if attached else (self.target, other)
            self.draft.inherit(child, parent)

    def _add(self, reader: Reader) -> None:
        self.adding = True
        said = reader.take("column")
        reader.take("if", "not", "exists")
        if (group := reader.group()) is not None:
            for column in definitions(group, reader.dialect).columns:
                self._define(column)
            return
        rest = reader.tokens[reader.at :]
        if said or definitions(rest, reader.dialect).columns:
            self._define(column_def(reader))
        elif reader.peek() == "":  # a hole, a template
            self._define(None)

    def _define(self, column: ColumnDef | None) -> None:
        if self.target.binding is None:
            return
        if column is None:
            self.draft.leave_open(self.target.binding)
            return
        self._declare(self.draft.defined(self.target, column))
        self.draft.follow(self.target, added=True)

    def _declare(self, column: Binding) -> None:
        """Declare a column here and, without ONLY, in the tables that inherit from this one."""
        places = [self.target] if self.only else [self.target, *self._children()]
        for place in places:
            placed = column if place is self.target else self.draft.moved(column, place)
            if self.draft.lookup(placed.key) is None:
                self.draft.declare(placed)

    def _children(self) -> list[Target]:
        """The tables that inherit from it, at any depth."""
        tables = list(self.draft.catalog.heirs())
        found: dict[str, Target] = {}
        pending = [self.target.owner]
        while pending:
            parent = pending.pop()
            for each in tables:
                owner = table_key(each.owner, each.folded)
                if owner not in found and parent in each.attrs["inherits"].split():
                    found[owner] = Target(each.key, owner, each.name, each)
                    pending.append(owner)
        return list(found.values())

    def _drop(self, reader: Reader) -> None:
        if (
            not reader.take("column")
            and reader.peek() in _NO_COLUMNS
            and reader.here is not reader.tokens[-1]
        ):
            return
        reader.take("if", "exists")
        name = reader.name()
        if name is None:
            return
        cascade = reader.skip_to("cascade") == "cascade"
        key = column_key(self.target.owner, name.folded(reader.dialect))
        # What a view or another table may need, the database may refuse to drop.
        needed = not cascade and (
            self._pinned() or next(self.draft.users(self.target.owner), None) is not None
        )
        column = self.draft.lookup(key)
        if column is None or self._bound(key.folded) or self._kept(column):
            return
        if needed:
            doubt = "a DROP COLUMN removed it, unless something needs it"
            self.draft.put(replace(column, attrs={**column.attrs, DISPUTED: doubt}))
            return
        self.draft.drop(key)
        self.draft.follow(self.target)

    def _kept(self, column: Binding) -> bool:
        """Whether the database surely refuses to drop a column: the last one, or (SQLite) part of the key."""
        if self.draft.dialect == "postgres":
            return False
        return "primary" in column.attrs or len(self.draft.columns(self.target)) == 1

    def _pinned(self) -> bool:
        return self.target.binding is not None and PINNED in self.target.binding.attrs

    def _bound(self, column: str) -> bool:
        """Whether inheritance keeps the column as it is: it comes from a parent, or children have it and ONLY was said."""
        parents = self.target.binding.attrs.get("inherits", "").split() if self.target.binding else ()
        if any(self.draft.catalog.column(parent, column) is not None for parent in parents):
            return True
        return self.only and bool(self._children())

    def _rename(self, reader: Reader) -> None:
        if reader.take_any("constraint", "index", "key", "partition"):
            return
        if reader.take_any("to", "as"):
            if (path := reader.path()) is not None:
                self._rename_table(path)
            return
        reader.take("column")
        old = reader.name()
        if old is not None and reader.take_any("to", "as"):
            self._change(old, reader)
        elif old is not None and reader.here is None:
            self._rename_table(Path(None, old))  # MySQL: RENAME b

    def _rename_table(self, path: Path) -> None:
        new = self.draft.target(path)
        if path.schema is None:
            new = replace(self._beside(self.target.key.owner, new.key.folded, new.name), span=new.span)
        self.draft.rename(self.target, new)

    def _set_schema(self, schema: Name | None) -> None:
        if schema is not None:
            folded = schema_key(schema.text, schema.quoted, self.draft.dialect)
            self.draft.rename(self.target, self._beside(folded, self.target.key.folded, self.target.name))

    def _beside(self, schema: str, folded: str, name: str) -> Target:
        key = relation_key(schema, folded)
        return Target(key, table_key(schema, folded), name, self.draft.environment.lookup(key))

    def _change(self, old: Name | None, reader: Reader) -> None:
        """RENAME a TO b, and MySQL's CHANGE a b type."""
        column = column_def(reader)
        if old is None or column is None or self.target.binding is None:
            return
        new = self.draft.defined(self.target, column)
        key = column_key(self.target.owner, old.folded(reader.dialect))
        was = self.draft.environment.lookup(key)
        if self._bound(key.folded) or (new.key != key and self.draft.lookup(new.key) is not None):
            return  # refused, or it was so already; both names stay
        if was is not None:
            self.draft.drop(key)
            new = replace(new, attrs={**was.attrs, **new.attrs})
        self._declare(new)
        self.draft.follow(self.target)
