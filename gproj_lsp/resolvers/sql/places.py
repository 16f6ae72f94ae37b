"""Γ at a place inside a statement: what can be written there, spelled as it has to be."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from gproj_lsp.environment import Binding, Frame, Key
from gproj_lsp.resolvers.sql.keys import join_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gproj_lsp.resolvers.sql.catalog import Catalog
    from gproj_lsp.resolvers.sql.recorder import Place, Site
    from gproj_lsp.resolvers.sql.scopes import Relation

__all__ = ["frame_at", "site_at"]

_UNGROUPED = frozenset({"Where", "Join", "Group"})
"""Clauses that are read before rows are grouped."""

_VISIBLE = {"scope": "visible"}
_SHORT = re.compile("[A-Za-z][A-Za-z0-9]{0,4}")


def site_at(sites: Iterable[Site], offset: int) -> Site | None:
    """The site that a cursor at a byte offset touches; of two that meet there, the one that begins there."""
    touching = [site for site in sites if site.span.touches(offset)]
    return max(touching, key=lambda site: site.span.start, default=None)


def frame_at(site: Site, catalog: Catalog) -> Frame:
    """The names that can be written at a site.

    Columns and aliases carry `scope="visible"` and are spelled as they must be there: qualified where the bare name would not
    be clear. Tables carry it where a FROM clause can name them.
    """
    if site.sort == "Table":
        common = _common(site.place) if site.place is not None else ()
        return Frame.of([*_tables(site, catalog), *common])
    if site.relation is not None:
        return _members(site.relation, site.without, catalog)
    if site.place is None:
        return Frame()
    if site.sort == "Alias":
        return Frame.of(_aliases(site.place, site.member))
    columns = [*_columns(site.place), *_outputs(site.place, catalog)]
    return Frame.of(
        [
            *_distinct(columns),
            *_aliases(site.place),
            *_qualified(site.place, catalog),
            *_common(site.place),
            *_keys(site.place, catalog),
        ]
    )


def _members(relation: Relation, without: frozenset[str], catalog: Catalog) -> Frame:
    """The columns of one relation; those of a table in Γ are the same wherever it is named."""
    columns, key = relation.columns(), (relation.owner, without)
    shared = columns is catalog.columns(relation.owner)
    known = catalog.frames.get(key) if shared else None
    if known is None:
        shown = (
            _shown(column, relation.owner, catalog.spell(column.name))
            for folded, column in columns.items()
            if folded not in without
        )
        known = Frame.of(shown)
        if shared:
            catalog.frames[key] = known
    return known


def _columns(place: Place) -> Iterator[Binding]:
    for column in place.scope.visible(place.upto):
        owner = column.relation.owner if column.relation is not None else ""
        yield _shown(column.binding, owner, column.spelling)


def _qualified(place: Place, catalog: Catalog) -> Iterator[Binding]:
    """What can be written with a qualifier, as a whole: each column of each relation, and all of its columns."""
    seen: set[str] = set()
    for scope in place.scope.chain():
        limit = place.upto if scope is place.scope else None
        for relation in scope.relations[:limit]:
            if not relation.name or relation.name in seen:
                continue
            seen.add(relation.name)
            shown = {"table": relation.owner, **_VISIBLE}
            if scope is place.scope and not relation.open:
                yield Binding(f"{relation.spelling}.*", "Star", attrs=shown)
            for column in relation.columns().values():
                name = f"{relation.spelling}.{catalog.spell(column.name)}"
                yield Binding(name, "Member", attrs=shown)


def _keys(place: Place, catalog: Catalog) -> Iterator[Binding]:
    """What an ON clause can say along foreign keys."""
    relations = place.scope.relations[: place.upto]
    if place.clause == "Join" and len(relations) > 1:
        yield from join_keys(relations, catalog)


def _common(place: Place) -> Iterator[Binding]:
    """The common tables that FROM could name, and their columns: declared, though not in scope before it does."""
    for scope in place.scope.chain():
        for cte in scope.ctes.values():
            yield Binding(cte.spelling, "Table", namespace="relation", folded=cte.name, attrs={"kind": "cte"})
            for column in cte.columns().values():
                yield replace(column, sort="Column", namespace="Column", owner=cte.name)


def _outputs(place: Place, catalog: Catalog) -> Iterator[Binding]:
    """SELECT aliases, where the clause and the dialect show them."""
    scope, clause = place.scope, place.clause
    if clause not in catalog.dialect.aliases:
        return
    for folded, binding in scope.aliases.items():
        hidden = clause in catalog.dialect.columns_first and scope.matches(folded)
        early = clause in _UNGROUPED and folded in scope.aggregates
        if folded in scope.explicit and not hidden and not early:
            yield replace(binding, owner="", attrs={**binding.attrs, **_VISIBLE, "kind": "alias"})


def _shown(column: Binding, owner: str, spelling: str) -> Binding:
    return replace(
        column,
        sort="Column",
        namespace="Column",
        owner=owner,
        spelling=spelling,
        attrs={**column.attrs, **_VISIBLE},
    )


def _distinct(columns: Iterable[Binding]) -> Iterator[Binding]:
    """The columns with distinct keys: two uses of one table have the same columns, spelled differently."""
    seen: set[Key] = set()
    spelled: set[str] = set()
    for column in columns:
        if column.spelling in spelled:
            continue
        spelled.add(column.spelling)
        shown = replace(column, folded=column.spelling) if column.key in seen else column
        seen.add(shown.key)
        yield shown


def _aliases(place: Place, member: str = "") -> Iterator[Binding]:
    seen: set[str] = set()
    for scope in place.scope.chain():
        limit = place.upto if scope is place.scope else None
        for relation in scope.relations[:limit]:
            fits = not member or relation.open or relation.find(member) is not None
            if relation.name and relation.name not in seen and fits:
                yield Binding(
                    relation.spelling,
                    "Alias",
                    namespace="Alias",
                    folded=relation.name,
                    attrs={"table": relation.owner, **_VISIBLE, **_form(relation)},
                )
            seen.add(relation.name)


def _form(relation: Relation) -> dict[str, str]:
    """What may be written before it is declared: a table's own name, and the short words that aliases mostly are."""
    if relation.binding is not None and relation.binding.spelling == relation.spelling:
        return {"form": "table"}
    return {"form": "short"} if _SHORT.fullmatch(relation.spelling) else {}


def _tables(site: Site, catalog: Catalog) -> Iterator[Binding]:
    if site.schema is None and site.place is not None:
        for cte in site.place.scope.ctes.values():
            attrs = {"kind": "cte", **_VISIBLE}
            yield Binding(cte.spelling, "Table", namespace="relation", folded=cte.name, attrs=attrs)
    for table in catalog.relations:
        if site.schema is not None and table.owner != site.schema:
            continue
        if table.origin.provider == "builtin" and not site.schema:
            continue
        spelling = table.spelling if site.schema is not None else catalog.spelling(table)
        yield _shown_table(table, spelling)


@lru_cache(maxsize=20_000)
def _shown_table(table: Binding, spelling: str) -> Binding:
    """The table as it is shown; every FROM clause shows all of them."""
    return replace(table, spelling=spelling, attrs={**table.attrs, **_VISIBLE})
