"""What a grammar means, told as plainly as possible: the judge of every engine.

A recogniser over the tree that keeps, for an expression and a place, the set of places where it may end. It shares no code with
any engine. Works on UTF-8 bytes, as tokens do. Grammars are free of left recursion, so it terminates.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gproj_lsp.gbnf import (
    Alt,
    AnyCase,
    CharClass,
    Expr,
    Grammar,
    Literal,
    Names,
    Ref,
    Repeat,
    Seq,
    Word,
    lowered,
)


def accepts(grammar: Grammar, text: str | bytes) -> bool:
    """Whether the text is in the language."""
    run = _Run(grammar, _bytes(text))
    return len(run.text) in run.ends(Ref(grammar.start), 0)


def viable(grammar: Grammar, text: str | bytes) -> bool:
    """Whether the text begins some string of the language; every rule must be inhabited."""
    run = _Run(grammar, _bytes(text))
    return len(run.text) in run.ends(Ref(grammar.start), 0) or run.hungry


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


@dataclass
class _Run:
    grammar: Grammar
    text: bytes
    hungry: bool = False  # something more could have matched behind the end
    known: dict[tuple[str, int], frozenset[int]] = field(default_factory=dict)

    def ends(self, expr: Expr, at: int) -> frozenset[int]:
        if isinstance(expr, Literal):
            return self.word(expr.text.encode(), at)
        if isinstance(expr, Names):
            return frozenset().union(*(self.word(text.encode(), at) for text in expr.texts))
        if isinstance(expr, Ref):
            if (expr.rule, at) not in self.known:
                self.known[expr.rule, at] = self.ends(self.grammar.rules[expr.rule], at)
            return self.known[expr.rule, at]
        if isinstance(expr, Alt):
            return frozenset().union(*(self.ends(choice, at) for choice in expr.choices))
        if isinstance(expr, Seq):
            places = frozenset({at})
            for item in expr.items:
                places = self.after(item, places)
            return places
        return self.repeated(expr, at) if isinstance(expr, Repeat) else self.leaf(expr, at)

    def leaf(self, expr: Expr, at: int) -> frozenset[int]:
        if isinstance(expr, AnyCase):
            return frozenset().union(*(self.any_case(text.encode(), at) for text in expr.texts))
        if isinstance(expr, Word):
            return self.word_but(expr, at)
        if isinstance(expr, CharClass):
            return self.character(expr, at)
        raise AssertionError(expr)

    def after(self, expr: Expr, places: frozenset[int]) -> frozenset[int]:
        return frozenset().union(*(self.ends(expr, place) for place in places))

    def repeated(self, expr: Repeat, at: int) -> frozenset[int]:
        places = frozenset({at})
        for _ in range(expr.least):
            places = self.after(expr.item, places)
        found, rounds = places, 0
        while places and (expr.most is None or rounds < expr.most - expr.least):
            places = self.after(expr.item, places) - (found if expr.most is None else frozenset())
            found |= places
            rounds += 1
        return found

    def word(self, word: bytes, at: int) -> frozenset[int]:
        if self.text.startswith(word, at):
            return frozenset({at + len(word)})
        self.hungry |= word.startswith(self.text[at:])
        return frozenset()

    def any_case(self, word: bytes, at: int) -> frozenset[int]:
        written = self.text[at : at + len(word)]
        if written.lower() == word.lower():  # of bytes: ASCII letters only
            return frozenset({at + len(word)})
        self.hungry |= at + len(written) == len(self.text) and word.lower().startswith(written.lower())
        return frozenset()

    def word_but(self, expr: Word, at: int) -> frozenset[int]:
        """The places where such a word of ASCII characters ends."""
        found = set()
        for end in range(at, len(self.text) + 1):
            text = self.text[at:end].decode("ascii", "replace")
            if not all((expr.rest if n else expr.first).admits(char) for n, char in enumerate(text)):
                return frozenset(found)
            if lowered(text) not in expr.avoid and expr.least <= len(text) <= expr.most:
                found.add(end)
            if len(text) > expr.most:
                return frozenset(found)
        self.hungry |= len(self.text) - at < expr.most
        return frozenset(found)

    def character(self, expr: CharClass, at: int) -> frozenset[int]:
        for length in range(1, 5):
            piece = self.text[at : at + length]
            try:
                char = piece.decode()
            except UnicodeDecodeError:
                continue
            if len(char) == 1:
                return frozenset({at + length} if expr.admits(char) else ())
        self.hungry |= _may_begin(expr, self.text[at:])
        return frozenset()


def _may_begin(expr: CharClass, rest: bytes) -> bool:
    """Whether a character of the class begins with these bytes, which are none of their own."""
    if len(rest) > 3:
        return False
    lengths = {0: (1, 2, 3, 4)}.get(len(rest)) or tuple(n for n in (2, 3, 4) if n > len(rest))
    return any(_meets(expr, low, high) for n in lengths for low, high in _spans(rest, n))


def _spans(rest: bytes, length: int) -> list[tuple[int, int]]:
    """The code points whose encoding has this length and begins with these bytes."""
    every = {1: (0, 0x7F), 2: (0x80, 0x7FF), 3: (0x800, 0xFFFF), 4: (0x10000, 0x10FFFF)}[length]
    if not rest:
        return [every]
    bits = {2: 0xC0, 3: 0xE0, 4: 0xF0}[length]
    payload = {2: 0x1F, 3: 0x0F, 4: 0x07}[length]
    if rest[0] & ~payload & 0xFF != bits or any(byte & 0xC0 != 0x80 for byte in rest[1:]):
        return []
    value = rest[0] & payload
    for byte in rest[1:]:
        value = value << 6 | byte & 0x3F
    shift = 6 * (length - len(rest))
    low, high = value << shift, (value + 1 << shift) - 1
    low, high = max(low, every[0]), min(high, every[1])
    return [(low, high)] if low <= high else []


def _meets(expr: CharClass, low: int, high: int) -> bool:
    spans = [(low, min(high, 0xD7FF)), (max(low, 0xE000), high)]
    for start, end in spans:
        if start > end:
            continue
        if not expr.negated:
            if any(a <= end and start <= b for a, b in expr.ranges):
                return True
            continue
        place = start
        for a, b in sorted(expr.ranges):
            if a > place:
                break
            place = max(place, b + 1)
        if place <= end:
            return True
    return False
