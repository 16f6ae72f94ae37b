"""Grammar → the Lark dialect that llguidance reads.

llguidance splits text into lexemes as it goes and never takes a split back. What is not recursive becomes one terminal, a
regular expression, inside which nothing is split. Where a grammar is recursive, terminals meet; if a longer lexeme could
swallow what should have begun the next one (`lexemes.clash`), the whole grammar is written in one-character literals instead:
slower to compile, never wrong.
"""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING

from gproj_lsp.decode.engines.lexemes import clash
from gproj_lsp.gbnf import (
    Alt,
    CharClass,
    Expr,
    Grammar,
    Literal,
    Names,
    Ref,
    Repeat,
    Seq,
    alternation,
    children,
    expanded,
    recursive,
    sequence,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["lark_text"]

_NESTING = 8
"""How deep groups nest in one definition; llguidance refuses more than some 30."""

_OPTIONS = '%llguidance { "no_forcing": true }\n'
"""Without it a mask admits one token only wherever the text is forced, and that token is not the model's own choice."""


def lark_text(grammar: Grammar) -> str:
    """The grammar for llguidance; equal languages, whatever the names hold.

    Args:
        grammar: Admitted: no slots, regions or unknown rules.
    """
    if grammar.start not in recursive(grammar.rules):
        return _Writer(grammar, frozenset()).text()
    for joined in (True, False):
        parted = _Parting(grammar, joined=joined).grammar
        rules = recursive(parted.rules)
        if not clash(parted, rules):
            return _Writer(parted, rules).text()
    return _characters(grammar)


class _Parting:
    """A grammar with every non-recursive part of a recursive rule as a rule of its own: a lexeme.

    Where lexemes are `joined` they are as long as they can be, so that little is left to split; apart, what follows the first
    of two can't be mistaken for more of it so easily.
    """

    def __init__(self, grammar: Grammar, *, joined: bool) -> None:
        self.joined = joined
        self.cyclic = recursive(grammar.rules)
        self.rules = {name: rule for name, rule in grammar.rules.items() if name not in self.cyclic}
        for name in self.cyclic:
            self.rules[name] = self._part(grammar.rules[name])
        self.grammar = Grammar(self.rules, grammar.start)

    def _lexical(self, expr: Expr) -> bool:
        return not any(isinstance(e, Ref) and e.rule in self.cyclic for e in walk(expr))

    def _lexeme(self, expr: Expr) -> Expr:
        name = f"lexeme {len(self.rules)}"  # no rule can be named so
        self.rules[name] = expr
        return Ref(name)

    def _part(self, expr: Expr) -> Expr:
        if self._lexical(expr):
            return self._lexeme(expr)
        if isinstance(expr, Alt):
            flat = tuple(choice for choice in expr.choices if self._lexical(choice))
            deep = tuple(self._part(choice) for choice in expr.choices if not self._lexical(choice))
            return alternation((self._lexeme(alternation(flat)), *deep) if flat else deep)
        if isinstance(expr, Seq):
            runs = groupby(expr.items, self._lexical)
            return sequence(tuple(part for flat, run in runs for part in self._run(tuple(run), flat=flat)))
        return Repeat(self._part(expr.item), expr.least, expr.most) if isinstance(expr, Repeat) else expr

    def _run(self, items: tuple[Expr, ...], *, flat: bool) -> tuple[Expr, ...]:
        if flat and self.joined:
            return (self._lexeme(sequence(items)),)
        return tuple(map(self._part, items))


def _characters(grammar: Grammar) -> str:
    """Every literal spelled out, every rule a rule: nothing is left for a lexer to decide."""
    plain = expanded(grammar)
    return _Writer(plain, frozenset(plain.rules)).text()


class _Writer:
    """Writes rules (lower case) and terminals (upper case).

    In rules, literals are written one character at a time; `lexical` rules keep them whole.
    """

    def __init__(self, grammar: Grammar, rules: frozenset[str]) -> None:
        self.grammar = grammar
        self.names = {
            name: f"{'r' if name in rules else 'T'}{number}" for number, name in enumerate(grammar.rules)
        }
        self.rules = rules
        self.pending: list[tuple[str, Expr, bool]] = []
        self.depth = 0

    def text(self) -> str:
        lines = [_OPTIONS, f"start: {self.names[self.grammar.start]}\n"]
        self.pending = [
            (self.names[name], rule, name in self.rules) for name, rule in self.grammar.rules.items()
        ]
        for name, rule, split in self.pending:  # grows where expressions are deep
            lines.append(f"{name}: {self.write(rule, 0, split=split)}\n")
        return "".join(lines)

    def write(self, expr: Expr, binds: int, *, split: bool) -> str:
        if isinstance(expr, (Alt, Seq)):
            return self._several(expr, binds, split=split)
        if isinstance(expr, Repeat):
            return self._repeat(expr, split=split)
        if isinstance(expr, Names):
            text = _quoted(expr.texts)
            return f"({text})" if binds > 0 and len(expr.texts) > 1 else text
        if isinstance(expr, Literal):
            return self._literal(expr.text, binds, split=split)
        if isinstance(expr, CharClass):
            return _class(expr)
        if isinstance(expr, Ref):
            return self.names[expr.rule]
        raise AssertionError(expr)

    def _several(self, expr: Alt | Seq, binds: int, *, split: bool) -> str:
        inside = int(isinstance(expr, Seq))
        if binds > inside and self.depth == _NESTING:
            return self._apart(expr, split=split)
        self.depth += 1
        parts = [self.write(part, inside + 1, split=split) for part in children(expr)]
        self.depth -= 1
        text = (" " if inside else " | ").join(parts)
        return f"({text})" if binds > inside else text

    def _apart(self, expr: Expr, *, split: bool) -> str:
        """The expression as a definition of its own, written later."""
        name = f"{'r' if split else 'T'}{len(self.pending)}"
        self.pending.append((name, expr, split))
        return name

    def _repeat(self, expr: Repeat, *, split: bool) -> str:
        inner = expr.item
        item = (
            self._apart(inner, split=split)
            if isinstance(inner, Repeat)
            else self.write(inner, 3, split=split)
        )
        short = {(0, 1): "?", (0, None): "*", (1, None): "+"}.get((expr.least, expr.most))
        return item + (short or f"{{{expr.least},{'' if expr.most is None else expr.most}}}")

    def _literal(self, text: str, binds: int, *, split: bool) -> str:
        if not split or len(text) < 2:
            return _quoted((text,))
        spelled = " ".join(map(_quoted, text))
        return f"({spelled})" if binds > 1 else spelled


def _quoted(texts: Iterable[str]) -> str:
    """Literals with bars between; one call for all, because Γ changes on every keystroke."""
    joined = json.dumps(list(texts), ensure_ascii=False, separators=(" | ", ":"))[1:-1]
    return joined.replace("\x7f", "\\u007f")


def _class(expr: CharClass) -> str:
    if not expr.ranges:
        return "/(?s:.)/"
    ranges = "".join(f"\\x{{{low:X}}}-\\x{{{high:X}}}" for low, high in expr.ranges)
    return f"/[{'^' if expr.negated else ''}{ranges}]/"
