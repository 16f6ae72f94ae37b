"""What a place of a module expects, and the names that it can have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from gproj_lsp.environment import Frame
from gproj_lsp.resolvers.python.api import Api
from gproj_lsp.resolvers.python.lookup import Lookup
from gproj_lsp.resolvers.python.operands import Operands, Wanted
from gproj_lsp.resolvers.python.scopes import Chain, Module, Scope, Use
from gproj_lsp.text import Span

__all__ = ["Site", "Sites"]


@dataclass(frozen=True)
class Site:
    """A place where a name stands.

    Attributes:
        span: The name's bytes.
        sort: What it has to be.
        use: Where it is read.
        owner: What it has to belong to, or empty.
        without: Names that stand there already, and can't again.
        kind: The kind that it has to be of, or empty.
        wanted: What is asked of it besides, if anything is.
    """

    span: Span
    sort: str
    use: Use
    owner: str = ""
    without: frozenset[str] = frozenset()
    kind: str = ""
    wanted: Wanted | None = None


class Sites:
    """The places of one module.

    Args:
        module: The module.
        lookup: Its names.
        api: What it reads of libraries.
        operands: What has to stand where.
    """

    def __init__(self, module: Module, lookup: Lookup, api: Api, operands: Operands) -> None:
        self._module = module
        self._lookup = lookup
        self._api = api
        self._operands = operands

    def at(self, offset: int) -> Site | None:
        """The site that a cursor at a byte offset touches; of several, the one that says most."""
        found = (each for each in self._around(offset) if each.span.touches(offset))
        return max(found, key=lambda each: (each.span.start, bool(each.owner)), default=None)

    def frames(self, offset: int, site: Site | None) -> tuple[Frame, ...]:
        """The names that can be read at a byte offset, outermost frame first."""
        use = site.use if site is not None else self.use_at(offset)
        frames = self._lookup.frames(use)
        if site is not None and site.wanted is not None:
            return (*frames, self._operands.frame(site.use, site.wanted))
        if site is None or not site.owner:
            states = self._operands.states(use)
            return (*frames, states) if states.bindings else frames
        members = self._api.frame(site.sort, site.owner, without=site.without, kind=site.kind)
        return (*frames, members)

    def region(self, offset: int) -> tuple[str, ...]:
        """The scopes around a byte offset, outermost first."""
        scopes = [(scope.span, scope.kind.value) for scope in reversed(list(self._scope(offset).chain()))]
        inside = [each for each in self._operands.regions if each[0].touches(offset)]
        return tuple(name for _, name in sorted((*scopes, *inside), key=lambda each: each[0].start))

    def use_at(self, offset: int) -> Use:
        """A name that is read at a byte offset, whether or not one is."""
        scope = self._scope(offset)
        before = (each for each in self._module.uses if each.scope is scope and each.span.start <= offset)
        near = max(before, key=lambda each: each.span.start, default=None)
        block = near.block if near is not None else scope.block
        while block.above is not None and not block.span.touches(offset):
            block = block.above
        return Use("", Span(offset, offset), scope, block)

    def _scope(self, offset: int) -> Scope:
        inside = [each for each in self._module.scopes if each.span.touches(offset)]
        return max(inside, key=lambda each: each.span.start, default=self._module.scope)

    def _around(self, offset: int) -> Iterator[Site]:
        for use in self._module.uses:
            if use.span.touches(offset):
                wanted = self._operands.wanted(use)
                yield Site(use.span, wanted.sort if wanted is not None else "Name", use, wanted=wanted)
        for each in self._module.chains:
            if each.span.touches(offset):
                yield from self._steps(each)
        for said in self._module.imports:
            if said.span.touches(offset):
                thing = self._api.thing(said.module) if said.name else None
                owner = thing.path if thing is not None else ""
                sort, kind = "Attribute" if said.name else "Module", "module" if said.whole else ""
                yield Site(said.span, sort, self.use_at(offset), owner, kind=kind)
        yield from self._bound(offset)

    def _bound(self, offset: int) -> Iterator[Site]:
        for scope in self._module.scopes:
            for bound in chain.from_iterable(scope.bound.values()):
                if bound.span.touches(offset) and bound.kind not in ("import", "deletion"):
                    yield Site(bound.span, "NameDecl", Use("", bound.span, scope, bound.block))

    def _steps(self, read: Chain) -> Iterator[Site]:
        befores = self._api.follow(read).befores
        for step in read.steps:
            thing = befores.get(step.span)
            owner = thing.path if thing is not None else ""
            if step.name:
                yield Site(step.span, "Attribute", read.root, owner)
            for keyword, place, value in step.keywords:
                others = frozenset(name for name, span, _ in step.keywords if span != place)
                yield Site(place, "Keyword", read.root, owner, others)
                if owner and self._api.frame("Choice", f"{owner}({keyword})").bindings:
                    yield Site(value, "Choice", read.root, f"{owner}({keyword})")
