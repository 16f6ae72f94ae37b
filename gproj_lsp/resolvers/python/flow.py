"""Whether a name is bound by the time that it is read.

A suite's statements run one after another; only a loop comes back to what stands above. So a place that binds a name further
down, in no loop that holds both, has not run yet, and what `del` took away in a suite around is gone for what follows there.
Wherever more than that would have to be known, the name counts as bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from gproj_lsp.resolvers.python.scopes import SIMPLE, Block, Bound, Kind, Scope, Use

__all__ = ["State", "state"]


class State(Enum):
    """What is known of a name that a scope binds somewhere, at a place."""

    BOUND = "bound"
    UNBOUND = "it is bound only further down"
    DELETED = "it was deleted above"
    EXCEPTION = "it names an exception, and only in its handler"
    ANNOTATED = "it is annotated, but nothing is assigned to it"
    UNKNOWN = "it is annotated, and may be assigned to from outside"


def state(bounds: Sequence[Bound], use: Use, scope: Scope, *, at_once: bool) -> State:
    """What is known of a name at a place.

    Args:
        bounds: Where the scope binds it.
        use: The place.
        scope: The scope.
        at_once: Whether the place runs together with the text of the scope around it; else at any time.
    """
    if scope.kind in SIMPLE or any(each.remote and each.binds for each in bounds):
        return State.BOUND
    binding = [each for each in bounds if each.binds]
    if not binding:
        return _never(bounds, scope)
    if not at_once:
        return State.BOUND
    reached = [each for each in binding if _reaches(each, use)]
    if not reached:
        done = all(each.life.until and each.life.since <= use.span.start for each in binding)
        return State.EXCEPTION if done else State.UNBOUND
    deletions = [each for each in bounds if each.kind == "deletion" and not each.remote]
    if deletions and all(any(_takes(gone, each, use) for gone in deletions) for each in reached):
        return State.DELETED
    return State.BOUND


def _never(bounds: Sequence[Bound], scope: Scope) -> State:
    """Of a name that is nowhere bound."""
    if any(each.kind == "annotation" for each in bounds):
        return State.ANNOTATED if scope.kind is Kind.FUNCTION else State.UNKNOWN
    return State.UNBOUND


def _reaches(bound: Bound, use: Use) -> bool:
    """Whether a binding may have run, and hold."""
    if bound.span == use.span:
        return False  # `x += 1` reads first, however often it runs
    if bound.life.until and not bound.life.since <= use.span.start < bound.life.until:
        return False
    return bound.life.since <= use.span.start or _loop(bound, use) is not None


def _takes(gone: Bound, bound: Bound, use: Use) -> bool:
    """Whether a deletion takes a binding away before the place, on every way from one to the other."""
    if gone.life.since > use.span.start or gone.block not in list(_around(use.block)):
        return False
    if bound.life.since <= use.span.start:
        return bound.life.since <= gone.span.start
    loop = _loop(bound, use)
    return loop is not None and loop.span.contains(gone.span)


def _loop(bound: Bound, use: Use) -> Block | None:
    """The loop that comes back from a binding to a place above it."""
    return next((each for each in _around(use.block) if each.loops and each.span.contains(bound.span)), None)


def _around(block: Block) -> Iterator[Block]:
    here: Block | None = block
    while here is not None:
        yield here
        here = here.above
