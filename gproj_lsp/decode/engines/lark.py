"""Grammar → the Lark dialect that llguidance reads.

llguidance splits text into lexemes as it goes and never takes a split back. What is not recursive becomes one terminal, a
regular expression, inside which nothing is split. Where a grammar is recursive, terminals meet. White space that is a rule of
its own parts them, as in any lexer; if a longer lexeme could swallow what should have begun the next one all the same
(`lexemes.clash`), the whole grammar is written in one-character literals instead: slower to compile, never wrong.
"""

from __future__ import annotations

import json
import re
from functools import cached_property, lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

from gproj_lsp.decode.engines.lexemes import Lexemes
from gproj_lsp.decode.engines.shape import Shape, shape_of
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
    from collections.abc import Iterable, Mapping

__all__ = ["lark_text"]

_NESTING = 8
"""How deep groups nest in one definition; llguidance refuses more than some 30."""

_KEPT = 64

_OPTIONS = '%llguidance { "no_forcing": true }\n'
"""Without it a mask admits one token only wherever the text is forced, and that token is not the model's own choice."""


def lark_text(grammar: Grammar) -> str:
    """The grammar for llguidance; equal languages, whatever the names hold.

    Args:
        grammar: Admitted: no slots, regions or unknown rules.
    """
    shape = shape_of(grammar)
    if not (_is_recursive(shape) if shape.sound else grammar.start in recursive(grammar.rules)):
        return _Writer(grammar, frozenset()).text()
    for joined in (True, False):
        skeleton = _skeleton(shape, joined) if shape.sound else _Skeleton(grammar, frozenset(), joined=joined)
        if not skeleton.lexemes.clash(grammar.rules):
            return skeleton.text(grammar.rules)
    return _characters(grammar)


@lru_cache(maxsize=_KEPT)
def _is_recursive(shape: Shape) -> bool:
    """Whether the start rule is recursive in the grammars of a shape."""
    return shape.start in recursive(shape.sketched.rules)


@lru_cache(maxsize=_KEPT)
def _skeleton(shape: Shape, joined: bool) -> _Skeleton:  # noqa: FBT001  (the key of a cache)
    lists = frozenset(name for name, sketched in shape.listed if not isinstance(sketched, Word))
    words = frozenset(name for name, _ in shape.listed) - lists
    return _Skeleton(shape.sketched, lists, words, joined=joined, cased=shape.cased)


class _Skeleton:
    """A recursive grammar written for llguidance but for its names.

    Attributes:
        lexemes: Its lexemes, to be asked whether they clash.
    """

    def __init__(
        self,
        grammar: Grammar,
        lists: frozenset[str],
        words: frozenset[str] = frozenset(),
        *,
        joined: bool,
        cased: bool = True,
    ) -> None:
        parting = _Parting(grammar, joined=joined)
        self.lexemes = Lexemes(parting.grammar, parting.rules_of_their_own, lists, cased=cased)
        self._writer = _Writer(parting.grammar, parting.rules_of_their_own)
        self._left_out = lists | words

    @cached_property
    def _written(self) -> str:
        return self._writer.text(without=self._left_out)

    def text(self, rules: Mapping[str, Expr]) -> str:
        """The whole with the names of the rules."""
        names = (f"{self._writer.names[name]}: {_listed(rules[name])}\n" for name in sorted(self._left_out))
        return self._written + "".join(names)


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

    def text(self, without: frozenset[str] = frozenset()) -> str:
        """All of it, without the definitions of some terminals."""
        lines = [_OPTIONS, f"start: {self.names[self.grammar.start]}\n"]
        self.pending = [
            (self.names[name], rule, name in self.rules)
            for name, rule in self.grammar.rules.items()
            if name not in without
        ]
        for name, rule, split in self.pending:  # grows where expressions are deep
            text = _listed(rule) if isinstance(rule, Word) else self.write(rule, 0, split=split)
            lines.append(f"{name}: {text}\n")
        return "".join(lines)

    def write(self, expr: Expr, binds: int, *, split: bool) -> str:
        if isinstance(expr, (Alt, Seq)):
            return self._several(expr, binds, split=split)
        if isinstance(expr, Repeat):
            return self._repeat(expr, split=split)
        if isinstance(expr, Names | AnyCase):
            text = _listed(expr)
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


def _listed(rule: Expr) -> str:
    """The words of a list, or of a rule that stands open but for some."""
    if isinstance(rule, Alt):
        return " | ".join(map(_listed, rule.choices))
    if isinstance(rule, Word):
        return _word(rule)
    if isinstance(rule, AnyCase):
        return _quoted(rule.texts, "i")
    if isinstance(rule, Names):
        return _quoted(rule.texts)
    raise AssertionError(rule)


@lru_cache(maxsize=_KEPT)
def _word(word: Word) -> str:
    if word.least == 0:
        raise AssertionError(word)  # what is left of a word is never compiled
    words = f"{_class(word.first)[:-1]}{_class(word.rest)[1:-1]}{{{word.least - 1},{word.most - 1}}}/"
    avoided = [each for each in word.avoid if word.least <= len(each) <= word.most]
    return f"{words} & ~/{_tree(avoided)}/" if avoided else words


def _tree(words: Iterable[str]) -> str:
    """A regular expression for the words in any case; what they begin with is written once."""
    rests: dict[str, list[str]] = {}
    for word in sorted(words):
        rests.setdefault(word[:1], []).append(word[1:])
    parts = [_letter(char) + _tree(rest) for char, rest in rests.items() if char]
    if not parts:
        return ""
    text = parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"
    return f"(?:{text})?" if "" in rests else text


def _letter(char: str) -> str:
    return f"[{char}{char.upper()}]" if "a" <= char <= "z" else re.escape(char)


def _class(expr: CharClass) -> str:
    if not expr.ranges:
        return "/(?s:.)/"
    ranges = "".join(f"\\x{{{low:X}}}-\\x{{{high:X}}}" for low, high in expr.ranges)
    return f"/[{'^' if expr.negated else ''}{ranges}]/"
