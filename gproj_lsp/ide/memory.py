"""What an analyser keeps: statements already resolved, by the Γ they saw."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Lock, RLock
from typing import Generic, TypeVar

from gproj_lsp.cursor import without_word
from gproj_lsp.drift import Drift
from gproj_lsp.environment import Environment
from gproj_lsp.facts import DISPUTED
from gproj_lsp.ghosts import Diagnostic, diagnose, unknown_sort
from gproj_lsp.ide.analysis import Analysis, Resolved
from gproj_lsp.resolve import UNREAD, Effect, Reference, Resolution, Resolver, Verdict, World
from gproj_lsp.surface import Surface
from gproj_lsp.syntax import Piece, Source, Statement, TokenKind
from gproj_lsp.text import Span, encode

__all__ = ["Memory", "Recent"]

logger = logging.getLogger(__name__)

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")

_REMEMBERED = 1_000
"""How many resolved statements are kept besides those in use: an undo, a branch switched back, a file like another."""

_READ = 1_000
"""Of how many statements all is kept that can be asked of their places; it is found again for the rest, in a millisecond each.
What is in use for ever, the references and findings of every open document, is a third of it."""


_LONG = 2_000
"""So many characters of a statement count as another statement in what is kept."""

_Seen = tuple[Statement, Environment, frozenset[str]]
"""A statement, Γ before it, and the sorts known completely there."""


def _weight(seen: _Seen) -> int:
    """A statement counts as several where it is long: some languages have a whole file in one."""
    return 1 + len(seen[0].text) // _LONG


class Recent(Generic[_Key, _Value]):
    """A mapping of bounded size that forgets what was not asked for longest. Any thread may use it.

    Args:
        most: How many entries it holds, or how much they may weigh together; the last one is held whatever it weighs.
        weight: What an entry weighs, by its key.
    """

    def __init__(self, most: int, weight: Callable[[_Key], int] = lambda _: 1) -> None:
        self._most = most
        self._weight = weight
        self._held = 0
        self._entries: OrderedDict[_Key, _Value] = OrderedDict()
        self._lock = Lock()

    def get(self, key: _Key) -> _Value | None:
        """The value, which is recent from now on."""
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key]

    def put(self, key: _Key, value: _Value) -> _Value:
        """Keep a value; the oldest is forgotten where there are too many.

        Returns:
            The value.
        """
        with self._lock:
            if key not in self._entries:
                self._held += self._weight(key)
            self._entries[key] = value
            self._entries.move_to_end(key)
            while self._held > self._most and len(self._entries) > 1:
                oldest, _ = self._entries.popitem(last=False)
                self._held -= self._weight(oldest)
        return value

    def forget(self, key: _Key) -> None:
        """Drop an entry, if there is one."""
        with self._lock:
            if key in self._entries:
                del self._entries[key]
                self._held -= self._weight(key)

    def __len__(self) -> int:
        return len(self._entries)


class Memory:
    """Statements already resolved, by the Γ they saw; Γ after a declaration is one value as long as both are the same.

    Any thread may ask; one statement is resolved at a time.

    Args:
        resolver: Resolves a statement that is not known.
        surface: The language.
        settings: The settings that resolution depends on.
        most: How many statements are kept besides those that an analysis holds.
    """

    def __init__(
        self, resolver: Resolver, surface: Surface, settings: Mapping[str, str], most: int = _REMEMBERED
    ) -> None:
        self._lock = RLock()
        self._resolver = resolver
        self._surface = surface
        self._settings = settings
        self._worlds: dict[frozenset[str], World] = {}
        self._known: Recent[_Seen, Resolved] = Recent(most, _weight)
        self._read: Recent[_Seen, Resolution] = Recent(_READ, _weight)
        self._grown: Recent[tuple[Environment, Effect], Environment] = Recent(most)

    def walk(
        self, source: Source, environment: Environment, closed: frozenset[str], previous: Analysis | None
    ) -> tuple[Resolved, ...]:
        """Resolve a buffer's statements in order.

        Args:
            source: The buffer.
            environment: Γ before it.
            closed: The sorts known completely before it.
            previous: The analysis before an edit; what the edit can't concern is taken from it.
        """
        old = previous.statements if previous else ()
        head, tail = _shared(previous.source.pieces, source.pieces) if previous else (0, 0)
        found = list(old[:head])
        if found:
            environment, closed = found[-1].after, found[-1].closed_after
        for piece in source.pieces[head : len(source.pieces) - tail]:
            found.append(self.resolved(piece.statement, environment, closed))
            environment, closed = found[-1].after, found[-1].closed_after
        drift = Drift(self._surface)
        drift.replace(
            [each.effect for each in old[head : len(old) - tail]], [each.effect for each in found[head:]]
        )
        for index in range(len(old) - tail, len(old)):
            last = old[index]
            if last.before is environment and last.closed == closed:
                found += old[index:]
                break
            found.append(self._next(last, environment, closed, drift))
            environment, closed = found[-1].after, found[-1].closed_after
        return tuple(found)

    def of(self, statement: Statement, instead: Resolved) -> Resolved:
        """A statement as it is resolved in the place of another."""
        return self.resolved(statement, instead.before, instead.closed)

    def without(self, resolved: Resolved, word: Span) -> tuple[Reference, ...]:
        """The references of a statement if a word were not there."""
        return self.of(without_word(resolved.statement, word), resolved).references

    def _next(
        self, last: Resolved, environment: Environment, closed: frozenset[str], drift: Drift
    ) -> Resolved:
        """A statement that stood there before, behind an edit that changed Γ."""
        statement = last.statement
        watched = last.diagnostics or statement.holes  # somebody looks at what could stand there instead
        if last.closed == closed and not watched and not drift.concerns(statement, last.effect):
            return Resolved(
                statement,
                environment,
                last.effect.apply(environment),
                closed,
                last.effect,
                last.references,
                last.declarations,
                last.unknown,
                (),
                lambda: self._resolution(statement, environment, closed),
            )
        found = self.resolved(statement, environment, closed)
        drift.replace([last.effect], [found.effect])
        return found

    def resolved(self, statement: Statement, environment: Environment, closed: frozenset[str]) -> Resolved:
        """A statement under the Γ it sees."""
        key = (statement, environment, closed)
        with self._lock:
            found = self._known.get(key)
            return self._known.put(key, self._new(statement, environment, closed)) if found is None else found

    def _new(self, statement: Statement, environment: Environment, closed: frozenset[str]) -> Resolved:
        resolution = self._resolution(statement, environment, closed)
        effect = resolution.effect if resolution is not UNREAD else Effect(opens=closed)
        references = tuple(map(_doubted, resolution.references))
        return Resolved(
            statement,
            environment,
            self._after(environment, effect),
            closed,
            effect,
            references,
            resolution.declarations,
            sum(each.verdict is Verdict.UNKNOWN for each in references),
            tuple(self._diagnostics(statement, resolution, references, environment)),
            lambda: self._resolution(statement, environment, closed),
        )

    def _resolution(
        self, statement: Statement, environment: Environment, closed: frozenset[str]
    ) -> Resolution:
        key = (statement, environment, closed)
        with self._lock:
            found = self._read.get(key)
            return (
                self._read.put(key, self._found(statement, environment, closed)) if found is None else found
            )

    def _found(self, statement: Statement, environment: Environment, closed: frozenset[str]) -> Resolution:
        if not self._readable(statement):
            return UNREAD
        world = self._worlds.setdefault(closed, World(closed, self._settings))
        try:
            return self._resolver.resolve(statement, environment, world)
        except RecursionError:
            return UNREAD
        except Exception as error:  # resolvers come from any package; one statement must not end a buffer
            logger.warning("the resolver failed, so a statement stays unread: %r", error)
            logger.debug("where it failed", exc_info=error)
            return UNREAD

    def _readable(self, statement: Statement) -> bool:
        limits = self._surface.limits
        text = statement.text
        if len(encode(text)) > limits.statement_bytes:
            return False
        brackets = text.count("(") + text.count("[") + text.count("{")
        return brackets <= limits.nesting or _depth(statement) <= limits.nesting

    def _after(self, environment: Environment, effect: Effect) -> Environment:
        if not effect.declares and not effect.drops:
            return environment
        key = (environment, effect)
        found = self._grown.get(key)
        return self._grown.put(key, effect.apply(environment)) if found is None else found

    def _diagnostics(
        self,
        statement: Statement,
        resolution: Resolution,
        references: tuple[Reference, ...],
        environment: Environment,
    ) -> Iterator[Diagnostic]:
        found = list(diagnose(references, resolution, environment))
        found += (
            unknown_sort(mark, self._surface)
            for mark in statement.holes
            if mark.sort and self._surface.sort(mark.sort) is None
        )
        yield from sorted(found, key=lambda each: each.span)


def _doubted(reference: Reference) -> Reference:
    """The reference, unknown where sources disagree about what it names."""
    doubt = reference.binding.attrs.get(DISPUTED, "") if reference.binding is not None else ""
    if not doubt or reference.verdict is not Verdict.DECLARED:
        return reference
    return replace(reference, verdict=Verdict.UNKNOWN, reason=doubt)


def _shared(old: Sequence[Piece], new: Sequence[Piece]) -> tuple[int, int]:
    """How many pieces at the beginning and at the end two cuts have in common."""
    most = min(len(old), len(new))
    head = next((index for index in range(most) if old[index] is not new[index]), most)
    tail = next(
        (index for index in range(most - head) if old[-1 - index] is not new[-1 - index]), most - head
    )
    return head, tail


def _depth(statement: Statement) -> int:
    depth = deepest = 0
    for token in statement.tokens:
        if token.kind is TokenKind.PUNCTUATION:
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
            deepest = max(deepest, depth)
    return deepest
