r"""Text → grammar.

What llama.cpp reads is read the same; beyond it, rules need not be separated by line breaks (a rule starts at `name ::=`), so a
long alternation may start its lines with `|`. What llama.cpp would refuse (or crash on) is refused here, with its place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gproj_lsp.errors import GrammarError
from gproj_lsp.gbnf.language import check
from gproj_lsp.gbnf.tree import (
    ANY,
    NESTING,
    CharClass,
    Expr,
    Grammar,
    Literal,
    Ref,
    Region,
    Repeat,
    Slot,
    alternation,
    sequence,
)

__all__ = ["REPETITIONS", "parse"]

REPETITIONS = 2_000
"""The largest bound in `{m,n}`; llama.cpp refuses more."""

_TOKEN = re.compile(
    r"""
      (?P<space>    [ \t\r\n]+ | \#[^\n]*)
    | (?P<rule>     [A-Za-z][A-Za-z0-9-]* (?=[ \t]* ::=))
    | (?P<name>     [A-Za-z][A-Za-z0-9-]*)
    | (?P<defines>  ::=)
    | (?P<literal>  "(?:[^"\\\r\n]|\\.)*")
    | (?P<chars>    \[(?:[^\]\\\r\n]|\\.)*\])
    | (?P<slot>     %[A-Za-z][A-Za-z0-9_-]*%)
    | (?P<region>   @[A-Za-z][A-Za-z0-9_-]*@)
    | (?P<count>    \{[^{}\r\n]*\})
    | (?P<mark>     [|()?*+.])
    """,
    re.VERBOSE,
)
_COUNT = re.compile(r"\{\s*(\d{1,9})\s*(?:(,)\s*(\d{1,9})?\s*)?\}")
_CHAR = re.compile(r"\\x([0-9A-Fa-f]{2})|\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})|\\(.)|([^\\])", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"', "[": "[", "]": "]"}
_REPEATS: dict[str, tuple[int, int | None]] = {"?": (0, 1), "*": (0, None), "+": (1, None)}


def parse(text: str, place: str = "", *, start: str = "root") -> Grammar:
    r"""The grammar that a GBNF text denotes.

    Literals know the escapes `\n \r \t \\ \" \[ \] \xHH \uHHHH \UHHHHHHHH`.

    Args:
        text: The GBNF.
        place: The file it comes from, for messages; `path` or `path:line` of its first line.
        start: The rule to start at.

    Raises:
        GrammarError: With `file:line:column`: it does not parse, nests deeper than `NESTING`, names a rule that is not
            there, defines one twice, or is left-recursive.
    """
    reader = _Reader(text, place)
    rules = reader.read()
    grammar = Grammar(rules, start)
    check(grammar, lambda rule: reader.where(reader.starts.get(rule, 0)))
    return grammar


@dataclass
class _Group:
    """One open parenthesis, or the rule itself: finished choices and the sequence being read."""

    at: int
    choices: list[Expr] = field(default_factory=list)
    items: list[Expr] = field(default_factory=list)
    stacked: int = 0  # repetitions on the last item

    def close_choice(self) -> None:
        self.choices.append(sequence(tuple(self.items)))
        self.items = []
        self.stacked = 0

    def close(self) -> Expr:
        self.close_choice()
        return alternation(tuple(self.choices))


class _Reader:
    def __init__(self, text: str, place: str) -> None:
        self.text = text
        self.place = place
        self.starts: dict[str, int] = {}
        self.rules: dict[str, Expr] = {}
        self.rule = ""
        self.groups: list[_Group] = []

    def where(self, at: int) -> str:
        """`file:line:column` of an index; a line in `place` is the text's first."""
        path, _, first = self.place.rpartition(":")
        if not (path and first.isdigit()):
            path, first = self.place, "1"
        line = self.text.count("\n", 0, at) + int(first)
        column = at - (self.text.rfind("\n", 0, at) + 1) + 1
        return f"{path or 'grammar'}:{line}:{column}"

    def error(self, message: str, at: int) -> GrammarError:
        return GrammarError(message, place=self.where(at))

    def read(self) -> dict[str, Expr]:
        at, end = 0, len(self.text)
        expects_defines = False
        while at < end:
            match = _TOKEN.match(self.text, at)
            if match is None:
                raise self.error(self._unreadable(at), at)
            kind, token = match.lastgroup or "", match[0]
            if kind != "space":
                self._token(kind, token, at, expects_defines=expects_defines)
                expects_defines = kind == "rule"
            at = match.end()
        self._finish(end)
        return self.rules

    def _token(self, kind: str, token: str, at: int, *, expects_defines: bool) -> None:
        if expects_defines:  # the lookahead of `rule` saw it
            return
        if kind == "rule":
            self._begin(token, at)
        elif not self.groups:
            raise self.error(f"expected `name ::=`, found {token[:20]!r}", at)
        elif kind == "mark":
            self._mark(token, at)
        elif kind == "count":
            self._repeat(*self._counts(token, at), at)
        elif kind == "defines":
            raise self.error("`::=` without a rule name before it", at)
        else:
            self._item(self._atom(kind, token, at))

    def _begin(self, name: str, at: int) -> None:
        self._finish(at)
        if name in self.starts:
            raise self.error(f"rule {name} is defined twice", at)
        self.rule = name
        self.starts[name] = at
        self.groups = [_Group(at)]

    def _finish(self, at: int) -> None:
        if not self.groups:
            if self.rule or at < len(self.text):
                return
            raise self.error("the grammar has no rules", 0)
        if len(self.groups) > 1:
            raise self.error("this parenthesis is never closed", self.groups[-1].at)
        self.rules[self.rule] = self.groups.pop().close()

    def _item(self, expr: Expr) -> None:
        self.groups[-1].items.append(expr)
        self.groups[-1].stacked = 0

    def _mark(self, mark: str, at: int) -> None:
        if mark == "|":
            self.groups[-1].close_choice()
        elif mark == "(":
            if len(self.groups) > NESTING:
                raise self.error(f"parentheses nest deeper than {NESTING}", at)
            self.groups.append(_Group(at))
        elif mark == ")":
            if len(self.groups) == 1:
                raise self.error("no parenthesis is open here", at)
            self._item(self.groups.pop().close())
        elif mark == ".":
            self._item(ANY)
        else:
            self._repeat(*_REPEATS[mark], at)

    def _repeat(self, least: int, most: int | None, at: int) -> None:
        group = self.groups[-1]
        if not group.items:
            raise self.error("nothing before this to repeat", at)
        group.stacked += 1
        if group.stacked > 2:
            raise self.error("more than two repetitions on one item", at)
        group.items[-1] = Repeat(group.items[-1], least, most)

    def _counts(self, token: str, at: int) -> tuple[int, int | None]:
        match = _COUNT.fullmatch(token)
        if match is None:
            raise self.error(f"expected {{m}}, {{m,}} or {{m,n}}, found {token[:20]}", at)
        least = int(match[1])
        most = (int(match[3]) if match[3] else None) if match[2] else least
        if max(least, most or 0) > REPETITIONS:
            raise self.error(f"a repetition is bounded by {REPETITIONS:,}", at)
        if most is not None and most < least:
            raise self.error(f"{{{least},{most}}} ends before it starts", at)
        return least, most

    def _atom(self, kind: str, token: str, at: int) -> Expr:
        if kind == "name":
            return Ref(token)
        if kind == "literal":
            return Literal("".join(self._chars(token[1:-1], at + 1)))
        if kind == "chars":
            return self._class(token, at)
        return Slot(token[1:-1]) if kind == "slot" else Region(token[1:-1])

    def _class(self, token: str, at: int) -> CharClass:
        negated = token.startswith("[^")
        skip = 2 if negated else 1
        body = token[skip:-1]
        pieces = [match[0] for match in _CHAR.finditer(body)]
        chars = list(self._chars(body, at + skip))
        ranges: list[tuple[int, int]] = []
        i = 0
        while i < len(chars):
            if i + 2 < len(chars) and pieces[i + 1] == "-":
                low, high = ord(chars[i]), ord(chars[i + 2])
                if low > high:
                    raise self.error(f"the range {pieces[i]}-{pieces[i + 2]} ends before it starts", at)
                ranges.append((low, high))
                i += 3
            else:
                ranges.append((ord(chars[i]), ord(chars[i])))
                i += 1
        if not ranges and not negated:
            raise self.error("an empty character class matches nothing", at)
        return CharClass(tuple(ranges), negated)

    def _chars(self, body: str, at: int) -> list[str]:
        chars: list[str] = []
        for match in _CHAR.finditer(body):
            here = at + match.start()
            digits = match[1] or match[2] or match[3]
            if digits:
                chars.append(self._point(int(digits, 16), here))
            elif match[4] is not None:
                if match[4] not in _ESCAPES:
                    raise self.error(f"unknown escape \\{match[4]}", here)
                chars.append(_ESCAPES[match[4]])
            else:
                chars.append(self._point(ord(match[5]), here))
        return chars

    def _point(self, point: int, at: int) -> str:
        if point > 0x10FFFF or 0xD800 <= point <= 0xDFFF:
            raise self.error(f"U+{point:04X} is not a character", at)
        return chr(point)

    def _unreadable(self, at: int) -> str:
        char = self.text[at]
        if char == '"':
            return "this string is never closed"
        if char == "[":
            return "this character class is never closed"
        if char in "%@":
            return f"expected {char}name{char}"
        return f"unexpected character {char!r}"
