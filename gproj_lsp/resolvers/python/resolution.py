"""One module, resolved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from gproj_lsp.environment import Binding, Environment, Frame
from gproj_lsp.resolve import Declaration, Effect, Expectation, Reference, Verdict, World
from gproj_lsp.resolvers.python.api import Api
from gproj_lsp.resolvers.python.binding import HANDLERS
from gproj_lsp.resolvers.python.lookup import Lookup
from gproj_lsp.resolvers.python.operands import Misfit, Operands
from gproj_lsp.resolvers.python.reading import read
from gproj_lsp.resolvers.python.scopes import Bound, Kind, Module, Scope
from gproj_lsp.resolvers.python.sites import Site, Sites
from gproj_lsp.resolvers.python.symbols import Symbols
from gproj_lsp.resolvers.python.tree import parse
from gproj_lsp.resolvers.python.values import Values
from gproj_lsp.syntax import Statement
from gproj_lsp.text import Span, decode

__all__ = ["ModuleResolution"]

_DUMMY = "x"
"""An identifier put where a name is still to be written, so that what is around it parses."""


@dataclass(frozen=True, eq=False)
class _Known:
    """What was found out about a module.

    Attributes:
        module: What it binds and uses.
        lookup: What names mean.
        api: What it reads of libraries.
        operands: What has to stand at its places.
        sites: Its places.
        typed: Whether libraries tell what their functions mean, so that names are of several sorts.
    """

    module: Module
    lookup: Lookup
    api: Api
    operands: Operands
    sites: Sites
    typed: bool


class ModuleResolution:
    """What is known of a module's places (`gproj_lsp.resolve.Resolution`).

    Args:
        statement: The module.
        environment: Γ before it.
        world: What is known completely.
    """

    def __init__(self, statement: Statement, environment: Environment, world: World) -> None:
        self._statement = statement
        self._environment = environment
        self._world = world
        self._text = statement.filled
        self._tried: dict[int, tuple[Sites, Site | None]] = {}  # where nothing stands: asked twice in a row

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """Every name that is read, every place that binds one again, and what is read of libraries."""
        holes = [mark.span for mark in self._statement.holes]
        found: dict[tuple[Span, str], Reference] = {}
        for each in (*self._names(), *self._again(), *self._api.references()):
            if not any(hole.contains(each.span) for hole in holes):
                found.setdefault((each.span, each.sort), each)
        return tuple(sorted(found.values(), key=lambda each: each.span))

    @cached_property
    def declarations(self) -> tuple[Declaration, ...]:
        """The first place that binds each name, where all the names that mean it are in the text."""
        return tuple(
            Declaration(bounds[0].span, scope.binding(name))
            for scope in self._module.scopes
            for name, bounds in self._bound(scope)
            if self._is_own(scope, bounds[0])
        )

    @cached_property
    def effect(self) -> Effect:
        """What the module declares for what may come after it, as the cells of a notebook do."""
        scope = self._module.scope
        declared = dict(self._bound(scope))
        places = {
            scope.binding(name).key: bounds[0].span
            for name, bounds in declared.items()
            if self._is_own(scope, bounds[0])
        }
        opens = frozenset({"Name"}) if self._lookup.is_wild else frozenset[str]()
        return Effect(tuple(map(scope.binding, declared)), opens=opens, places=MappingProxyType(places))

    @property
    def readable(self) -> bool:
        """Whether all of it parses."""
        return not self._module.broken

    def frames_at(self, offset: int) -> tuple[Frame, ...]:
        """The scopes around the offset, each with what is bound there by then."""
        sites, site = self._site(offset)
        return sites.frames(offset, site)

    def expectation_at(self, offset: int) -> Expectation:
        """What a name there would have to be."""
        sites, site = self._site(offset)
        return Expectation(site.sort if site is not None else "", sites.region(offset))

    @cached_property
    def _known(self) -> _Known:
        """All of it at once: what names stand for is settled before anything asks what they are."""
        root = parse(self._text).root_node
        module = read(root, HANDLERS)
        lookup = Lookup(module, self._environment, self._world)
        api = Api(module, lookup, self._environment, self._world)
        symbols = Symbols(root, module, lookup)
        values = Values(module, symbols, api, self._environment)
        values.settle()
        operands = Operands(module, symbols, values, lookup, self._environment)
        return _Known(module, lookup, api, operands, Sites(module, lookup, api, operands), typed=bool(values))

    @property
    def _module(self) -> Module:
        return self._known.module

    @property
    def _lookup(self) -> Lookup:
        return self._known.lookup

    @property
    def _api(self) -> Api:
        return self._known.api

    @property
    def _sites(self) -> Sites:
        return self._known.sites

    def _site(self, offset: int) -> tuple[Sites, Site | None]:
        """The site at an offset; where no name stands, that of one that might."""
        site = self._sites.at(offset)
        if site is not None:
            return self._sites, site
        if offset not in self._tried:
            self._tried = {offset: self._with_dummy(offset)}
        return self._tried[offset]

    def _with_dummy(self, offset: int) -> tuple[Sites, Site | None]:
        data = self._statement.data
        other = decode(data[:offset]) + _DUMMY + decode(data[offset:])
        changed = ModuleResolution(self._statement.lexer.statement(other), self._environment, self._world)
        site = changed._sites.at(offset)
        return (changed._sites, site) if site is not None else (self._sites, None)

    def _names(self) -> Iterator[Reference]:
        misfits = {each.use.span: each for each in self._misfits()}
        for use in self._module.uses:
            found = self._lookup.find(use)
            misfit = misfits.get(use.span)
            if misfit is not None and found.binding is not None:
                yield self._misfit(misfit, found.binding)
                continue
            candidates, sort = found.candidates, "Name"
            if self._known.typed and found.verdict is Verdict.GHOST and not candidates:
                wanted = self._known.operands.wanted(use)
                candidates = self._known.operands.readable(use)
                sort = wanted.sort if wanted is not None else sort
            yield Reference(
                use.span,
                use.name,
                sort,
                found.verdict,
                found.binding,
                reason=found.reason,
                candidates=candidates,
            )
        for use in self._module.elsewhere:
            found = self._lookup.find(use)
            if found.verdict is Verdict.DECLARED:
                yield Reference(use.span, use.name, "Name", found.verdict, found.binding)

    def _misfits(self) -> Iterator[Misfit]:
        """What certainly does not fit; nothing where the text is only half there."""
        if self._known.typed and not self._module.broken:
            yield from self._known.operands.misfits()

    def _misfit(self, misfit: Misfit, binding: Binding) -> Reference:
        fitting = self._known.operands.fitting(misfit.use, misfit.wanted)
        return Reference(
            misfit.use.span,
            misfit.use.name,
            binding.sort,
            Verdict.UNFIT,
            binding,
            reason=misfit.reason,
            candidates=fitting,
        )

    def _again(self) -> Iterator[Reference]:
        """The places that bind a name another time."""
        for scope in self._module.scopes:
            for name, bounds in self._bound(scope):
                binding = scope.binding(name)
                for each in bounds[1:]:
                    if each.kind not in ("deletion", "import"):
                        yield Reference(each.span, name, "Name", Verdict.DECLARED, binding)

    def _bound(self, scope: Scope) -> Iterator[tuple[str, list[Bound]]]:
        """What a scope binds somewhere, not counting what it only deletes."""
        for name, bounds in scope.bound.items():
            kept = [each for each in bounds if each.kind != "deletion"]
            if kept:
                yield name, kept

    def _is_own(self, scope: Scope, first: Bound) -> bool:
        """Whether every name that means it is in the text, as a name: no member, no keyword, nothing of another module."""
        named = first.kind == "import" and first.span in self._foreign
        asked = first.kind == "parameter" and first.name in self._keywords
        return scope.kind is not Kind.CLASS and not named and not asked

    @cached_property
    def _foreign(self) -> frozenset[Span]:
        return frozenset(each.span for each in self._module.imports if each.binds)

    @cached_property
    def _keywords(self) -> frozenset[str]:
        return frozenset(
            name for chain in self._module.chains for step in chain.steps for name, _, _ in step.keywords
        )
