"""A document on disk: read strictly, replaced atomically, never half-written.

Text that is not UTF-8 would be shown, analysed and written back wrong, so it is refused with the place of the first bad byte.
"""

from __future__ import annotations

import errno
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from gproj_lsp.errors import InputError
from gproj_lsp.text import LineIndex

__all__ = ["Document", "at_home", "decode", "read", "replace", "write_atomically"]

_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Document:
    """One text and where it came from.

    Attributes:
        path: The file; where text came from standard input, the file it stands for.
        label: The path as messages show it.
        text: The text without a byte order mark; line ends are as in the file.
        data: The bytes as read, by which `replace` sees whether the file has changed since.
    """

    path: Path
    label: str
    text: str
    data: bytes

    @property
    def mark(self) -> str:
        """The byte order mark that the file begins with, or nothing."""
        return "\ufeff" if self.data.startswith(_BOM) else ""


def at_home(text: str) -> Path:
    """The path, with the home folder for `~`; as it is said where nobody has such a home."""
    return Path(os.path.expanduser(text))  # noqa: PTH111  (Path's own raises where there is no home)


def read(path: Path, label: str = "") -> Document:
    """The document at `path`.

    Raises:
        InputError: It is absent, a folder, unreadable or not text; `place` names it, and where it helps line and column.
    """
    shown = label or str(path)
    try:
        data = path.read_bytes()
    except IsADirectoryError as error:
        raise InputError("is a folder, and one file is needed", place=shown) from error
    except FileNotFoundError as error:
        raise InputError("no such file", place=shown) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"can't be read: {reason[:1].lower()}{reason[1:]}", place=shown) from error
    return decode(data, path, shown)


def decode(data: bytes, path: Path, label: str) -> Document:
    """The document that consists of these bytes.

    Raises:
        InputError: They are not UTF-8 text; `place` has line and column.
    """
    body = data.removeprefix(_BOM)
    if data.startswith(_UTF16):
        raise InputError("is UTF-16", place=label, mend="save it as UTF-8")
    if (nul := body.find(b"\0")) >= 0:
        raise InputError("a NUL byte: this is not a text file", place=f"{label}:{LineIndex(body).place(nul)}")
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        place = f"{label}:{LineIndex(body).place(error.start)}"
        byte = body[error.start]
        raise InputError(
            f"byte 0x{byte:02x} is not UTF-8", place=place, mend="save the file as UTF-8"
        ) from error
    return Document(path, label, text, data)


def replace(document: Document, text: str) -> None:
    """Put `text` in the document's place, whole or not at all.

    A symbolic link stays one, the file's mode is kept, and so is its byte order mark.

    Raises:
        InputError: The file changed since it was read, or can't be written; nothing was written.
    """
    target = Path(os.path.realpath(document.path))
    if read(target, document.label).data != document.data:
        raise InputError(
            "changed since it was read; nothing was written", place=document.label, mend="run it again"
        )
    try:
        write_atomically(target, (document.mark + text).encode())
    except OSError as error:
        raise InputError(f"can't be written: {error.strerror or error}", place=document.label) from error


def write_atomically(target: Path, data: bytes) -> None:
    """Write a file whole or not at all, keeping the mode of one that is there, and a link that leads to it.

    What is no file (`/dev/stdout`, a pipe) is written to and never replaced.

    Raises:
        OSError: It can't be written, or is read-only; what was there is untouched.
    """
    target = Path(os.path.realpath(target))
    if target.exists() and not target.is_file():
        target.write_bytes(data)
        return
    mode = target.stat().st_mode & 0o7777 if target.exists() else None
    if mode is not None and not (mode & 0o222 and os.access(target, os.W_OK)):
        # A file can be replaced in a folder that may be written to; whoever made it read-only did not want that.
        raise PermissionError(errno.EACCES, "the file is read-only", str(target))
    written = target.with_name(f".gproj-{secrets.token_hex(8)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    # A new file is as open as the user's umask lets it be; one that replaces another is so only when it is whole.
    handle = os.open(written, flags, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            written.chmod(mode)
        written.replace(target)
    except BaseException:
        written.unlink(missing_ok=True)
        raise
