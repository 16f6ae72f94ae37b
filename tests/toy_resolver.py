"""A resolver for a language of four verbs, so that the analyser's laws are tested without any real language's subtleties.

`make a b` declares tables, `drop a` takes them back, `use a b` refers to them, `list` stands for all (`*`), `open` says that
there may be others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from gproj_lsp.environment import Binding, Environment, Frame, Key
from gproj_lsp.facts import Facts
from gproj_lsp.resolve import (
    NO_EFFECT,
    Declaration,
    Effect,
    Expectation,
    Reference,
    Resolution,
    Scope,
    Verdict,
    World,
)
from gproj_lsp.syntax import Statement, TokenKind

BUILTINS = Facts((Binding("dual", "Table", spelling="dual"),))


@dataclass(frozen=True)
class ToyResolution:
    references: tuple[Reference, ...] = ()
    effect: Effect = NO_EFFECT
    declarations: tuple[Declaration, ...] = ()
    frame: Frame | None = None
    readable: bool = True

    def frames_at(self, offset: int) -> tuple[Frame, ...]:
        return (self.frame,) if self.frame and offset >= 4 else ()

    def expectation_at(self, offset: int) -> Expectation:
        return Expectation("Table", ("Verb",)) if offset >= 4 else Expectation("")


class ToyResolver:
    """Counts what it resolves, so that tests can see what was kept."""

    def __init__(self) -> None:
        self.resolved: list[str] = []

    def scopes(self, statement: Statement) -> tuple[Scope, ...]:  # noqa: ARG002  (a protocol's method)
        return ()

    def resolve(self, statement: Statement, environment: Environment, world: World) -> Resolution:
        self.resolved.append(statement.text)
        words = [token for token in statement.tokens if token.kind is TokenKind.WORD]
        verb = words[0].text if words else ""
        if verb == "deep":
            raise RecursionError
        if verb == "fail":
            raise KeyError(verb)
        if verb == "make":
            return ToyResolution(effect=Effect(tuple(Binding(word.text, "Table") for word in words[1:])))
        if verb == "drop":
            return ToyResolution(
                effect=Effect(drops=tuple(Key("Table", "", word.text) for word in words[1:]))
            )
        if verb == "open":
            return ToyResolution(effect=Effect(opens=frozenset({"Table"})))
        if verb == "list":
            names = [Binding(each.name, "Alias") for each in environment if each.sort == "Table"]
            return ToyResolution(frame=Frame.of(names))
        local = Frame.of([Binding("self", "Table")])
        return ToyResolution(tuple(self._refer(word, environment, world) for word in words[1:]), frame=local)

    def _refer(self, word, environment, world):
        binding = environment.lookup(Key("Table", "", word.text))
        if binding is not None:
            return Reference(word.span, word.text, "Table", Verdict.DECLARED, binding)
        verdict = Verdict.GHOST if "Table" in world.closed else Verdict.UNKNOWN
        return Reference(word.span, word.text, "Table", verdict)

    def adopt(self, bindings: Iterable[Binding], world: World) -> tuple[Binding, ...]:  # noqa: ARG002
        return tuple(replace(each, folded=each.name.lower()) for each in bindings)

    def builtins(self, world: World) -> Facts:  # noqa: ARG002
        return BUILTINS
