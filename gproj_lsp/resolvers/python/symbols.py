"""Expressions of a module as symbols: extents that can be compared by their text, and the parts of calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gproj_lsp.resolvers.python.lookup import Lookup
from gproj_lsp.resolvers.python.scopes import Bound, Module, Scope, Step, Use
from gproj_lsp.resolvers.python.tree import Node, span_of, text_of, words_in
from gproj_lsp.text import Span

__all__ = ["Dims", "Symbols", "arguments", "differ", "same"]

Dims = tuple[str | None, ...]
"""Extents in order, each as text; None: one that is not known."""

_DEPTH = 8
_SPACE = re.compile(r"\s+")
_LISTS = frozenset({"list", "tuple"})


class Symbols:
    """The expressions of one module.

    Args:
        root: Its tree.
        module: What it binds and uses.
        lookup: Its names.

    Attributes:
        tree: The root.
    """

    def __init__(self, root: Node, module: Module, lookup: Lookup) -> None:
        self.tree = root
        self._lookup = lookup
        self._uses = {use.span: use for use in module.uses}

    def node(self, span: Span) -> Node | None:
        """The outermost node that has exactly these bytes; brackets around it alone do not count."""
        found = self.tree.descendant_for_byte_range(span.start, span.end)
        while found is not None and found.parent is not None and span_of(found.parent) == span:
            found = found.parent
        while (
            found is not None
            and found.type in ("type", "parenthesized_expression")
            and found.named_child_count
        ):
            found = found.named_children[0]
        return found

    def decorators(self, body: Span) -> Iterator[Node]:
        """What stands behind the `@`s above a function with this body."""
        here = self.tree.descendant_for_byte_range(body.start, body.end)
        while here is not None and here.type != "function_definition":
            here = here.parent
        around = here.parent if here is not None else None
        if around is not None and around.type == "decorated_definition":
            for each in around.named_children:
                if each.type == "decorator" and each.named_child_count:
                    yield each.named_children[0]

    def counted(self, offset: int) -> frozenset[str]:
        """The names that the loops and contexts around a byte offset bind."""
        found: set[str] = set()
        here = self.tree.descendant_for_byte_range(offset, offset)
        while here is not None:
            if here.type in ("for_statement", "with_statement"):
                body = here.child_by_field_name("body")
                if body is not None and body.start_byte <= offset:
                    found.update(map(text_of, _targets(here)))
            here = here.parent
        return frozenset(found)

    def use(self, node: Node) -> Use | None:
        """The name that a node reads, if it is one."""
        return self._uses.get(span_of(node)) if node.type == "identifier" else None

    def bound(self, use: Use) -> tuple[Scope, list[Bound]] | None:
        """Where the module binds a name, if that is certain."""
        return self._lookup.meaning(use)

    def assigned(self, use: Use) -> Node | None:
        """The expression that a name stands for, where it is bound once, by an assignment."""
        meaning = self.bound(use)
        if meaning is None or len(meaning[1]) != 1:
            return None
        only = meaning[1][0]
        if only.remote or only.given is None or only.given.how != "assigned" or only.given.index >= 0:
            return None
        return self.node(only.given.place)

    def root(self, node: Node, depth: int = 0) -> tuple[Scope, str, list[Bound]] | None:
        """The parameter that a sum begins with, through the names that stand for parts of it."""
        while node.type in ("binary_operator", "parenthesized_expression") and node.named_child_count:
            node = node.named_children[0]
        use = self.use(node)
        meaning = self.bound(use) if use is not None and depth < _DEPTH else None
        if use is None or meaning is None:
            return None
        scope, bounds = meaning
        kept = [each for each in bounds if each.given is None or each.given.how != "updated"]
        if len(kept) != 1 or any(each.remote for each in bounds):
            return None
        only = kept[0]
        if only.kind == "parameter" and (only.given is None or only.given.how == "default"):
            return scope, use.name, bounds
        assigned = only.given is not None and only.given.how == "assigned" and only.given.index < 0
        below = self.node(only.given.place) if assigned and only.given is not None else None
        return self.root(below, depth + 1) if below is not None else None

    def extent(self, node: Node, depth: int = 0) -> str:
        """One extent as text: a name that stands for a number is that number."""
        if node.type == "parenthesized_expression" and node.named_child_count == 1:
            return self.extent(node.named_children[0], depth)
        use = self.use(node)
        value = self.assigned(use) if use is not None and depth < _DEPTH else None
        if value is not None and value.type in ("integer", "identifier"):
            return self.extent(value, depth + 1)
        return _SPACE.sub("", text_of(node))

    def dims(self, node: Node | None, depth: int = 0) -> Dims | None:
        """The extents that a shape lists; None where they can't be told."""
        if node is None or depth > _DEPTH:
            return None
        if node.type == "parenthesized_expression" and node.named_child_count == 1:
            return self.dims(node.named_children[0], depth + 1)
        if node.type in _LISTS:
            parts = [each for each in node.named_children if each.type != "comment"]
            if any("splat" in each.type for each in parts):
                return None
            return tuple(self.extent(each) for each in parts)
        if node.type == "integer":
            return (text_of(node),)
        use = self.use(node)
        return self.dims(self.assigned(use), depth + 1) if use is not None else None

    def elements(self, node: Node | None) -> Iterator[Use]:
        """The names that are extents by themselves, or parts of one, in a shape that is written out."""
        if node is None:
            return
        left = list(node.named_children) if node.type in (*_LISTS, "parenthesized_expression") else []
        while left:
            each = left.pop()
            use = self.use(each)
            if use is not None:
                yield use
            elif each.type in ("binary_operator", "parenthesized_expression"):
                left += each.named_children


def _targets(statement: Node) -> Iterator[Node]:
    """The identifiers that a loop counts with, or that stand behind the `as` of a context."""
    counted = statement.child_by_field_name("left")
    if counted is not None:
        yield from words_in(counted)
        return
    body = statement.child_by_field_name("body")
    left = [each for each in statement.named_children if each != body]
    while left:
        node = left.pop()
        if node.type == "as_pattern_target":
            yield from words_in(node)
        else:
            left += node.named_children


def arguments(step: Step, parameters: tuple[str, ...]) -> Mapping[str, Span]:
    """What each parameter of a call gets, by the bytes of its value.

    Args:
        step: The call.
        parameters: The function's parameters in order, as far as they are known.
    """
    found = dict(zip(parameters, step.places, strict=False))
    found.update((name, value) for name, _, value in step.keywords)
    return found


@dataclass(frozen=True)
class _Pair:
    """Two extents; neither is unknown."""

    one: str
    other: str

    @property
    def same(self) -> bool:
        return self.one == self.other

    @property
    def differ(self) -> bool:
        """Whether they differ whatever names stand for."""
        return self.one.isdecimal() and self.other.isdecimal() and int(self.one) != int(self.other)


def _pairs(one: Dims, other: Dims) -> Iterator[_Pair]:
    for mine, its in zip(one, other, strict=True):
        if mine is not None and its is not None:
            yield _Pair(mine, its)


def same(one: Dims, other: Dims) -> bool:
    """Whether two shapes are the same as far as they are known; extents are compared by their text."""
    return len(one) == len(other) and all(each.same for each in _pairs(one, other))


def differ(one: Dims, other: Dims) -> bool:
    """Whether two shapes of one rank differ for certain: in a number."""
    return len(one) == len(other) and any(each.differ for each in _pairs(one, other))
