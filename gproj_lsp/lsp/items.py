"""Completions as the client's list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import time

from lsprotocol import types

from gproj_lsp.ide.card import provenance
from gproj_lsp.ide.completion import Completions, Item
from gproj_lsp.lsp.kinds import kind_of
from gproj_lsp.lsp.markup import line
from gproj_lsp.lsp.options import Client
from gproj_lsp.lsp.session import Snapshot
from gproj_lsp.text import decode

__all__ = ["completion_list"]

_QUOTES = ('"', "'", "`", "[")


def completion_list(
    snapshot: Snapshot, found: Completions, client: Client, ranking: Mapping[str, float] | None
) -> types.CompletionList:
    """The list of completions, in the order that they are to be shown in.

    Args:
        snapshot: The document.
        found: What may be written.
        client: What it can show.
        ranking: What the model thinks of some of them, if that is known; the rest keep their order behind those.
    """
    ordered = _ordered(found.items, ranking)
    items = _Items(snapshot, found, client.item_details)
    made = [items.of(number, each) for number, each in enumerate(ordered)]
    place = snapshot.range(found.span)
    if client.item_ranges:
        return types.CompletionList(not found.whole, made, types.CompletionItemDefaults(edit_range=place))
    for item, each in zip(made, ordered, strict=True):
        item.text_edit, item.text_edit_text = types.TextEdit(place, each.text), None
    return types.CompletionList(not found.whole, made)


def _ordered(items: Sequence[Item], ranking: Mapping[str, float] | None) -> Sequence[Item]:
    """Those that the model knows first, what it thinks likeliest at the top."""
    return sorted(items, key=lambda each: -ranking.get(each.text, 0.0)) if ranking else items


class _Items:
    """Makes items of one list.

    Args:
        snapshot: The document.
        found: What may be written.
        details: Whether what stands beside a label can be shown.
    """

    def __init__(self, snapshot: Snapshot, found: Completions, details: bool) -> None:  # noqa: FBT001  (one caller)
        self._surface = snapshot.surface
        self._written = decode(snapshot.document.data[found.span.start : found.span.end])
        self._hole = found.hole is not None
        self._details = details
        self._now = time()

    def of(self, number: int, item: Item) -> types.CompletionItem:
        """The item at a place of the list."""
        binding = item.binding
        spec = self._surface.sorts.get(binding.sort)
        attrs = [binding.attrs.get(key) for key in (spec.shows if spec is not None else ())]
        told = [line(text) for text in attrs if text][:2]
        beside = types.CompletionItemLabelDetails(
            f" {told[0]}" if told else None, told[1] if len(told) > 1 else None
        )
        return types.CompletionItem(
            line(item.text),
            beside if self._details else None,
            kind_of(binding.sort, self._surface).item,
            detail=" · ".join([binding.sort, *told]),
            documentation=line(provenance(binding.origin, self._now)),
            sort_text=f"{number:05}",
            filter_text=self._match(item),
            text_edit_text=item.text,
        )

    def _match(self, item: Item) -> str:
        """What the client compares with the text that it replaces: that text itself, where it is a hole."""
        if self._hole:
            return self._written
        quote = self._written[:1] if self._written[:1] in _QUOTES else ""
        return f"{quote}{item.binding.name}"
