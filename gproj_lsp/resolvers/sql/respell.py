r"""What sqlglot does not read, put so that it does; every character keeps its place.

`EXPLAIN QUERY PLAN SELECT …` becomes the query behind as many spaces, `REPLACE INTO` becomes `INSERT  INTO`.
"""

from __future__ import annotations

import re

__all__ = ["respelled"]

_QUERY = r"(?=\(|(?:SELECT|WITH|VALUES|TABLE|FROM|INSERT|UPDATE|DELETE|MERGE|REPLACE|CREATE)\b)"
_FLAGS = re.IGNORECASE | re.VERBOSE

_PREFIX = re.compile(
    rf"""
    (?: (?:EXPLAIN|DESCRIBE|DESC|ANALYZE) \s+
        (?: \([^()]*\)\s* | (?:ANALY[ZS]E|VERBOSE|EXTENDED|PARTITIONS|LOGICAL|QUERY\s+PLAN|FORMAT\s*=\s*\w+)\s+ )*
      | PREPARE \s+ [\w"]+ \s* (?:\([^()]*(?:\([^()]*\)[^()]*)*\)\s*)? AS \s+
      | DECLARE \s+ [\w"]+ \s+ (?:(?:BINARY|ASENSITIVE|INSENSITIVE|NO|SCROLL)\s+)* CURSOR \s+
        (?:(?:WITH|WITHOUT)\s+HOLD\s+)? FOR \s+
      | COPY \s* \( \s* (?=SELECT\b|WITH\b|VALUES\b|INSERT\b|UPDATE\b|DELETE\b)
    )
    {_QUERY}
    """,
    _FLAGS,
)
"""Statements that carry another one behind them."""

_REPLACE = re.compile(r"REPLACE(?=\s+(?:(?:LOW_PRIORITY|DELAYED)\s+)?(?:INTO\b|[\w`\"]))", re.IGNORECASE)
_MODIFIER = re.compile(
    r"""
    (?: INSERT|DELETE|REPLACE ) \s+ (?P<words> (?:(?:LOW_PRIORITY|DELAYED|HIGH_PRIORITY|QUICK)\s+)+ )
    | UPDATE \s+ (?P<more> (?:(?:LOW_PRIORITY|IGNORE)\s+)+ | OR\s+(?:ROLLBACK|ABORT|REPLACE|FAIL|IGNORE)\s+ )
    """,
    _FLAGS,
)
_UNICODE = re.compile(r"(?<!\w)U&(?=\")", re.IGNORECASE)
_BULK = 4_000
"""From so many characters on, an INSERT's rows of literals are left out: sqlglot takes 25 ms for a thousand."""

_INSERT = re.compile(r"INSERT\b.*?\bVALUES\s*(?=\()", re.IGNORECASE | re.DOTALL)
_ROW = re.compile(
    r"""
    , \s* \( (?: [\s,+\-.\d] | '(?:[^']|'')*' | (?:[xbn](?=') | e(?=[+\-\d]))
    | (?:NULL|TRUE|FALSE|DEFAULT)\b | \? | [:@$]\w+ | %s )* \)
    """,
    _FLAGS,
)
_NUMBERED = re.compile(r"(?<=\?)\d+")


def respelled(text: str) -> str:
    """The text as sqlglot reads it, as long as it was."""
    if (prefix := _PREFIX.match(text)) is not None:
        text = _blanked(
            text,
            0,
            prefix.end(),
            closing=prefix[0].rstrip().endswith("(") and prefix[0][:4].upper() == "COPY",
        )
    start = len(text) - len(text.lstrip())
    if (modifier := _MODIFIER.match(text, start)) is not None:
        text = _blanked(text, *modifier.span(modifier.lastgroup or 0))
    if (replace := _REPLACE.match(text, start)) is not None:
        text = f"{text[: replace.start()]}INSERT {text[replace.end() :]}"
    if len(text) > _BULK and "\\" not in text and (insert := _INSERT.match(text, start)) is not None:
        head, rows = text[: insert.end()], text[insert.end() :]
        text = head + _ROW.sub(lambda row: " " * len(row[0]), rows)
    text = _UNICODE.sub("  ", text)
    return _NUMBERED.sub(lambda digits: " " * len(digits[0]), text) if "?" in text else text


def _blanked(text: str, start: int, end: int, *, closing: bool = False) -> str:
    """The text with spaces in place of a range, and of what follows the bracket that closes one opened there."""
    rest = text[end:]
    if closing:
        depth = 1
        for at, char in enumerate(rest):
            depth += (char == "(") - (char == ")")
            if depth == 0:
                rest = rest[:at] + " " * (len(rest) - at)
                break
    return text[:start] + " " * (end - start) + rest
