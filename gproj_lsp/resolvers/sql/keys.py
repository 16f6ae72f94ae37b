"""Joins along foreign keys: what an ON clause can say where the database has declared what refers to what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gproj_lsp.environment import Binding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gproj_lsp.resolvers.sql.catalog import Catalog
    from gproj_lsp.resolvers.sql.scopes import Relation

__all__ = ["join_keys"]


def join_keys(relations: Sequence[Relation], catalog: Catalog) -> Iterator[Binding]:
    """The conditions along keys between the last of some relations and those before it, in both orders of writing.

    Args:
        relations: The relations joined so far.
        catalog: Γ.
    """
    *others, last = relations
    for other in others:
        for one, two in ((other, last), (last, other)):
            for column, target in _along(one, two, catalog):
                left = f"{one.spelling}.{catalog.spell(column.name)}"
                right = f"{two.spelling}.{catalog.spell(target.name)}"
                meant = f"{left} = {right}"
                yield _condition(left, right, meant)
                yield _condition(right, left, meant)


def _condition(left: str, right: str, meant: str) -> Binding:
    return Binding(f"{left} = {right}", "JoinKey", attrs={"scope": "visible", "means": meant})


def _along(one: Relation, two: Relation, catalog: Catalog) -> Iterator[tuple[Binding, Binding]]:
    """The columns of one relation that refer to the other, each with what it refers to."""
    if not (one.spelling and two.spelling and two.binding is not None):
        return
    for column in one.columns().values():
        target = _target(column.attrs.get("references", ""), two, two.binding, catalog)
        if target is not None:
            yield column, target


def _target(reference: str, relation: Relation, table: Binding, catalog: Catalog) -> Binding | None:
    """The column of a relation that a reference names: `users.id`, `app.users.id`, or `users`, whose key is meant."""
    named = {table.folded, f"{table.owner}.{table.folded}"}
    folded = catalog.fold(reference, quoted=True)
    if folded in named:
        keys = [each for each in relation.columns().values() if each.attrs.get("primary") == "yes"]
        return keys[0] if len(keys) == 1 else None
    path, _, field = folded.rpartition(".")
    return relation.find(field) if path in named else None
