"""Statements that can't be read as they stand: still being typed, or with a hole that no name can stand for.

The rest of the resolver reads a whole text by sqlglot. It hands that reading to this module as a `Read`, and calls

    found = read(statement.filled, vague)                      # vague: its holes and opaque spans
    if found is None:                                          # sqlglot can't read it
        return resolve(statement, environment, world, read, effect)
    if not statement.complete:                                 # it can, but text that is still to come may change names
        found = tentative(statement, found, world)

and, from `frames_at` and `expectation_at` of a text that sqlglot did read, for an offset at which no name stands,

    probe(statement, offset, read)                             # a Glimpse: what a name typed there would be

Nothing here raises on any text, and nothing here calls a reference a ghost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gproj_lsp.environment import Environment, Frame
from gproj_lsp.resolve import Effect, Expectation, Resolution, World
from gproj_lsp.resolvers.sql.tentative import tentative
from gproj_lsp.syntax import Statement
from gproj_lsp.text import Span

__all__ = ["Glimpse", "Read", "probe", "resolve", "tentative"]

Read = Callable[[str, tuple[Span, ...]], Resolution | None]
"""Resolves a text as sqlglot reads it, against the Γ and the world at hand; None where sqlglot can't read it.

The spans (bytes of that text) are what stands for no name: holes, templates, dummies. No reference comes from there, but
`frames_at` and `expectation_at` answer there. `complete` statements are meant: `tentative` judges what may still change.
"""


@dataclass(frozen=True)
class Glimpse:
    """What a name typed at one place would be.

    Attributes:
        expectation: Its sort and regions.
        frames: What can be written there, outermost first.
    """

    expectation: Expectation
    frames: tuple[Frame, ...] = ()


@dataclass(frozen=True)
class _Nothing:
    """A statement of which nothing is known."""

    effect: Effect = Effect()  # noqa: RUF009  (frozen)
    references: tuple[()] = ()

    def frames_at(self, offset: int) -> tuple[Frame, ...]:
        del offset
        return ()

    def expectation_at(self, offset: int) -> Expectation:
        del offset
        return Expectation("")


def resolve(
    statement: Statement, environment: Environment, world: World, read: Read, effect: Effect | None = None
) -> Resolution:
    """Resolve a statement that sqlglot can't read as it stands.

    Args:
        statement: The statement.
        environment: Γ before it.
        world: The settings.
        read: How a repaired text is resolved.
        effect: What the statement is known to declare and drop.
    """
    del statement, environment, world, read
    return _Nothing(effect or Effect())


def probe(statement: Statement, offset: int, read: Read) -> Glimpse:
    """What a name typed at a place would be, in any statement.

    Args:
        statement: The statement.
        offset: A byte offset in it.
        read: How a text with a dummy at that place is resolved.
    """
    del statement, offset, read
    return Glimpse(Expectation(""))
