"""One statement read: its references, its effect, and Γ at each of its places."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gproj_lsp.resolve import Declaration, Effect, Expectation, Reference, Resolution, Verdict, World
from gproj_lsp.resolvers.sql import bodies, ddl, unfinished
from gproj_lsp.resolvers.sql.catalog import Catalog
from gproj_lsp.resolvers.sql.parse import Source, parse
from gproj_lsp.resolvers.sql.places import frame_at, site_at
from gproj_lsp.resolvers.sql.recorder import Record, Recorder
from gproj_lsp.resolvers.sql.scopes import ANYTHING, Outputs, Scope
from gproj_lsp.resolvers.sql.statements import Statements
from gproj_lsp.text import Offsets, Span

if TYPE_CHECKING:
    from gproj_lsp.environment import Environment, Frame
    from gproj_lsp.resolvers.sql.recorder import Site
    from gproj_lsp.syntax import Statement

__all__ = ["Reading", "resolve"]

_STUMBLES = (RecursionError, AttributeError, TypeError, ValueError, LookupError)
"""What a tree of an unforeseen shape may raise; the statement is unknown then."""

Probe = Callable[[int], unfinished.Glimpse]


class Reading:
    """A statement as sqlglot reads it (`gproj_lsp.resolve.Resolution`)."""

    def __init__(
        self,
        record: Record,
        catalog: Catalog,
        effect: Effect,
        probe: Probe | None = None,
        *,
        readable: bool = True,
    ) -> None:
        self.readable = readable
        self.references = record.references
        self.declarations = record.declarations
        self.effect = effect
        self._sites = record.sites
        self._catalog = catalog
        self._probe = probe

    def frames_at(self, offset: int) -> tuple[Frame, ...]:
        """The frames to push on the Γ before the statement, outermost first."""
        if (site := site_at(self._sites, offset)) is not None:
            return (frame_at(site, self._catalog),)
        return self._probe(offset).frames if self._probe is not None else ()

    def expectation_at(self, offset: int) -> Expectation:
        """What a name at the offset would have to be."""
        if (site := site_at(self._sites, offset)) is not None:
            return Expectation(site.sort, site.region)
        return self._probe(offset).expectation if self._probe is not None else Expectation("")


def resolve(statement: Statement, environment: Environment, world: World) -> Resolution:
    """Resolve one statement; never raises on any text."""
    catalog = Catalog.of(environment, world)
    vague = (*(hole.span for hole in statement.holes), *statement.opaque)
    effect = ddl.effect_of(statement, environment, world, partial(_outputs, statement.filled, vague, catalog))
    read = partial(_read, catalog)
    probe = partial(unfinished.probe, statement, read=read)
    inside = bodies.parts(statement, catalog)
    if inside is not None:
        found: Resolution = _walk_parts(inside, vague, catalog, effect, probe)
    elif (source := parse(statement.filled, catalog.dialect.reader)) is not None:
        found = _walk(source, vague, catalog, effect, probe)
    else:
        return unfinished.resolve(statement, environment, world, read, effect)
    return unfinished.tentative(statement, found, world)


def _read(catalog: Catalog, text: str, vague: tuple[Span, ...]) -> Reading | None:
    """A text as sqlglot reads it; the spans are holes, templates and dummies, which are no names."""
    source = parse(text, catalog.dialect.reader)
    return None if source is None else _walk(source, vague, catalog, Effect())


def _walk(
    source: Source, vague: tuple[Span, ...], catalog: Catalog, effect: Effect, probe: Probe | None = None
) -> Reading:
    recorder = Recorder(source, vague)
    try:
        Statements(recorder, catalog).statement(source.tree)
    except _STUMBLES:
        return Reading(Record(sites=recorder.sites), catalog, effect, probe, readable=False)
    return Reading(recorder.record, catalog, effect, probe)


def _walk_parts(
    inside: tuple[bodies.Part, ...], vague: tuple[Span, ...], catalog: Catalog, effect: Effect, probe: Probe
) -> Reading:
    """The SQL inside a definition; what sqlglot can't read of it says nothing."""
    references: dict[Span, Reference] = {}
    declarations: list[Declaration] = []
    sites: list[Site] = []
    readable = True
    for part in inside:
        source = parse(part.text, catalog.dialect.reader)
        if source is None:
            readable = False
            continue
        recorder = Recorder(source, (*vague, *part.vague))
        outer = Scope(relations=list(part.relations), names_open=part.variables)
        try:
            Statements(recorder, catalog).statement(source.tree, outer)
        except _STUMBLES:
            readable = False
            continue
        references.update((each.span, _own(each, part.routine)) for each in recorder.references)
        declarations.extend((*part.declarations, *recorder.declarations))
        sites.extend(recorder.sites)
    found = tuple(references[span] for span in sorted(references))
    return Reading(Record(found, tuple(declarations), sites), catalog, effect, probe, readable=readable)


def _own(reference: Reference, routine: str) -> Reference:
    """The reference, declared where a routine calls itself."""
    if (
        reference.sort != "Function"
        or reference.verdict is not Verdict.GHOST
        or reference.name.lower() != routine
    ):
        return reference
    return replace(reference, verdict=Verdict.DECLARED, candidates=())


def _outputs(text: str, vague: tuple[Span, ...], catalog: Catalog, span: Span) -> Outputs:
    """The columns of the query in a span of a statement's text."""
    offsets = Offsets(text)
    source = parse(text[offsets.char(span.start) : offsets.char(span.end)], catalog.dialect.reader)
    if source is None:
        return ANYTHING
    inside = tuple(each.shift(-span.start) for each in vague if span.contains(each))
    recorder = Recorder(source, inside)
    try:
        outputs = Statements(recorder, catalog).statement(source.tree)()
    except _STUMBLES:
        return ANYTHING
    handed_on = {each.span for each in recorder.references}
    named = {id(each.binding): each.span for each in recorder.declarations if each.span not in handed_on}
    places = (named.get(id(column)) for column in outputs.columns)
    return replace(outputs, places=tuple(place and place.shift(span.start) for place in places))
