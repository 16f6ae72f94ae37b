"""A module read once: every name that it binds and uses, with the scope and the suite of each.

The walk keeps its own stack, so that no text is too deep for it. What a kind of node means is in `binding` (statements) and
`evaluating` (expressions); a kind that neither knows stands for its parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from gproj_lsp.resolvers.python.scopes import (
    ALWAYS,
    Block,
    Bound,
    Caught,
    Given,
    Kind,
    Life,
    Module,
    Scope,
    Try,
    Use,
    Value,
)
from gproj_lsp.resolvers.python.tree import Node, span_of, statement_around, text_of, words_in
from gproj_lsp.text import Span

__all__ = ["Handler", "Here", "Reader", "read"]

_FOR_SOME = re.compile(
    r"version_info|hexversion|python_version|\bPY_?[23]|\bIS_PY|\bplatform\b|implementation|\bsix\b|\bos\.name\b"
)
"""What a condition mentions that holds for some releases or systems."""


@dataclass(frozen=True)
class Here:
    """Where in a module a node stands.

    Attributes:
        scope: The scope.
        block: The suite.
        caught: What happens to errors.
        tries: The tries around it whose handlers take any error.
        late: Whether it is read at another time than the text around it.
        typed: Whether a string is a type.
    """

    scope: Scope
    block: Block
    caught: Caught = Caught.NOTHING
    tries: Try | None = None
    late: bool = False
    typed: bool = False

    def within(self, scope: Scope) -> Here:
        """The same place in another scope."""
        return replace(self, scope=scope, typed=False)

    def suite(self, node: Node, *, loops: bool = False, whole: Node | None = None) -> Here:
        """A suite of this place.

        Args:
            node: The suite.
            loops: Whether it may run again.
            whole: The statement that runs it again, header included.
        """
        return replace(self, block=Block(span_of(whole or node), self.block, loops), typed=False)

    def catching(self, caught: Caught) -> Here:
        """The same place with more errors caught."""
        return replace(self, caught=self.caught | caught) if caught else self


Handler = Callable[["Reader", Node, Here], None]
"""Reads one kind of node."""


class Reader:
    """Reads one module.

    Args:
        root: Its tree.
        handlers: What kinds of node mean.
    """

    def __init__(self, root: Node, handlers: Mapping[str, Handler]) -> None:
        self._handlers = handlers
        block = Block(span_of(root))
        outermost = Scope(Kind.MODULE, Span(0, root.end_byte), None, block)
        self.module = Module(outermost, [outermost], broken=root.has_error)
        self._left: list[tuple[Node, Here]] = [(root, Here(outermost, block))]

    def read(self) -> Module:
        """Everything that the module binds and uses."""
        handlers = self._handlers
        while self._left:
            node, here = self._left.pop()
            handler = handlers.get(node.type)
            if handler is not None:
                handler(self, node, here)
            else:
                self.parts(node, here)
        return self.module

    def later(self, node: Node | None, here: Here) -> None:
        """Read a node next."""
        if node is not None:
            self._left.append((node, here))

    def all(self, nodes: Iterable[Node | None], here: Here) -> None:
        """Read nodes next."""
        for node in nodes:
            self.later(node, here)

    def parts(self, node: Node, here: Here) -> None:
        """Read the parts of a node next."""
        if node.named_child_count:
            self._left += [(child, here) for child in node.named_children]

    def scope(self, kind: Kind, span: Span, here: Here) -> Scope:
        """A new scope in a place."""
        made = Scope(kind, span, here.scope, here.block)
        self.module.scopes.append(made)
        return made

    def bind(  # noqa: PLR0913  (what there is to say of a place that binds a name)
        self,
        node: Node,
        kind: str,
        here: Here,
        life: Life = ALWAYS,
        value: Value | None = None,
        given: Given | None = None,
    ) -> None:
        """Note that an identifier is bound."""
        name = text_of(node)
        bound = Bound(name, span_of(node), kind, life, here.block, value, given=given)
        here.scope.bound.setdefault(name, []).append(bound)

    def use(self, node: Node, here: Here) -> Use:
        """Note that an identifier is read."""
        found = Use(text_of(node), span_of(node), here.scope, here.block, here.caught, here.tries, here.late)
        self.module.uses.append(found)
        return found

    def grow_wild(self, reason: str, since: int = 0) -> None:
        """Note that from a byte on names may come to be that no text declares."""
        if self.module.wild is None or since < self.module.wild[1]:
            self.module.wild = (reason, since)


def for_some(condition: Node | None) -> Caught:
    """Whether what hangs on a condition is for some releases or systems only."""
    if condition is not None and _FOR_SOME.search(text_of(condition)):
        return Caught.RELEASE
    return Caught.NOTHING


def read(root: Node, handlers: Mapping[str, Handler]) -> Module:
    """Everything that a module binds and uses.

    Args:
        root: Its tree.
        handlers: What kinds of node mean.
    """
    module = Reader(root, handlers).read()
    _send(module)
    for scope in module.scopes:
        for places in scope.bound.values():
            places.sort(key=lambda each: each.span)
    if module.broken:
        _doubt(root, module)
    return module


def _send(module: Module) -> None:
    """Move what `global` and `nonlocal` send elsewhere to the scope that has it."""
    for scope in module.scopes:
        for name, where in scope.outer.items():
            target = module.scope if where == "global" else _holder(scope, name)
            if target is None or target is scope:
                continue
            for each in scope.bound.pop(name, ()):
                target.bound.setdefault(name, []).append(replace(each, remote=True))


def _holder(scope: Scope, name: str) -> Scope | None:
    """The function that a `nonlocal` name is of."""
    return next(
        (
            each
            for each in list(scope.chain())[1:]
            if each.kind is Kind.FUNCTION and name in each.bound and name not in each.outer
        ),
        None,
    )


def _doubt(root: Node, module: Module) -> None:
    """What to think of a module that does not parse: where it does not, and which names may be bound there."""
    unread: list[Span] = []
    left = [root]
    while left:
        node = left.pop()
        if node.is_error or node.is_missing:
            unread.append(span_of(statement_around(node)))
        else:
            left += [child for child in node.children if child.has_error or child.is_missing]
    module.unread = tuple(unread)
    read_there = {use.span for use in module.uses}
    read_there |= {step.span for chain in module.chains for step in chain.steps}
    module.doubtful = frozenset(text_of(node) for node in words_in(root) if span_of(node) not in read_there)
