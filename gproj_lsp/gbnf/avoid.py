"""Every word but some, as rules: beside each beginning of an avoided word, whatever else may follow it."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter

from gproj_lsp.gbnf.tree import EMPTY, CharClass, Expr, Literal, Ref, Repeat, Seq, Word, alternation, sequence

__all__ = ["avoiding", "word_of"]


def avoiding(word: Word, fresh: Callable[[], str]) -> tuple[Expr, dict[str, Expr]]:
    """An expression for exactly these words, and the helper rules it refers to.

    Args:
        word: The words.
        fresh: Gives the name of a further helper rule.
    """
    helpers: dict[str, Expr] = {}
    names: dict[Word, str] = {}
    pending = [word]
    while pending:
        state = pending.pop()
        if state not in names and _alive(state):
            names[state] = fresh()
            pending += _after(state).values()
    for state, name in names.items():
        helpers[name] = _rule(state, names)
    return Ref(names[word]), helpers


def _after(state: Word) -> dict[str, Word]:
    """What is left after each character that begins an avoided word, in lower case."""
    found: dict[str, Word] = {}
    for avoided in state.avoid:
        if avoided and avoided[0] not in found:
            rest = state.after(avoided[0]) or state.after(avoided[0].upper())
            if rest is not None:
                found[avoided[0]] = rest
    return found


def _alive(state: Word) -> bool:
    """Whether any word is left; none is where the greatest length is that of words to avoid."""
    if state.admits("") or not state.avoid:
        return True
    after = _after(state)
    return bool(state.most and _without(state.first, after).ranges) or any(map(_alive, after.values()))


def _rule(state: Word, names: dict[Word, str]) -> Expr:
    after = _after(state)
    choices: list[Expr] = []
    if not state.avoid:
        return _free(state)
    for char, rest in sorted(after.items(), key=itemgetter(0)):
        if _alive(rest):
            choices.append(sequence((_either(char, state), Ref(names[rest]))))
    others = _without(state.first, after)
    if others.ranges and state.most:
        free = Word(state.rest, state.rest, max(state.least - 1, 0), state.most - 1, frozenset())
        choices.append(sequence((others, _free(free))))
    if state.admits(""):
        choices.append(EMPTY)
    return alternation(tuple(choices))


def _free(state: Word) -> Expr:
    """The words of a state that avoids none."""
    if not state.most:
        return EMPTY
    if state.least <= 1 and state.first == state.rest:
        return Repeat(state.rest, state.least, state.most)
    tail = Repeat(state.rest, max(state.least - 1, 0), state.most - 1)
    return sequence((state.first, tail)) if state.least else Repeat(sequence((state.first, tail)), 0, 1)


def _either(char: str, state: Word) -> Expr:
    """The letter in the cases that the class admits."""
    points = [ord(each) for each in dict.fromkeys((char.upper(), char)) if state.first.admits(each)]
    return (
        CharClass(tuple((point, point) for point in points)) if len(points) > 1 else Literal(chr(points[0]))
    )


def _without(chars: CharClass, taken: dict[str, Word]) -> CharClass:
    """The characters of a class that are none of some letters in either case."""
    points = sorted({ord(each) for char in taken for each in (char, char.upper())})
    ranges: list[tuple[int, int]] = []
    for low, high in chars.ranges:
        at = low
        for point in points:
            if at <= point <= high:
                if at < point:
                    ranges.append((at, point - 1))
                at = point + 1
        if at <= high:
            ranges.append((at, high))
    return CharClass(tuple(ranges))


def word_of(rule: Expr, avoid: frozenset[str]) -> Word | None:
    """The words of a rule but some; None where the rule is not one character of a class and more of another.

    Args:
        rule: `[A-Za-z_] [A-Za-z0-9_]{0,40}`.
        avoid: The words that are left out, in lower case.
    """
    if isinstance(rule, Seq) and len(rule.items) == 2:
        first, more = rule.items
        if (
            isinstance(first, CharClass)
            and isinstance(more, Repeat)
            and isinstance(more.item, CharClass)
            and more.most is not None
        ):
            return Word(first, more.item, more.least + 1, more.most + 1, avoid)
    return None
