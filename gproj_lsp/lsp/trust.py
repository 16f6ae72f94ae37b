"""Which folders the user trusts. What an untrusted folder's gproj.toml says leads nowhere (`gproj_lsp.settings.load`)."""

from __future__ import annotations

import json
from pathlib import Path

from gproj_lsp.document import write_atomically

__all__ = ["TrustStore"]


class TrustStore:
    """The folders that the user said to trust, in a file of the user's own; a folder covers what is in it.

    Args:
        path: The file; it need not be there.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def holds(self, folder: Path) -> bool:
        """Whether a folder, or one that it lies in, is trusted."""
        real = folder.resolve()
        return any(real.is_relative_to(each) for each in self._folders())

    def add(self, folder: Path) -> None:
        """Trust a folder from now on.

        Raises:
            OSError: The file can't be written.
        """
        known = {str(each) for each in self._folders()} | {str(folder.resolve())}
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(self._path, (json.dumps({"trusted": sorted(known)}, indent=2) + "\n").encode())

    def _folders(self) -> list[Path]:
        try:
            found = json.loads(self._path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return []  # absent or damaged: nothing is trusted
        listed = found.get("trusted") if isinstance(found, dict) else None
        return [Path(each) for each in listed if isinstance(each, str)] if isinstance(listed, list) else []
