"""Typed holes: where they are, what sort fits, and Γ there."""

from __future__ import annotations

from dataclasses import dataclass

from gproj_lsp.environment import Environment
from gproj_lsp.syntax import HoleMark
from gproj_lsp.text import Span

__all__ = ["Hole"]


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
