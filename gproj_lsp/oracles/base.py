"""What an oracle says of one statement."""

from __future__ import annotations

from dataclasses import dataclass

from gproj_lsp.errors import GprojError

__all__ = ["Judgement", "OracleUnavailableError"]


class OracleUnavailableError(GprojError):
    """The tool that should judge is not installed or does not start."""


@dataclass(frozen=True)
class Judgement:
    """An oracle's verdict on a statement.

    Attributes:
        line: The 1-based line on which the statement ends; 1 where statements are judged one by one.
        accepted: Whether the tool took the statement.
        absent: Whether it refused because a name does not exist.
        ambiguous: Whether it refused because a name could mean two things.
        code: The tool's own code (`42703`), or empty.
        message: Its message, first line.
    """

    line: int
    accepted: bool
    absent: bool = False
    ambiguous: bool = False
    code: str = ""
    message: str = ""
