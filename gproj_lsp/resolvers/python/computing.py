"""What expressions give, where names of a library's sorts are computed with.

Where a role says that its sort `spreads`, what operators, indices that only add or keep extents, and methods that it `keeps`
make of such a value is of the sort again. Of several sorts the one that
spreads further wins: a pointer and a tile give a pointer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gproj_lsp.environment import Binding
from gproj_lsp.resolvers.python.roles import Role
from gproj_lsp.resolvers.python.symbols import Dims
from gproj_lsp.resolvers.python.tree import Node, text_of

__all__ = ["Computing", "Value", "broadcast", "dims_in", "listed", "merged", "shaped"]

_DEPTH = 24
_OPERATORS = frozenset(
    {"binary_operator", "boolean_operator", "comparison_operator", "not_operator", "unary_operator"}
)
_ONE = "1"


@dataclass(frozen=True)
class Value:
    """What a name or an expression stands for.

    Attributes:
        sort: Its sort.
        attrs: What else is known of it.
    """

    sort: str
    attrs: Mapping[str, str]


class Computing:
    """What expressions of a module give.

    Args:
        roles: The roles that are told.
        plain: What a name or a call stands for, by its node and how deep it was asked for.
    """

    def __init__(self, roles: Mapping[str, Role], plain: Callable[[Node, int], Value | None]) -> None:
        self._plain = plain
        self._ranks: dict[str, int] = {}
        self._keeps: set[str] = set()
        for role in roles.values():
            if (said := role.attrs.get("spreads", "")).isdecimal():
                self._ranks[role.makes] = int(said)
            self._keeps.update(role.attrs.get("keeps", "").split())

    def value(self, node: Node, depth: int = 0) -> Value | None:
        """What an expression gives; None where that is not known."""
        if depth > _DEPTH:
            return None
        kind, parts = node.type, node.named_children
        if kind == "parenthesized_expression" and len(parts) == 1:
            return self.value(parts[0], depth + 1)
        if kind in _OPERATORS:
            return self._combined([self.value(each, depth + 1) for each in parts])
        if kind == "conditional_expression" and len(parts) == 3:
            return self._combined([self.value(parts[0], depth + 1), self.value(parts[2], depth + 1)])
        if kind == "subscript":
            return self._viewed(node, depth)
        found = self._plain(node, depth + 1)
        return found if found is not None or kind != "call" else self._kept(node, depth)

    def shape(self, nodes: Sequence[Node], depth: int) -> Dims | None:
        """The extents of several values together."""
        values = [self.value(each, depth + 1) for each in nodes]
        found = self._combined(values)
        return dims_in(found) if found is not None else None

    def _combined(self, values: Sequence[Value | None]) -> Value | None:
        """What operators give: what is not known of an operand is taken for a single number."""
        ranked = [each for each in values if each is not None and each.sort in self._ranks]
        if not ranked:
            return None
        dims: Dims | None = ()
        for each in ranked:
            own = dims_in(each)
            dims = broadcast(dims, own) if dims is not None and own is not None else None
        sort = max((each.sort for each in ranked), key=self._ranks.__getitem__)
        return Value(sort, shaped(dims))

    def _viewed(self, node: Node, depth: int) -> Value | None:
        """A value with extents of one set between its own: `x[:, None]`."""
        of = node.child_by_field_name("value")
        found = self.value(of, depth + 1) if of is not None else None
        if found is None or found.sort not in self._ranks:
            return None
        own = dims_in(found)
        if own is None:
            return Value(found.sort, {})
        left, dims = list(own), list[str | None]()
        for each in node.children_by_field_name("subscript"):
            if each.type == "none":
                dims.append(_ONE)
            elif text_of(each) == ":" and left:
                dims.append(left.pop(0))
            else:
                return Value(found.sort, {})
        return Value(found.sort, shaped((*dims, *left)))

    def _kept(self, node: Node, depth: int) -> Value | None:
        """What a method gives that leaves sort and extents as they are."""
        function = node.child_by_field_name("function")
        if function is None or function.type != "attribute":
            return None
        member, of = function.child_by_field_name("attribute"), function.child_by_field_name("object")
        if member is None or of is None or text_of(member) not in self._keeps:
            return None
        found = self.value(of, depth + 1)
        return found if found is not None and found.sort in self._ranks else None


def broadcast(one: Dims, other: Dims) -> Dims | None:
    """The extents of two values together; None where they do not go together, or that is not known."""
    size = max(len(one), len(other))
    found: list[str | None] = []
    for mine, its in zip(_filled(one, size), _filled(other, size), strict=True):
        if its in (mine, _ONE):
            found.append(mine)
        elif mine == _ONE:
            found.append(its)
        else:
            return None
    return tuple(found)


def _filled(dims: Dims, size: int) -> Dims:
    return (*([_ONE] * (size - len(dims))), *dims)


def dims_in(value: Value | Binding) -> Dims | None:
    """The extents that a value's `shape` tells: none of a `single` number; None where they are not known."""
    shape = value.attrs.get("shape", "")
    if shape:
        return tuple(None if each == "?" else each for each in shape.split(", "))
    return () if "single" in value.attrs else None


def shaped(dims: Dims | None) -> dict[str, str]:
    """What a value's attributes tell of its extents."""
    if dims is None:
        return {}
    return {"shape": listed(dims)} if dims else {"single": "yes"}


def merged(one: str, other: str) -> str:
    """The extents of one value that two places tell; empty where they contradict each other."""
    pairs = list(zip(one.split(", "), other.split(", "), strict=False))
    if one.count(",") != other.count(",") or any("?" not in pair and pair[0] != pair[1] for pair in pairs):
        return ""
    return ", ".join(its if mine == "?" else mine for mine, its in pairs)


def listed(dims: Dims) -> str:
    """Extents as an attribute has them."""
    return ", ".join(each or "?" for each in dims)
