"""How far buffers are at a place: whether something was written to them, and whether that was read, in the order of the text.

A loop's body counts once. This is what a program that makes sense keeps to, not what the language asks for, so nothing is
flagged by it; it is for what is written next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from gproj_lsp.environment import Binding
from gproj_lsp.resolvers.python.scopes import Module, Scope, Use
from gproj_lsp.resolvers.python.symbols import Symbols
from gproj_lsp.resolvers.python.tree import Node, span_of
from gproj_lsp.resolvers.python.values import Call, Values

__all__ = ["States"]

_GIVEN, _EMPTY = "given", "empty"
_AFTER = {"sets": "set", "writes": "full", "updates": "full", "reads": "spent"}
_TARGETS = {"assignment": "writes", "augmented_assignment": "updates"}


class States:
    """The states of one module's buffers.

    Args:
        module: What it binds and uses.
        symbols: Its expressions.
        values: What its names stand for.
    """

    def __init__(self, module: Module, symbols: Symbols, values: Values) -> None:
        self._module = module
        self._symbols = symbols
        self._values = values

    def of(self, names: Iterable[Binding], use: Use) -> Iterator[Binding]:
        """Names that can be read at a place, with their `state` there.

        `given`: a parameter that nothing touched; `empty`: nothing was written; `set`: a number was, everywhere; `full`:
        nothing read what was written; `spent`: something did.

        Args:
            names: The names.
            use: The place.
        """
        for each in names:
            meaning = self._symbols.bound(replace(use, name=each.name))
            if meaning is None:
                continue
            state = _GIVEN if all(bound.kind == "parameter" for bound in meaning[1]) else _EMPTY
            for at, does in self._events.get((id(meaning[0]), each.name), ()):
                state = _AFTER[does] if at <= use.span.start else state
            yield replace(each, attrs={**each.attrs, "state": state})

    @cached_property
    def _events(self) -> dict[tuple[int, str], list[tuple[int, str]]]:
        """What is done to each buffer and by which byte, in that order; reads come before what is written with them."""
        found: dict[tuple[int, str], list[tuple[int, str]]] = {}
        done = dict(self._done())
        for use in self._module.uses:
            meaning = self._symbols.bound(use)
            if meaning is not None:
                scope: Scope = meaning[0]
                event = done.get(use.span.start, (use.span.end, "reads"))
                found.setdefault((id(scope), use.name), []).append(event)
        return {key: sorted(events, key=lambda each: each[0]) for key, events in found.items()}

    def _done(self) -> Iterator[tuple[int, tuple[int, str]]]:
        """Where names stand that are written to: where, by which byte, and how."""
        for call in self._values.calls():
            yield from self._by(call)
        for use in self._module.uses:
            node = self._symbols.node(use.span)
            target = _up(node, lambda each: each.type == "subscript")
            statement = target.parent if target is not None and target != node else None
            if target is None or statement is None or statement.type not in _TARGETS:
                continue
            if statement.child_by_field_name("left") == target:
                yield use.span.start, (statement.end_byte, _TARGETS[statement.type])

    def _by(self, call: Call) -> Iterator[tuple[int, tuple[int, str]]]:
        for name, operand in call.role.operands.items():
            place = call.given.get(name)
            if place is not None and operand.does != "reads":
                yield place.start, (call.span.end, operand.does)


def _up(node: Node | None, may: Callable[[Node], bool]) -> Node | None:
    """The outermost node over one whose text begins with it, as long as those between may be."""
    while node is not None and (above := node.parent) is not None:
        if not may(above) or span_of(above).start != span_of(node).start:
            break
        node = above
    return node
