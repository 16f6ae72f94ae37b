"""DROP."""

from __future__ import annotations

from gproj_lsp.environment import Binding, Key
from gproj_lsp.resolvers.sql.ddl.draft import EVERYTHING, Draft, Target
from gproj_lsp.resolvers.sql.ddl.kinds import OTHERS, ROUTINES, kind_of
from gproj_lsp.resolvers.sql.ddl.reader import Path, Reader
from gproj_lsp.resolvers.sql.names import function_key, table_key

__all__ = ["drop"]


def drop(draft: Draft, reader: Reader) -> None:
    """Read what follows DROP."""
    reader.take_any("materialized", "foreign", "temporary", "temp", "external", "virtual")
    what = reader.peek()
    reader.at += 1
    if what == "index":
        reader.take("concurrently")
    guarded = reader.take("if", "exists")
    paths = reader.paths()
    if len(paths) > 1 and draft.dialect in ("sqlite", "duckdb"):
        return  # these take one at a time
    cascade = reader.skip_to("cascade") == "cascade"
    if what in ("table", "view", "sequence"):
        targets = [draft.target(path) for path in paths]
        if not any(_another_kind(target.binding, what) for target in targets):
            _relations(draft, targets, guarded=guarded, cascade=cascade)
    elif what == "extension":
        draft.opens |= EVERYTHING
    elif what != "schema" or cascade:
        for path in paths:
            _named(draft, what, path)


def _named(draft: Draft, what: str, path: Path) -> None:
    if what in ROUTINES:
        _function(draft, path)
    elif what == "schema":
        _schema(draft, path.name.folded(draft.dialect))
    elif what in OTHERS:
        _other(draft, OTHERS[what], path)


def _another_kind(relation: Binding | None, what: str) -> bool:
    """Whether every database refuses: DROP TABLE on a view, DROP VIEW on a table."""
    kind = relation.attrs.get("kind", "") if relation is not None else ""
    return kind != "" and kind_of(kind) != what


def _relations(draft: Draft, targets: list[Target], *, guarded: bool, cascade: bool) -> None:
    going = {target.owner for target in targets}
    # Where one of several may be absent, PostgreSQL may drop none of them.
    doubtful = not guarded and len(targets) > 1 and any(target.binding is None for target in targets)
    for target in targets:
        needed = (
            user for user in draft.users(target.owner) if table_key(user.owner, user.folded) not in going
        )
        if target.binding is not None and (doubtful or (not cascade and any(True for _ in needed))):
            # The database may have refused; both outcomes are thinkable from here on.
            draft.leave_open(target.binding)
        else:
            _relation(draft, target, set())


def _relation(draft: Draft, target: Target, seen: set[str]) -> None:
    """Drop a relation; with it go the views over it and the tables that inherit from it (PostgreSQL's CASCADE)."""
    if target.binding is None or target.owner in seen:
        return
    seen.add(target.owner)
    draft.drop_relation(target)
    if draft.dialect == "postgres":
        for user in draft.users(target.owner):
            if "uses" in user.attrs:
                owner = table_key(user.owner, user.folded)
                _relation(draft, Target(user.key, owner, user.name, user), seen)


def _function(draft: Draft, path: Path) -> None:
    """Drop a function, unless others of that name may be left."""
    key = function_key(path.schema_key(draft.dialect), path.name.folded(draft.dialect))
    old = draft.environment.lookup(key)
    if old is not None and "overloads" not in old.attrs and old.origin.provider != "builtin":
        draft.drop(key)


def _schema(draft: Draft, folded: str) -> None:
    if not folded or folded not in draft.catalog.schemas:
        return
    for binding in draft.environment:
        inside = (
            binding.owner.startswith(f"{folded}.") if binding.sort == "Column" else binding.owner == folded
        )
        if inside:
            draft.drop(binding.key)


def _other(draft: Draft, sort: str, path: Path) -> None:
    key = Key(sort, path.schema_key(draft.dialect), path.name.folded(draft.dialect))
    if draft.environment.lookup(key) is not None:
        draft.drop(key)
