"""The candidates of a closed slot in the order the model prefers them, with the text after the hole in mind.

A candidate's score is the log probability of the candidate *and* the beginning of what follows it, in the tokens
that the whole text would have. The candidates' tokens form a tree; it is grown best-first, several branches a
batch. What a node has already lost no continuation can win back, so a node bounds everything under it: growing
stops as soon as the wanted number of candidates is better than any bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gproj_lsp.decode.base import BranchingModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from gproj_lsp.decode.base import Logits, Stop, Vocabulary
    from gproj_lsp.decode.context import Context
    from gproj_lsp.decode.prompt import Seam

__all__ = ["Candidate", "Ranking", "rank"]

_NODES = 48
"""Tokens of one batch: beyond this a batch costs as much as several."""
_TREE = 400
"""Tokens of a batch that any model takes; only names of hundreds of characters need more."""
_UNLIKELY = 8.0
"""Nats below the likeliest node that are left for a later batch, which the bound usually makes needless."""


@dataclass(frozen=True)
class Candidate:
    """One name that may stand at the hole.

    Attributes:
        text: As it would be written.
        score: Natural logarithm of the probability of the candidate and what is scored after it.
        probability: Its share among all candidates, given the text around the hole; those not looked at count with their bound.
    """

    text: str
    score: float
    probability: float


@dataclass(frozen=True)
class Ranking:
    """Candidates, likeliest first.

    Attributes:
        candidates: Those looked at to the end.
        remaining: The share that all the others together have at most.
        expansions: How many nodes of the tree the model was asked about.
    """

    candidates: tuple[Candidate, ...]
    remaining: float
    expansions: int


@dataclass(eq=False)
class _Node:
    """One token on the way to some candidates; `score` is None until its parent's logits are known."""

    token: int
    parent: _Node | None
    children: dict[int, _Node]
    ends: list[int]  # candidates that end here
    named: bool = False  # whether a candidate is complete here, so that only what follows it is left
    score: float | None = None
    known: bool = False  # whether the scores of its children are


def rank(  # noqa: PLR0913  (what, where, among what, how far)
    context: Context,
    shown: Seam,
    candidates: Sequence[str],
    right: bytes,
    *,
    limit: int = 1,
    effort: int | None = None,
    stop: Stop | None = None,
    told: Callable[[Ranking], None] | None = None,
) -> Ranking:
    """The best candidates at a hole.

    Args:
        context: The model; afterwards it holds the tokens before the hole.
        shown: The text up to the hole.
        candidates: Different, non-empty texts.
        right: The text after the hole, as far as it is to be scored.
        limit: How many candidates to be sure of.
        effort: Nodes of the tree after which the text after the hole is taken to cost every candidate what it cost the one
            that it suits best so far. Where that text is long the exact bound is loose, and costs a lot among hundreds.
        stop: Asked between batches.
        told: Called between batches with what is known so far.

    Raises:
        Cancelled: `stop` said so.
        ModelError: The model failed.
    """
    root, before = _tree(context.vocabulary, shown, candidates, right)
    logits = context.show(before, stop)
    _score(root, 0.0, logits)
    search = _Search(context, root, len(candidates), stop, effort)
    return search.run(candidates, min(limit, len(candidates)), told)


def _tree(
    vocabulary: Vocabulary, shown: Seam, candidates: Sequence[str], right: bytes
) -> tuple[_Node, tuple[int, ...]]:
    """The tree of the candidates' tokens, and the tokens before it: what all of them begin with is no choice."""
    paths = [vocabulary.encode(shown.tail + text.encode() + right) for text in candidates]
    common = _common(paths)
    root = _Node(-1, None, {}, [])
    for candidate, path in enumerate(paths):
        node = root
        left = len(shown.tail) + len(candidates[candidate].encode())
        for at, token in enumerate(path):
            left -= len(vocabulary.tokens[token])
            if at >= common:
                node = node.children.setdefault(token, _Node(token, node, {}, [], named=left <= 0))
        node.ends.append(candidate)
    return root, (*shown.ids, *paths[0][:common])


def _common(paths: Sequence[Sequence[int]]) -> int:
    """How many tokens all paths begin with; at least one is left to each."""
    shortest = min(len(path) for path in paths) - 1
    first = paths[0]
    return next(
        (at for at in range(shortest) if any(path[at] != first[at] for path in paths)), max(shortest, 0)
    )


