"""Typed holes: where they are, what sort fits, and Γ there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gproj_lsp.environment import Environment
from gproj_lsp.resolve import Resolution
from gproj_lsp.surface import Surface
from gproj_lsp.syntax import HoleMark, Statement
from gproj_lsp.text import Span

__all__ = ["Hole", "holes_of", "inside", "pinned"]


@dataclass(frozen=True)
class Hole:
    """A place to fill (paper, definition 1): a sort, Γ at that point and the region path ρ.

    Attributes:
        span: Its bytes in the document.
        mark: As written.
        sort: Explicit, or inferred from the position; empty where neither tells.
        environment: Γ at the hole, frames of its statement included.
        region: ρ, outermost first.
        statement: The bytes of the statement around it.
    """

    span: Span
    mark: HoleMark
    sort: str
    environment: Environment
    region: tuple[str, ...]
    statement: Span


def holes_of(
    statement: Statement, start: int, resolution: Resolution, environment: Environment, surface: Surface
) -> Iterator[Hole]:
    """The holes of one statement.

    Args:
        statement: The statement.
        start: The byte of the document it begins at.
        resolution: What is known of it.
        environment: Γ before it.
        surface: Whose sorts the holes name; a sort it does not have leaves the hole without one.
    """
    around = Span(start, start + len(statement.data))
    for mark in statement.holes:
        expected = resolution.expectation_at(mark.span.start)
        named = surface.sort(mark.sort) if mark.sort else None
        sort = (named.name if named else "") if mark.sort else expected.sort
        here = inside(resolution, environment, mark.span.start)
        yield Hole(mark.span.shift(start), mark, sort, here, expected.region, around)


def pinned(hole: Hole, surface: Surface) -> str:
    """The one name a hole must get, or empty: a labelled declaration declares its label."""
    spec = surface.sorts.get(hole.sort)
    return hole.mark.name if spec is not None and spec.declares else ""


def inside(resolution: Resolution, environment: Environment, offset: int) -> Environment:
    """Γ at a byte of a statement, from Γ before it."""
    for frame in resolution.frames_at(offset):
        environment = environment.push(frame)
    return environment
