"""Folders of Transformers: on this disk, in Hugging Face's own cache, or pulled into it at one commit."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from gproj_lsp.document import at_home
from gproj_lsp.errors import ModelError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["find_folder", "is_reference", "pull_folder"]

_REFERENCE = re.compile(r"hf:(?P<repo>[\w.-]+/[\w.-]+?)(?:@(?P<commit>[0-9a-f]{40}))?")
_WANTED = ("*.json", "*.safetensors", "tokenizer.model", "*.txt")
"""What is pulled: no code, and no pickles, which are code."""


def is_reference(text: str) -> bool:
    """Whether a text names a repository, with or without a commit."""
    return _REFERENCE.fullmatch(text) is not None


def find_folder(setting: str, root: Path) -> Path:
    """The folder, or the GGUF file, that `hf:` and something means; nothing is downloaded.

    Args:
        setting: `hf:` and a path, relative to `root`, or `hf:OWNER/REPOSITORY` with or without `@COMMIT`.
        root: The workspace.

    Raises:
        ModelError: It is not there.
    """
    path = root / at_home(setting.removeprefix("hf:"))
    if path.is_dir() or path.is_file():
        return path
    found = _REFERENCE.fullmatch(setting)
    if not found:
        mend = "give a folder, or hf:OWNER/REPOSITORY/FILE.gguf@SHA256 for a single file"
        raise ModelError("there is no such model", place=setting, mend=mend)
    pinned = setting if found["commit"] else f"{setting}@COMMIT"
    try:
        return _snapshot(found["repo"], found["commit"], local=True)
    except (OSError, ValueError) as error:
        raise ModelError(
            "this model was not pulled yet", place=setting, mend=f"gproj-lsp model pull {pinned}"
        ) from error


def pull_folder(reference: str) -> Path:
    """Download `hf:OWNER/REPOSITORY@COMMIT` into Hugging Face's cache; a commit never changes.

    Raises:
        ModelError: There is no commit in the reference, or the download failed.
    """
    found = _REFERENCE.fullmatch(reference)
    if not found or not found["commit"]:
        mend = "write hf:OWNER/REPOSITORY@COMMIT with all 40 digits, or hf:OWNER/REPOSITORY/FILE.gguf@SHA256"
        raise ModelError("not a reference to one state of a model", place=reference, mend=mend)
    try:
        return _snapshot(found["repo"], found["commit"], local=False)
    except (OSError, ValueError) as error:
        said = str(error).strip().splitlines()
        raise ModelError(
            f"the download failed: {said[0] if said else type(error).__name__}",
            place=reference,
            mend="check the name, the commit and the network",
        ) from error


def _snapshot(repository: str, commit: str | None, *, local: bool) -> Path:
    hub = _hub()
    patterns = list(_WANTED)
    folder = hub.snapshot_download(
        repository, revision=commit, allow_patterns=patterns, local_files_only=local
    )
    return Path(folder)


def _hub() -> ModuleType:
    try:
        import huggingface_hub  # noqa: PLC0415  (only who runs such models has it)
    except ImportError as error:
        raise ModelError("Transformers is not installed", mend='pip install "gproj-lsp[hf]"') from error
    return huggingface_hub
