"""Made-up names for measuring: like those of real schemas, and as many as are wanted."""

from __future__ import annotations

import random

from gproj_lsp.environment import Binding

__all__ = ["bindings", "names"]

_WORDS = (
    "account",
    "address",
    "amount",
    "area",
    "balance",
    "category",
    "city",
    "code",
    "count",
    "country",
    "currency",
    "customer",
    "date",
    "day",
    "description",
    "discount",
    "email",
    "end",
    "event",
    "family",
    "first",
    "group",
    "height",
    "host",
    "id",
    "index",
    "item",
    "key",
    "kind",
    "language",
    "last",
    "level",
    "line",
    "list",
    "location",
    "manager",
    "max",
    "min",
    "month",
    "name",
    "note",
    "number",
    "order",
    "owner",
    "page",
    "parent",
    "payment",
    "person",
    "phone",
    "place",
    "price",
    "product",
    "quantity",
    "rank",
    "rate",
    "region",
    "report",
    "score",
    "season",
    "section",
    "seller",
    "size",
    "sort",
    "source",
    "start",
    "state",
    "status",
    "street",
    "stock",
    "team",
    "text",
    "time",
    "title",
    "total",
    "type",
    "unit",
    "update",
    "url",
    "user",
    "value",
    "version",
    "weight",
    "year",
    "zone",
)


def names(count: int, seed: int = 0) -> tuple[str, ...]:
    """Different names of one to three words."""
    source = random.Random(seed)  # noqa: S311  (no secret)
    found: dict[str, None] = {}
    while len(found) < count:
        found["_".join(source.choices(_WORDS, k=source.randint(1, 3)))] = None
    return tuple(found)


def bindings(count: int, sort: str = "Column", seed: int = 0) -> tuple[Binding, ...]:
    """The same as declarations."""
    return tuple(Binding(name, sort) for name in names(count, seed))
