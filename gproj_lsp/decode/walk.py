"""Walking a fragment with regions, or with declarations that later parts refer to: engines can't be given it whole.

Each region is a call; a called fragment that holds regions itself opens a frame, which goes when the call returns, so siblings
never see each other's names. Each declaration enters Γ before anything after it is instantiated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from gproj_lsp.decode.calls import Call, called, concatenated, interpreted, substituted
from gproj_lsp.environment import Binding, Environment
from gproj_lsp.fragment import Fragment
from gproj_lsp.gbnf import Alt, Expr, Grammar, Literal, Ref, Region, Repeat, Seq, Slot, sequence, walk

__all__ = ["Around", "Hands", "Walk"]

_GAP = b"..."
"""Stands for a part that is decoded later, in what the model is shown."""


@dataclass(frozen=True)
class Around:
    """What stands around a part.

    Attributes:
        before: What the model is shown before it.
        after: The text known to follow.
        follow: What may follow, as grammar; None: nothing, the whole text ends here.
    """

    before: bytes
    after: bytes
    follow: Grammar | None


class Hands(Protocol):
    """What a walk needs done: the parts that an engine can be given, and choices between those it can't."""

    def write(self, call: Call, expr: Expr, around: Around, environment: Environment) -> bytes:
        """Decode a part without regions and declarations, or a single declaration."""
        ...

    def decide(self, grammars: Sequence[Grammar], around: Around) -> int:
        """Choose between parts by what each begins with."""
        ...

    def look(self, fragment: Fragment, path: Sequence[str], environment: Environment) -> Grammar:
        """A fragment at Γ as it is now, for looking ahead; regions remain."""
        ...

    def declared(self, binding: Binding) -> None:
        """A declaration entered Γ."""
        ...


@dataclass
class Walk:
    """One walk through a tree of calls; Γ grows on the way.

    Attributes:
        fragments: By the sort they produce.
        hands: Does what is not walking.
        environment: Γ at the place reached.
    """

    fragments: dict[str, Fragment]
    hands: Hands
    environment: Environment
    _walked: dict[tuple[int, Expr], bool] = field(default_factory=dict)

    def part(self, call: Call, expr: Expr, around: Around) -> bytes:
        """Decode one expression of a fragment; gives its text."""
        if not self._is_walked(call, expr):
            return self.hands.write(call, expr, around, self.environment)
        if isinstance(expr, Ref):
            return self.part(call, call.fragment.grammar.rules[expr.rule], around)
        if isinstance(expr, Seq):
            return self._sequence(call, expr.items, around)
        if isinstance(expr, Alt):
            return self.part(call, expr.choices[self._decide(call, expr.choices, around)], around)
        if isinstance(expr, Repeat):
            return self._repeat(call, expr, around)
        return (
            self._region(call, expr, around)
            if isinstance(expr, Region)
            else self._declaration(call, expr, around)
        )

    def _is_walked(self, call: Call, expr: Expr) -> bool:
        key = (id(call.fragment), expr)
        if key not in self._walked:
            self._walked[key] = interpreted(call.fragment, expr)
        return self._walked[key]

    def _region(self, call: Call, region: Region, around: Around) -> bytes:
        child = called(call, region, self.fragments)
        outer = self.environment
        opens = bool(child.fragment.regions)
        if opens:
            self.environment = outer.push()
        text = self.part(child, Ref(child.fragment.grammar.start), around)
        if opens:
            self.environment = outer
        return text

    def _declaration(self, call: Call, slot: Expr, around: Around) -> bytes:
        text = self.hands.write(call, slot, around, self.environment)
        if isinstance(slot, Slot):
            binding = Binding(text.decode(), call.fragment.slots[slot.name].declares)
            self.environment = self.environment.declare(binding)
            self.hands.declared(binding)
        return text

    def _sequence(self, call: Call, items: Sequence[Expr], around: Around) -> bytes:
        """Decode the parts in their order; a later one stands between fixed text on both sides."""
        done: list[bytes | None] = [
            item.text.encode() if isinstance(item, Literal) else None for item in items
        ]
        todo = [at for at, text in enumerate(done) if text is None]
        for at in sorted(todo, key=lambda at: _order(call.fragment, items[at])):
            left = b"".join(_GAP if text is None else text for text in done[:at])
            known = next((end for end in range(at + 1, len(items)) if done[end] is None), len(items))
            right = b"".join(text for text in done[at + 1 : known] if text is not None)
            inner = Around(
                around.before + left,
                right + (around.after if known == len(items) else b""),
                self._follow(call, list(zip(items, done, strict=True))[at + 1 :], around),
            )
            done[at] = self.part(call, items[at], inner)
        return b"".join(text for text in done if text is not None)

    def _repeat(self, call: Call, expr: Repeat, around: Around) -> bytes:
        """Decode items until the model, or the bound, ends them."""
        texts: list[bytes] = []
        while expr.most is None or len(texts) < expr.most:
            left = len(texts) + 1
            more = Repeat(
                expr.item, max(expr.least - left, 0), None if expr.most is None else expr.most - left
            )
            here = Around(around.before + b"".join(texts), around.after, around.follow)
            if len(texts) >= expr.least and self._decide(call, (expr.item, sequence(())), here):
                break
            rest = here if more.most == 0 else self._before(call, more, here)
            texts.append(self.part(call, expr.item, rest))
            if not texts[-1]:
                break
        return b"".join(texts)

    def _before(self, call: Call, expr: Expr, around: Around) -> Around:
        """Around something that an undecided expression follows."""
        return Around(around.before, b"", self._follow(call, [(expr, None)], around))

    def _decide(self, call: Call, choices: Sequence[Expr], around: Around) -> int:
        grammars = [self._plain(call, choice) for choice in choices]
        whole = [concatenated(grammar, *([around.follow] if around.follow else [])) for grammar in grammars]
        return self.hands.decide(whole, around)

    def _follow(
        self, call: Call, rest: Sequence[tuple[Expr, bytes | None]], around: Around
    ) -> Grammar | None:
        parts: list[Grammar | bytes] = [
            self._plain(call, expr) if text is None else text for expr, text in rest
        ]
        if around.follow:
            parts.append(around.follow)
        return concatenated(*parts) if any(parts) else None

    def _plain(self, call: Call, expr: Expr) -> Grammar:
        return substituted(
            call,
            expr,
            self.fragments,
            lambda fragment, path: self.hands.look(fragment, path, self.environment),
        )


def _order(fragment: Fragment, expr: Expr) -> int:
    """When a part of a sequence is decoded: by the earliest region in it, in order of place where that does not tell."""
    orders: list[int] = []
    seen: set[str] = set()
    waiting = [expr]
    while waiting:
        for inner in walk(waiting.pop()):
            if isinstance(inner, Region) and inner.name in fragment.regions:
                orders.append(fragment.regions[inner.name].order)
            elif isinstance(inner, Ref) and inner.rule not in seen:
                seen.add(inner.rule)
                waiting.append(fragment.grammar.rules[inner.rule])
    return min(orders, default=0)
