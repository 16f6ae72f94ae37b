"""Ways to have a model write a query for a question: under a mask, or free, with what people do instead of one.

All see the same prompt: what is declared, one line an owner, then the question as a comment and the query's first word.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from gproj_lsp.decode.free import freely
from gproj_lsp.decode.schema import head
from gproj_lsp.environment import Environment, Query
from gproj_lsp.errors import GprojError
from gproj_lsp.text import encode

if TYPE_CHECKING:
    from gproj_lsp.decode.complete import Completer, Reader
    from gproj_lsp.decode.context import Context
    from gproj_lsp.surface import Surface

__all__ = ["Listed", "Masked", "Plain", "Question", "Retrying", "Writer", "Written"]

BUDGET = 144
"""Tokens that one query may take, in every way of writing; the longest reference of Spider's has 134."""
RETRIES = 4
_ENDS = (";", "\n\n", "\n--", "```")
"""Where a free text is taken to end; what else a model would say is no part of its query."""
_BEGIN = "SELECT"


@dataclass(frozen=True)
class Question:
    """What a query is wanted for.

    Attributes:
        text: The question.
        world: Γ without any text.
        reader: Analyses texts over that world.
        complain: What the database says of a query; empty where it runs.
        number: Tells questions apart; seeds what is drawn.
    """

    text: str
    world: Environment
    reader: Reader
    complain: Callable[[str], str]
    number: int = 0

    def document(self, surface: Surface) -> str:
        """The question as a comment, and the query's first word."""
        return f"{surface.comment} {' '.join(self.text.split())}\n{_BEGIN}"


@dataclass(frozen=True)
class Written:
    """A query and what it cost.

    Attributes:
        query: The query; what there is of it where writing came to no end.
        tokens: Tokens written, those of attempts that were given up included.
        chosen: Those that the model chose; the others were the only ones possible.
        model_calls: How often the model was asked.
        seconds: How long it took.
        free_bits: How much the model had to choose from; None where nothing bounded it.
        reason: Why it came to no end, or is empty.
    """

    query: str
    tokens: int
    chosen: int
    model_calls: int
    seconds: float
    free_bits: float | None = None
    reason: str = ""


class Writer(Protocol):
    """One way of writing."""

    def write(self, question: Question) -> Written:
        """Write a query."""
        ...


@dataclass(frozen=True)
class Masked:
    """Writes under a mask, at the rung of its completer.

    Attributes:
        completer: What writes.
        surface: The language.
    """

    completer: Completer
    surface: Surface

    def write(self, question: Question) -> Written:
        """Write a query; where nothing can be written, it stays at its first word and the reason is told."""
        began = time.perf_counter()
        document = question.document(self.surface)
        try:
            found = self.completer.complete(document, len(encode(document)), question.reader)
        except GprojError as error:
            return Written(_BEGIN, 0, 0, 0, time.perf_counter() - began, None, error.message)
        return Written(
            _ended(_BEGIN + found.text),
            found.ledger.tokens,
            found.ledger.steps,
            found.ledger.model_calls,
            time.perf_counter() - began,
            found.ledger.free_bits,
            found.reason,
        )


@dataclass(frozen=True)
class Plain:
    """Writes whatever the model likes best, token by token.

    Attributes:
        context: The model.
        surface: How the world is told, and what a comment looks like.
    """

    context: Context
    surface: Surface

    def write(self, question: Question) -> Written:
        """Write a query."""
        document = question.document(self.surface)
        return self.go_on(head(self.surface, question.world, document) + document)

    def go_on(self, prompt: str) -> Written:
        """Write on after a prompt that ends with a query's first word.

        Raises:
            ModelError: The prompt does not fit, or the model failed.
        """
        began = time.perf_counter()
        calls = self.context.calls
        found = freely(self.context, encode(prompt), _ENDS, BUDGET)
        return Written(
            _ended(_BEGIN + found.text),
            found.tokens,
            found.tokens,
            self.context.calls - calls,
            time.perf_counter() - began,
            None,
            "the budget is used up" if found.tokens == BUDGET else "",
        )


@dataclass(frozen=True)
class Listed:
    """Writes freely after a prompt that also lists the names that may be used.

    Attributes:
        plain: What writes.
    """

    plain: Plain

    def write(self, question: Question) -> Written:
        """Write a query."""
        surface = self.plain.surface
        document = question.document(surface)
        told = head(surface, question.world, document) + self._names(question.world) + document
        return self.plain.go_on(told)

    def _names(self, world: Environment) -> str:
        comment = self.plain.surface.comment
        lines = [f"{comment} Use only the tables and columns that exist:\n"]
        members: dict[str, list[str]] = {}
        for column in world.names(Query.of("Column")):
            members.setdefault(column.attrs.get("table", column.owner), []).append(column.spelling)
        lines += [f"{comment} {owner}: {', '.join(names)}\n" for owner, names in members.items()]
        return "".join(lines)


@dataclass(frozen=True)
class Retrying:
    """Writes freely, and again where the database complains, with the complaint in the prompt.

    Attributes:
        plain: What writes.
        retries: How often at most.
    """

    plain: Plain
    retries: int = RETRIES

    def write(self, question: Question) -> Written:
        """Write a query; the last one where all of them fail."""
        surface = self.plain.surface
        document = question.document(surface)
        prompt = head(surface, question.world, document) + document
        written = self.plain.go_on(prompt)
        tokens, calls, seconds = written.tokens, written.model_calls, written.seconds
        for _ in range(self.retries):
            complaint = question.complain(written.query)
            if not complaint:
                break
            failed = written.query[len(_BEGIN) :]
            prompt += (
                f"{failed};\n{surface.comment} Error: {complaint}\n{surface.comment} Corrected:\n{_BEGIN}"
            )
            written = self.plain.go_on(prompt)
            tokens += written.tokens
            calls += written.model_calls
            seconds += written.seconds
        return Written(written.query, tokens, tokens, calls, seconds, None, written.reason)


def _ended(text: str) -> str:
    """A text up to where it is taken to end."""
    ends = [at for at in map(text.find, _ENDS) if at >= 0]
    return text[: min(ends, default=len(text))].rstrip()
