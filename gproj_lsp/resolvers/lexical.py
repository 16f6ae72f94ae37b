"""Names resolved by scopes alone, for surfaces without a resolver of their own.

`locals.scm` follows tree-sitter's *locals* convention with sorts: `@local.scope`, `@local.definition.<Sort>` and
`@local.reference.<Sort>`; a capture `@<attr>` in a definition's pattern gives an attribute, as does `#set! <attr> <value>`, and
`#set! definition.scope "parent"` or `"global"` lets a name outlive its scope. A definition in no scope is declared for the
statements after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from gproj_lsp.environment import Binding, Environment, Frame, Key
from gproj_lsp.facts import NOTHING, Facts
from gproj_lsp.resolve import (
    UNREAD,
    Declaration,
    Effect,
    Expectation,
    Reference,
    Resolution,
    Scope,
    Verdict,
    World,
)
from gproj_lsp.surface import Surface
from gproj_lsp.syntax import Capture, Match, Statement, grammar_of
from gproj_lsp.text import Span

__all__ = ["QUERY", "LexicalResolver"]

QUERY = "locals"
_DEFINITION = "local.definition."
_REFERENCE = "local.reference."
_SCOPE = "local.scope"
_WIDER = "definition.scope"


@dataclass(frozen=True)
class _Definition:
    """A declared name: where it is written, and the scope that holds it (None: the document)."""

    binding: Binding
    span: Span
    scope: Span | None


class LexicalResolver:
    """Resolves by `locals.scm`.

    Args:
        surface: The language.

    Raises:
        SurfaceError: The surface has no tree-sitter language, or its query does not compile.
    """

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._grammar = grammar_of(surface)
        if self._grammar is not None and QUERY in self._grammar.queries():
            self._grammar.check(QUERY)

    def resolve(self, statement: Statement, environment: Environment, world: World) -> Resolution:
        """Resolve one statement; never raises on any text."""
        if self._grammar is None or QUERY not in self._grammar.queries():
            return UNREAD
        broken = self._grammar.tree(statement).root_node.has_error
        return _Lexical(
            self._surface,
            statement,
            self._grammar.matches(statement, QUERY),
            environment,
            world,
            broken,
        )

    def adopt(self, bindings: Iterable[Binding], world: World) -> tuple[Binding, ...]:  # noqa: ARG002  (a protocol)
        """Names as they are, in their sort's name space."""
        return tuple(
            Binding(
                each.name,
                each.sort,
                each.owner,
                self._surface.sorts[each.sort].namespace if each.sort in self._surface.sorts else "",
                each.folded,
                each.attrs,
                each.spelling,
                each.origin,
            )
            for each in bindings
        )

    def scopes(self, statement: Statement) -> tuple[Scope, ...]:  # noqa: ARG002  (a protocol)
        """None: what a scope is, its tree tells."""
        return ()

    def builtins(self, world: World) -> Facts:  # noqa: ARG002  (a protocol)
        """Nothing: what a language declares itself is facts of its surface."""
        return NOTHING


