r"""Grammar → text that llama.cpp, XGrammar and every server that takes GBNF read alike."""

from __future__ import annotations

import re
from itertools import count

from gproj_lsp.gbnf.avoid import avoiding
from gproj_lsp.gbnf.factor import factored
from gproj_lsp.gbnf.tree import (
    ANY,
    Alt,
    AnyCase,
    CharClass,
    Expr,
    Grammar,
    Literal,
    Names,
    Ref,
    Region,
    Repeat,
    Seq,
    Slot,
    Word,
    lowered,
    rebuild,
    sequence,
)

__all__ = ["escape", "expanded", "portable", "render"]

_PLAIN = re.compile(r"[ !#-\[\]-~]*")
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", '"': '\\"'}
_BINDS = {Alt: 0, Seq: 1, Repeat: 2}


def escape(text: str) -> str:
    r"""The inside of a literal: printable ASCII as it is, the rest as `\n`, `\uHHHH` or `\UHHHHHHHH`.

    `\xHH` is avoided: XGrammar reads as many hexadecimal digits as there are.
    """
    if _PLAIN.fullmatch(text):
        return text
    return "".join(char if _PLAIN.fullmatch(char) else _NAMED.get(char) or _code(ord(char)) for char in text)


def _code(point: int) -> str:
    return f"\\u{point:04X}" if point < 0x10000 else f"\\U{point:08X}"


def render(grammar: Grammar) -> str:
    """The grammar as GBNF, the start rule first; `parse` gives the same grammar back.

    `Names` print as a left-factored alternation in parentheses, with helper rules where it would nest too deeply, so what
    comes back for those is an equal language, not an equal tree.
    """
    plain = expanded(grammar)
    order = [plain.start, *(name for name in plain.rules if name != plain.start)]
    return "".join(f"{name} ::= {_text(plain.rules[name], 0)}\n" for name in order)


def portable(grammar: Grammar) -> Grammar:
    """The same language without `.`, which XGrammar does not know."""

    def spelled(leaf: Expr) -> Expr:
        return CharClass(((0, 0x10FFFF),)) if leaf == ANY else leaf

    rules = {name: rebuild(rule, spelled) for name, rule in grammar.rules.items()}
    return Grammar(rules, grammar.start, grammar.closed)


def expanded(grammar: Grammar) -> Grammar:
    """The same language without `Names`, `AnyCase` and `Word`: each becomes a tree, and helper rules below it."""
    rules: dict[str, Expr] = {}
    for name, rule in grammar.rules.items():
        rules.update(_expanded(name, rule, grammar))
    return Grammar(rules, grammar.start)


def _expanded(name: str, rule: Expr, grammar: Grammar) -> dict[str, Expr]:
    helpers: dict[str, Expr] = {}

    def fresh() -> str:
        return _fresh(name, grammar, helpers)

    def replace(leaf: Expr) -> Expr:
        if isinstance(leaf, Names):
            top, rest = factored(leaf.texts, fresh)
        elif isinstance(leaf, AnyCase):
            top, rest = factored(map(lowered, leaf.texts), fresh)
            top, rest = rebuild(top, _cased), {name: rebuild(rule, _cased) for name, rule in rest.items()}
        elif isinstance(leaf, Word):
            top, rest = avoiding(leaf, fresh)
        else:
            return leaf
        helpers.update(rest)
        return top

    return {name: rebuild(rule, replace), **helpers}


def _cased(leaf: Expr) -> Expr:
    """A text in lower case as it may be written in any."""
    if not isinstance(leaf, Literal):
        return leaf
    return sequence(tuple(_letter(char) for char in leaf.text))


def _letter(char: str) -> Expr:
    if not ("a" <= char <= "z"):
        return Literal(char)
    return CharClass(((ord(char.upper()),) * 2, (ord(char),) * 2))


def _fresh(name: str, grammar: Grammar, taken: dict[str, Expr]) -> str:
    names = (f"{name}-{number}" for number in count(len(taken) + 1))
    fresh = next(each for each in names if each not in grammar.rules and each not in taken)
    taken[fresh] = Literal("")  # reserves the name until its rule is known
    return fresh


def _text(expr: Expr, binds: int) -> str:
    """The expression; in parentheses where it binds more loosely than its place needs."""
    if isinstance(expr, Alt):
        text = " | ".join(_text(choice, 1) for choice in expr.choices)
    elif isinstance(expr, Seq):
        text = " ".join(_text(item, 2) for item in expr.items)
    elif isinstance(expr, Repeat):
        text = _text(expr.item, 3) + _count(expr.least, expr.most)
    else:
        return _atom(expr)
    return text if _BINDS[type(expr)] >= binds else f"({text})"


def _atom(expr: Expr) -> str:
    if isinstance(expr, Literal):
        return f'"{escape(expr.text)}"'
    if isinstance(expr, CharClass):
        return _class(expr)
    if isinstance(expr, Ref):
        return expr.rule
    if isinstance(expr, Slot):
        return f"%{expr.name}%"
    if isinstance(expr, Region):
        return f"@{expr.name}@"
    raise AssertionError(expr)


def _count(least: int, most: int | None) -> str:
    short = {(0, 1): "?", (0, None): "*", (1, None): "+"}.get((least, most))
    if short:
        return short
    if most == least:
        return f"{{{least}}}"
    return f"{{{least},{'' if most is None else most}}}"


def _class(expr: CharClass) -> str:
    if not expr.ranges and expr.negated:
        return "."
    ranges = "".join(
        _member(low) if low == high else f"{_member(low)}-{_member(high)}" for low, high in expr.ranges
    )
    return f"[{'^' if expr.negated else ''}{ranges}]"


def _member(point: int) -> str:
    char = chr(point)
    if char.isascii() and (char.isalnum() or char in " _.,:;/+*()<>=!#$%&@~{}|'?`"):
        return char
    return _NAMED[char] if char in "\n\r\t\\" else _code(point)
