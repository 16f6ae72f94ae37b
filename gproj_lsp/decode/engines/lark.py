"""Grammar → the Lark dialect that llguidance reads.

llguidance splits text into lexemes as it goes and never takes a split back. What is not recursive becomes one terminal, a
regular expression, inside which nothing is split. Where a grammar is recursive, terminals meet. White space that is a rule of
its own parts them, as in any lexer; if a longer lexeme could swallow what should have begun the next one all the same
(`lexemes.clash`), the whole grammar is written in one-character literals instead: slower to compile, never wrong.
"""

from __future__ import annotations

import json
import re
from itertools import groupby
from typing import TYPE_CHECKING

from gproj_lsp.decode.engines.lexemes import clash
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
        parting = _Parting(grammar, joined=joined)
        if not clash(parting.grammar, parting.rules_of_their_own):
            return _Writer(parting.grammar, parting.rules_of_their_own).text()
    return _characters(grammar)


class _Parting:
    """A grammar with every non-recursive part of a recursive rule as a rule of its own: a lexeme.

    Where lexemes are `joined` they are as long as they can be, so that little is left to split; apart, what follows the first
    of two can't be mistaken for more of it so easily.
    """

    def __init__(self, grammar: Grammar, *, joined: bool) -> None:
        self.joined = joined
        blanks = frozenset(name for name, rule in grammar.rules.items() if _blank(rule))
        # What refers to blanks is no lexeme, though it may be regular; a blank itself is one.
        self.rules_of_their_own = (
            recursive({**grammar.rules, **{name: Ref(name) for name in blanks}}) - blanks
        )
        self.parted = self.rules_of_their_own | blanks
        self.lexemes: dict[Expr, Expr] = {}
        self.rules = {
            name: rule for name, rule in grammar.rules.items() if name not in self.rules_of_their_own
        }
        for name in self.rules_of_their_own:
            self.rules[name] = self._part(grammar.rules[name])
        self.grammar = Grammar(self.rules, grammar.start)

    def _lexical(self, expr: Expr) -> bool:
        return not any(isinstance(e, Ref) and e.rule in self.parted for e in walk(expr))

    def _lexeme(self, expr: Expr) -> Expr:
        """The expression as a lexeme, which is never empty where that can be helped; the same one for equal ones."""
        if isinstance(expr, Ref):
            return expr
        if isinstance(expr, Repeat) and expr.least == 0:
            return Repeat(self._lexeme(expr.item), 0, expr.most)
        found = self.lexemes.get(expr)
        if found is None:
            name = f"lexeme {len(self.rules)}"  # no rule can be named so
            self.rules[name] = expr
            found = self.lexemes[expr] = Ref(name)
        return found

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


def _blank(rule: Expr) -> bool:
    """Whether a rule is white space and nothing else."""
    return (
        isinstance(rule, CharClass)
        and not rule.negated
        and all(chr(point).isspace() for low, high in rule.ranges for point in {low, high})
    )


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
            text = _avoiding(rule) if isinstance(rule, Word) else self.write(rule, 0, split=split)
            lines.append(f"{name}: {text}\n")
        return "".join(lines)

    def write(self, expr: Expr, binds: int, *, split: bool) -> str:
        if isinstance(expr, (Alt, Seq)):
            return self._several(expr, binds, split=split)
        if isinstance(expr, Repeat):
            return self._repeat(expr, split=split)
        if isinstance(expr, Names):
            text = _quoted(expr.texts)
            return f"({text})" if binds > 0 and len(expr.texts) > 1 else text
        if isinstance(expr, AnyCase):
            text = _quoted(expr.texts, "i")
            return f"({text})" if binds > 0 and len(expr.texts) > 1 else text
        if isinstance(expr, Word):
            return self._word(expr)
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

    def _word(self, expr: Word) -> str:
        """A word as a definition of its own: only there may something be taken out of it."""
        name = f"T{len(self.pending)}"
        self.pending.append((name, expr, False))
        return name

    def _literal(self, text: str, binds: int, *, split: bool) -> str:
        if not split or len(text) < 2:
            return _quoted((text,))
        spelled = " ".join(map(_quoted, text))
        return f"({spelled})" if binds > 1 else spelled


def _quoted(texts: Iterable[str], flags: str = "") -> str:
    """Literals with bars between; one call for all, because Γ changes on every keystroke."""
    joined = json.dumps(list(texts), ensure_ascii=False, separators=(f"{flags} | ", ":"))[1:-1]
    return joined.replace("\x7f", "\\u007f") + flags


def _avoiding(word: Word) -> str:
    longest = word.most - 1
    if word.least == 0:
        raise AssertionError(word)  # what is left of a word is never compiled
    words = f"{_class(word.first)[:-1]}{_class(word.rest)[1:-1]}{{{word.least - 1},{longest}}}/"
    avoided = "|".join(map(re.escape, sorted(word.avoid)))
    return f"{words} & ~/(?i:{avoided})/" if avoided else words


def _class(expr: CharClass) -> str:
    if not expr.ranges:
        return "/(?s:.)/"
    ranges = "".join(f"\\x{{{low:X}}}-\\x{{{high:X}}}" for low, high in expr.ranges)
    return f"/[{'^' if expr.negated else ''}{ranges}]/"