class _Lexical:
    """One statement, resolved by scopes."""

    def __init__(  # noqa: PLR0913  (what a resolution is made of)
        self,
        surface: Surface,
        statement: Statement,
        matches: tuple[Match, ...],
        environment: Environment,
        world: World,
        broken: bool,  # noqa: FBT001  (a private class with one caller)
    ) -> None:
        self._surface = surface
        self._statement = statement
        self._matches = matches
        self._environment = environment
        self._world = world
        self._broken = broken
        self.readable = not broken
        captures = [capture for match in matches for capture in match.captures]
        self._scopes = sorted(
            {each.span for each in captures if each.name == _SCOPE}, key=lambda span: (span.start, -span.end)
        )

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """Every reference position, in order."""
        defined = {each.span for each in self._definitions}
        holes = [mark.span for mark in self._statement.holes]
        found: dict[Span, Reference] = {}
        for capture in self._captures(_REFERENCE):
            if capture.span not in defined and not any(hole.contains(capture.span) for hole in holes):
                sort = capture.name.removeprefix(_REFERENCE)
                found.setdefault(capture.span, self._reference(capture, sort))
        return tuple(found[span] for span in sorted(found))

    @cached_property
    def declarations(self) -> tuple[Declaration, ...]:
        """What its scopes hold."""
        return tuple(Declaration(each.span, each.binding) for each in self._definitions if each.scope)

    @cached_property
    def effect(self) -> Effect:
        """What it declares for the statements after it."""
        outer = [each for each in self._definitions if each.scope is None]
        places = {each.binding.key: each.span for each in reversed(outer)}
        return Effect(tuple(each.binding for each in outer), places=MappingProxyType(places))

    def frames_at(self, offset: int) -> tuple[Frame, ...]:
        """One frame for each scope around the offset, with what it declares before that place."""
        around: list[Span | None] = [None, *(scope for scope in self._scopes if scope.touches(offset))]
        return tuple(
            _frame(
                each.binding for each in self._definitions if each.scope == scope and each.span.end <= offset
            )
            for scope in around
        )

    def expectation_at(self, offset: int) -> Expectation:
        """The sort of the reference or declaration there."""
        for prefix in (_REFERENCE, _DEFINITION):
            for capture in self._captures(prefix):
                if capture.span.touches(offset):
                    return Expectation(capture.name.removeprefix(prefix))
        return Expectation("")

    def _captures(self, prefix: str) -> Iterator[Capture]:
        return (each for match in self._matches for each in match.captures if each.name.startswith(prefix))

    @cached_property
    def _definitions(self) -> tuple[_Definition, ...]:
        found = (
            self._definition(capture, match)
            for match in self._matches
            for capture in match.captures
            if capture.name.startswith(_DEFINITION)
        )
        return tuple(sorted(found, key=lambda each: each.span))

    def _definition(self, capture: Capture, match: Match) -> _Definition:
        sort = capture.name.removeprefix(_DEFINITION)
        attrs = {key: value for key, value in match.settings.items() if key != _WIDER}
        attrs |= {each.name: each.text for each in match.captures if not each.name.startswith("local.")}
        around: list[Span | None] = [None, *(scope for scope in self._scopes if scope.contains(capture.span))]
        wider = match.settings.get(_WIDER, "")
        scope = {"parent": around[-2] if len(around) > 1 else None, "global": None}.get(wider, around[-1])
        binding = Binding(capture.text, sort, namespace=self._namespace(sort), attrs=attrs)
        return _Definition(binding, capture.span, scope)

    def _namespace(self, sort: str) -> str:
        return self._surface.sorts[sort].namespace if sort in self._surface.sorts else sort

    def _reference(self, capture: Capture, sort: str) -> Reference:
        key = Key(self._namespace(sort), "", capture.text)
        for scope in [*reversed([each for each in self._scopes if each.contains(capture.span)]), None]:
            for each in self._definitions:
                if each.scope == scope and each.binding.key == key:
                    return Reference(capture.span, capture.text, sort, Verdict.DECLARED, each.binding)
        if (binding := self._environment.lookup(key)) is not None:
            return Reference(capture.span, capture.text, sort, Verdict.DECLARED, binding)
        verdict, reason = self._absent(sort)
        return Reference(capture.span, capture.text, sort, verdict, reason=reason)

    def _absent(self, sort: str) -> tuple[Verdict, str]:
        """What to think of a name that is declared nowhere; an empty Γ says nothing."""
        if self._broken:
            return Verdict.UNKNOWN, "the statement has a syntax error"
        spec = self._surface.sorts.get(sort)
        here = any(each.binding.sort == sort for each in self._definitions)
        declared = here or any(each.sort == sort for each in self._environment)
        if sort in self._world.closed or (spec is not None and spec.exhaustive and declared):
            return Verdict.GHOST, ""
        return Verdict.UNKNOWN, f"not every {sort.lower()} is known"


def _frame(bindings: Iterable[Binding]) -> Frame:
    found: dict[Key, Binding] = {}
    for binding in bindings:
        found[binding.key] = binding
    return Frame(found)
