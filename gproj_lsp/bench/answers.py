"""Answers to questions, and a file of them: what it holds is not asked again, so a run that was cut goes on where it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from gproj_lsp.document import write_atomically
from gproj_lsp.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["Answer", "Answers"]

_BEGIN = b'{"model":'
"""What every line begins with."""


@dataclass(frozen=True)
class Answer:
    """What one arm wrote for one question, judged.

    Attributes:
        model: Whose answer it is.
        task: The question's number.
        arm: Who wrote it.
        kind: The class of the reference query.
        query: What was written.
        right: Whether it gives what the reference query gives.
        executes: Whether it runs.
        ghosts: Names that are not there, by what they should be: `column`, `table`, `function`.
        quoted: Whether only reading double quotes strictly shows that a name is not there: it may be meant as a string.
        complaint: What the database says of it.
        tokens: Tokens written.
        chosen: Those of them that the model chose.
        model_calls: How often the model was asked.
        seconds: How long it took.
        free_bits: How much the model had to choose from.
        reason: Why writing came to no end, or is empty.
    """

    model: str
    task: int
    arm: str
    kind: str
    query: str
    right: bool
    executes: bool
    ghosts: tuple[str, ...]
    quoted: bool
    complaint: str
    tokens: int
    chosen: int
    model_calls: int
    seconds: float
    free_bits: float | None
    reason: str


class Answers:
    """A file of answers, one line of JSON each, that grows by every answer as it is given.

    Args:
        path: The file; it is made with the first answer.

    Attributes:
        known: What it held before.

    Raises:
        InputError: It can't be read, or holds something else.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.known = _read(path)

    def add(self, answer: Answer) -> None:
        """Write one more.

        Raises:
            InputError: It can't be written.
        """
        try:
            with self._path.open("ab") as file:
                file.write(msgspec.json.encode(answer) + b"\n")
        except OSError as error:
            raise _unusable(self._path, error) from error


def _read(path: Path) -> Sequence[Answer]:
    """The answers in a file; a last line that was cut while it was written is taken out of it."""
    try:
        *lines, rest = path.read_bytes().split(b"\n")
        lines += [rest] if rest and not _is_cut(rest) else []
        found = [msgspec.json.decode(line, type=Answer) for line in lines]
        if rest:
            write_atomically(path, b"".join(line + b"\n" for line in lines))
    except FileNotFoundError:
        return []
    except (OSError, msgspec.DecodeError) as error:
        raise _unusable(path, error) from error
    return found


def _is_cut(line: bytes) -> bool:
    """Whether a line is the beginning of an answer and no more."""
    try:
        msgspec.json.decode(line)
    except msgspec.DecodeError:
        return line.startswith(_BEGIN) or _BEGIN.startswith(line)
    return False


def _unusable(path: Path, error: Exception) -> InputError:
    mend = "name a new file, or one that this benchmark wrote"
    return InputError(f"answers can't be kept there: {error}", place=str(path), mend=mend)
