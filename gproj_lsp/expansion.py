"""Composite fragments as one grammar: every grammar call inlined, recursive ones as recursive rules (paper, 4.3).

A *node* is a fragment at a path. The path tells where in the innermost scope a region is: the clauses entered since the
scope began, `("Where",)`, after the name of the scope's sort where the scope is not the one that the start sort opens,
`("Query", "Where")`. Entering a scope forgets the path before it and entering a clause again forgets what came after it, so
there are finitely many nodes and calls that come back to one close a cycle of rules. Nodes that no text can tell apart (the
same fragment at the same rung, calling nodes that can't be told apart) share one copy of the fragment's rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from gproj_lsp.environment import Environment, Query
from gproj_lsp.errors import EmptyQueryError, GrammarError
from gproj_lsp.fragment import Fragment, RegionCall, Rung, candidates
from gproj_lsp.gbnf import Expr, Grammar, Names, Ref, Region, Slot, prune, rebuild

__all__ = ["Path", "expand"]

Path = tuple[str, ...]
"""Where in the innermost scope a region is, outermost first."""

Swaps = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Key:
    """What makes two nodes the same: the sort called, where, and which sorts stand for which there."""

    sort: str
    path: Path
    swaps: Swaps = ()


@dataclass
class _Node:
    """A fragment at a path."""

    fragment: Fragment
    rung: Rung
    calls: Mapping[str, _Key] = field(default_factory=dict)


def expand(
    start: str,
    fragments: Mapping[str, Fragment],
    environment: Environment,
    rung_of: Callable[[Path], Rung],
) -> Grammar:
    """τ_Γ of a composite fragment: one plain grammar without slots and regions.

    Args:
        start: The sort to write.
        fragments: The fragments by sort; a sort that should be written by another's fragment here may be mapped to it.
        environment: Γ.
        rung_of: At which strength names are admitted at a path.

    Raises:
        EmptyQueryError: No string is left, because a slot that every string needs has no candidate.
        GrammarError: A region calls a sort that has no fragment.
    """
    nodes = _nodes(start, fragments, rung_of)
    classes = _classes(nodes)
    grammar = _Writer(nodes, classes, environment).grammar(_Key(start, ()))
    pruned = prune(grammar)
    if pruned is None:
        raise EmptyQueryError(start, hole=f"{{:{start}}}", declared=())
    return pruned


def _nodes(
    start: str, fragments: Mapping[str, Fragment], rung_of: Callable[[Path], Rung]
) -> dict[_Key, _Node]:
    """Every node that the start can reach."""
    found: dict[_Key, _Node] = {}
    pending = [_Key(start, ())]
    while pending:
        key = pending.pop()
        if key in found:
            continue
        fragment = fragments.get(key.sort)
        if fragment is None:
            raise GrammarError(f"no fragment writes {key.sort}")
        calls = {name: _called(key, call) for name, call in fragment.regions.items()}
        found[key] = _Node(fragment, rung_of(key.path), calls)
        pending.extend(calls.values())
    return found


def _called(key: _Key, call: RegionCall) -> _Key:
    swaps = () if call.nests else key.swaps
    if call.swaps:
        swaps = tuple(sorted({**dict(swaps), **call.swaps}.items()))
    sort = dict(swaps).get(call.sort, call.sort)
    return _Key(sort, _path(key.path, call), swaps)


def _path(path: Path, call: RegionCall) -> Path:
    """The path behind a region, as the module's text defines it."""
    if call.nests:
        return (call.sort,)
    if not call.clause:
        return path
    return (*(path[: path.index(call.clause)] if call.clause in path else path), call.clause)


def _classes(nodes: Mapping[_Key, _Node]) -> dict[_Key, int]:
    """The nodes' classes: refined until calls lead from one class into one class (Moore's minimisation)."""
    marks: dict[_Key, object] = {key: (node.fragment.anchor, node.rung) for key, node in nodes.items()}
    count = 0
    while True:
        numbers: dict[object, int] = {}
        classes = {key: numbers.setdefault(mark, len(numbers)) for key, mark in marks.items()}
        if len(numbers) == count:
            return classes
        count = len(numbers)
        marks = {
            key: (classes[key], *(classes[called] for called in node.calls.values()))
            for key, node in nodes.items()
        }


class _Writer:
    """Writes one copy of a fragment's rules for every class; equal slots share their names' rule."""

    def __init__(
        self, nodes: Mapping[_Key, _Node], classes: Mapping[_Key, int], environment: Environment
    ) -> None:
        self._nodes = nodes
        self._classes = classes
        self._environment = environment
        self._rules: dict[str, Expr] = {}
        self._names: dict[tuple[str, ...], str] = {}
        self._known: dict[tuple[Query | None, str, Rung], tuple[str, ...] | None] = {}

    def grammar(self, start: _Key) -> Grammar:
        written: set[int] = set()
        for key, node in self._nodes.items():
            if self._classes[key] not in written:
                written.add(self._classes[key])
                self._write(key, node)
        return Grammar(MappingProxyType(self._rules), self._root(start), frozenset(self._names.values()))

    def _root(self, key: _Key) -> str:
        return self._rule(key, self._nodes[key].fragment.grammar.start)

    def _rule(self, key: _Key, rule: str) -> str:
        return f"{self._nodes[key].fragment.anchor}-{self._classes[key]}-{rule}"

    def _write(self, key: _Key, node: _Node) -> None:
        targets = dict(self._targets(key, node))

        def replace(leaf: Expr) -> Expr:
            if isinstance(leaf, Ref):
                return Ref(self._rule(key, leaf.rule))
            if isinstance(leaf, Slot):
                return targets[leaf.name]
            if isinstance(leaf, Region):
                return Ref(self._root(node.calls[leaf.name]))
            return leaf

        for name, rule in node.fragment.grammar.rules.items():
            self._rules[self._rule(key, name)] = rebuild(rule, replace)

    def _targets(self, key: _Key, node: _Node) -> Iterator[tuple[str, Ref]]:
        for name, ladder in node.fragment.slots.items():
            texts = candidates(ladder, self._environment, node.rung)
            yield name, Ref(self._rule(key, ladder.base) if texts is None else self._shared(texts))

    def _shared(self, texts: tuple[str, ...]) -> str:
        name = self._names.get(texts)
        if name is None:
            name = self._names[texts] = f"names-{len(self._names)}"
            self._rules[name] = Names(texts)
        return name
