"""What follows from the names at a place about tiles: how extents are cut, which shapes tiles have, and what they are parts of.

These are texts that stand for nothing by themselves, made of names that are declared. Which part cuts an extent is told by the
loops over it; else by its name, in which the extent's is a word (`block_M`); else every part may. What results are written to
is the last tensor, as is usual.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from gproj_lsp.environment import DERIVED, Binding

__all__ = ["Tiles"]

_MOST = 32
"""So many texts of a kind; where there are more, too little is known."""
_BLOCKS = re.compile(r"[\w.]*ceildiv\((?P<all>\w+),(?P<size>\w+)\)\Z")


@dataclass(frozen=True)
class Tiles:
    """The names at a place, by what they are.

    Attributes:
        tensors: What lies in global memory, in the order of the text, with the state of each.
        buffers: What was allocated.
        wholes: The extents of tensors.
        parts: What such an extent can be cut into.
        loops: What the loops around count with.
    """

    tensors: Sequence[Binding]
    buffers: Sequence[Binding]
    wholes: Sequence[str]
    parts: Sequence[str]
    loops: Sequence[Binding]

    @classmethod
    def among(cls, names: Sequence[Binding]) -> Tiles:
        """Those among the names that can be read."""
        buffers = [each for each in names if each.sort == "Buffer"]
        dims = [each for each in names if each.sort == "Dim"]
        free = [each for each in names if each.sort == "Name" and each.attrs.get("kind") == "parameter"]
        return cls(
            [each for each in buffers if each.attrs.get("mem") == "global"],
            [each for each in buffers if each.attrs.get("mem", "global") != "global"],
            [each.name for each in dims if each.attrs.get("reach") == "whole"],
            [each.name for each in (*dims, *free) if each.attrs.get("reach") != "whole"],
            [each for each in names if each.sort == "Loop" and each.attrs.get("around") == "yes"],
        )

    def names(self) -> Iterator[Binding]:
        """All that follows."""
        yield from self._tilings()
        yield from self._shapes()
        yield from self._regions()

    def _tilings(self) -> Iterator[Binding]:
        """An extent and what cuts it: whether something counts it already, and whether results have it."""
        written = _dims(self.tensors[-1]) if self.tensors else ()
        counted = {blocks["all"] for _, blocks in self._blocks()}
        for whole in self.wholes:
            attrs = {"counted": _said(whole in counted), "written": _said(whole in written)}
            for part in self._cuts(whole)[:_MOST]:
                yield Binding(f"{whole}, {part}", "Tiling", attrs=attrs, origin=DERIVED)

    def _shapes(self) -> Iterator[Binding]:
        """The extents of a tensor's tile: whether one is still wanted, whether results have them, and whether one is full."""
        wanted = Counter(shape for tensor in self.tensors for shape in self._tiles_of(tensor))
        made = Counter(each.attrs.get("shape", "") for each in self.buffers)
        full = {each.attrs.get("shape", "") for each in self.buffers if each.attrs.get("state") == "full"}
        written = set(self._tiles_of(self.tensors[-1])) if self.tensors else set()
        for shape, count in wanted.items():
            attrs = {
                "wanted": _said(made[shape] < count),
                "written": _said(shape in written),
                "full": _said(shape in full),
            }
            yield Binding(shape if ", " in shape else f"{shape},", "Shape", attrs=attrs, origin=DERIVED)

    def _regions(self) -> Iterator[Binding]:
        """The part of a tensor that the loops around are at, and whether results are written to that."""
        for tensor in self.tensors:
            written = len(self.tensors) > 1 and tensor is self.tensors[-1]
            attrs = {"state": tensor.attrs.get("state", ""), "written": _said(written)}
            indices = [
                [f"{loop.name} * {blocks['size']}" for loop, blocks in self._blocks() if blocks["all"] == dim]
                for dim in _dims(tensor)
            ]
            for each in _few(indices):
                text = f"{tensor.spelling}[{', '.join(each)}]"
                yield Binding(text, "Region", attrs=attrs, origin=DERIVED)

    def _tiles_of(self, tensor: Binding) -> Iterator[str]:
        yield from (", ".join(each) for each in _few([self._cuts(dim) for dim in _dims(tensor)]))

    def _blocks(self) -> Iterator[tuple[Binding, re.Match[str]]]:
        """The loops over what cuts an extent."""
        for loop in self.loops:
            blocks = _BLOCKS.match(loop.attrs.get("extent", ""))
            if blocks is not None:
                yield loop, blocks

    def _cuts(self, whole: str) -> list[str]:
        """What an extent is cut into, or might be."""
        told = [blocks["size"] for _, blocks in self._blocks() if blocks["all"] == whole]
        named = [part for part in self.parts if whole in part.split("_")]
        return list(dict.fromkeys(told or named or self.parts))


def _dims(tensor: Binding) -> tuple[str, ...]:
    shape = tensor.attrs.get("shape", "")
    return tuple(shape.split(", ")) if shape else ()


def _few(choices: Sequence[Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Every way to choose one of each; none where there is nothing to choose, or too much."""
    count = 1
    for each in choices:
        count *= len(each)
    if choices and count <= _MOST:
        yield from product(*choices)


def _said(value: bool) -> str:  # noqa: FBT001  (a word for it)
    return "yes" if value else "no"