class _Search:
    def __init__(
        self, context: Context, root: _Node, count: int, stop: Stop | None, effort: int | None
    ) -> None:
        self.context = context
        self.stop = stop
        self.effort = effort
        self.cost = math.inf  # the least that what follows cost any candidate, in nats
        self.scores: list[float | None] = [None] * count
        self.frontier: list[_Node] = []
        self.expansions = 1
        self._meet(root)

    def run(self, texts: Sequence[str], limit: int, told: Callable[[Ranking], None] | None = None) -> Ranking:
        while self.frontier and self._bound() > self._worst(limit):
            if told is not None:
                told(self._ranking(texts))
            self._grow(self._worst(limit))
        return self._ranking(texts)

    def _ranking(self, texts: Sequence[str]) -> Ranking:
        """What is known now."""
        found = sorted(
            ((score, at) for at, score in enumerate(self.scores) if score is not None),
            key=lambda pair: (-pair[0], pair[1]),
        )
        top = max([*(score for score, _ in found), self._bound()])
        weights = [math.exp(score - top) for score, _ in found]
        rest = sum(math.exp(self._reach(node) - top) for node in self.frontier)
        whole = sum(weights) + rest
        ranked = tuple(
            Candidate(texts[at], score, weight / whole)
            for (score, at), weight in zip(found, weights, strict=True)
        )
        return Ranking(ranked, rest / whole, self.expansions)

    def _bound(self) -> float:
        return max((self._reach(node) for node in self.frontier), default=-math.inf)

    def _reach(self, node: _Node) -> float:
        """The most that a candidate under a node can score."""
        if self.effort is None or self.expansions < self.effort or self.cost == math.inf:
            return _sure(node)
        return min(_sure(node), _sure(_name(node)) - self.cost)

    def _worst(self, limit: int) -> float:
        known = sorted((score for score in self.scores if score is not None), reverse=True)
        return known[limit - 1] if len(known) >= limit else -math.inf

    def _meet(self, node: _Node) -> None:
        """A node's children have scores now: note the candidates that end there, and wait for the others."""
        for child in node.children.values():
            for candidate in child.ends:
                self.scores[candidate] = child.score
                self.cost = min(self.cost, _following(child))
            if child.children:
                self.frontier.append(child)

    def _grow(self, needed: float) -> None:
        """Ask the model about the likeliest nodes and everything under them, as far as one batch holds."""
        self.frontier.sort(key=self._reach, reverse=True)
        best = self._reach(self.frontier[0])
        batch: dict[_Node, int] = {}
        for top in self.frontier:
            if batch and (self._reach(top) <= needed or self._reach(top) < best - _UNLIKELY):
                break
            new = [node for node in (*_line(top), *_inner(top)) if node not in batch]
            if len(batch) + len(new) > _NODES:
                new = [node for node in (*_line(top), *_chain(top)) if node not in batch]
            if batch and len(batch) + len(new) > _NODES:
                break
            for node in new:
                batch.setdefault(node, len(batch))
        self._ask(batch)

    def _ask(self, batch: dict[_Node, int]) -> None:
        nodes = list(batch)
        parents = [batch.get(node.parent, -1) if node.parent else -1 for node in nodes]
        rows = _spread(self.context, [node.token for node in nodes], parents, self.stop)
        self.expansions += len(nodes)
        for node, logits in zip(nodes, rows, strict=True):
            if not node.known:
                _score(node, _sure(node), logits)
                self._meet(node)
        self.frontier = [node for node in self.frontier if not node.known]


def _score(node: _Node, base: float, logits: Logits) -> None:
    """Give a node's children their scores."""
    top = float(logits.max())
    whole = top + math.log(float(np.exp(logits - top, dtype=np.float32).sum(dtype=np.float64)))
    for token, child in node.children.items():
        child.score = base + float(logits[token]) - whole
    node.known = True


def _following(end: _Node) -> float:
    """What the text after a candidate cost, in nats."""
    return _sure(_name(end)) - _sure(end)


def _name(node: _Node) -> _Node:
    """Where the candidate became complete on the way here; the node itself where none is."""
    while node.parent is not None and node.parent.named:
        node = node.parent
    return node


def _sure(node: _Node) -> float:
    return -math.inf if node.score is None else node.score


def _line(node: _Node) -> list[_Node]:
    """The nodes above, from the root's child down; the root itself is the context."""
    line: list[_Node] = []
    above = node.parent
    while above is not None and above.parent is not None:
        line.append(above)
        above = above.parent
    return line[::-1]


def _chain(top: _Node) -> Iterator[_Node]:
    """The node and those under it, as long as there is no choice between them and they are not too many."""
    node = top
    for _ in range(_NODES):
        if not node.children:
            return
        yield node
        if len(node.children) > 1:
            return
        (node,) = node.children.values()


def _inner(top: _Node) -> Iterator[_Node]:
    """The node and those under it that have children, parents first."""
    waiting = [top]
    while waiting:
        node = waiting.pop()
        if node.children:
            yield node
            waiting.extend(node.children.values())


def _spread(
    context: Context, ids: Sequence[int], parents: Sequence[int], stop: Stop | None
) -> Iterator[Logits] | NDArray[np.float32]:
    """Logits after each node; a model that can't branch is shown one path after the other."""
    model = context.model
    if isinstance(model, BranchingModel) and len(ids) <= _TREE:
        rows = model.spread(ids, parents, stop=stop)
        context.counted(len(ids))
        return rows
    return _one_by_one(context, ids, parents, stop)


def _one_by_one(
    context: Context, ids: Sequence[int], parents: Sequence[int], stop: Stop | None
) -> Iterator[Logits]:
    base = tuple(context.model.fed)
    for node in range(len(ids)):
        path = [node]
        while parents[path[-1]] >= 0:
            path.append(parents[path[-1]])
        yield context.show((*base, *(ids[at] for at in reversed(path))), stop)
    context.rewind(len(base))
