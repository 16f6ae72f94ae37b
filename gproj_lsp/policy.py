"""π(s, Γ, ρ): how strongly a position is constrained, and what happens where that leaves nothing (paper, 4.2, "Fallback").

A policy tries its rungs tightest first. Where a rung's support is empty it climbs *one* rung. Rungs from GAMMA up keep the
guarantee; BASE gives it up, so it is tried only with the user's leave and what it yields is marked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gproj_lsp.environment import Environment
from gproj_lsp.errors import EmptyQueryError
from gproj_lsp.fragment import Fragment, Instance, Rung, instantiate

__all__ = ["Choice", "Policy", "choose"]


@dataclass(frozen=True)
class Policy:
    """Which rungs to try for one sort.

    Attributes:
        rungs: Tightest first.
        regions: Other rungs inside a region; the innermost region of ρ that is named here decides.
    """

    rungs: tuple[Rung, ...] = (Rung.GAMMA,)
    regions: Mapping[str, tuple[Rung, ...]] = field(default_factory=dict)

    def ladder(self, region: Sequence[str] = (), *, allow_base: bool = False) -> tuple[Rung, ...]:
        """The rungs to try at ρ, tightest first.

        Args:
            region: ρ, outermost first.
            allow_base: Whether the user lets a hole be filled without the guarantee.
        """
        named = (self.regions[name] for name in reversed(region) if name in self.regions)
        rungs = sorted(set(next(named, self.rungs)), reverse=True)
        if allow_base:
            return (*(rung for rung in rungs if rung.guaranteed), Rung.BASE)
        return tuple(rungs)


@dataclass(frozen=True)
class Choice:
    """What π chose for one hole.

    Attributes:
        instance: G[Γ] at the rung chosen.
        guaranteed: Whether no ghost can be written: false exactly for a reference position left open.
        empty: Rungs that were tried before and had no candidates, tightest first.
    """

    instance: Instance
    guaranteed: bool
    empty: tuple[Rung, ...] = ()


def choose(  # noqa: PLR0913  (a hole is a sort, Γ and ρ; the rest are the user's wishes for it)
    fragment: Fragment,
    environment: Environment,
    policy: Policy,
    *,
    region: Sequence[str] = (),
    allow_base: bool = False,
    pin: str = "",
    hole: str = "",
) -> Choice:
    """The tightest rung with candidates.

    Args:
        fragment: The fragment of the hole's sort.
        environment: Γ at the hole.
        policy: The sort's policy.
        region: ρ, outermost first.
        allow_base: Whether BASE may be tried last.
        pin: A name the hole must have; tried first, at PIN.
        hole: How the hole reads in the source, for the error.

    Raises:
        EmptyQueryError: No rung has a candidate: a diagnosis, before any token is sampled.
    """
    if pin:
        return _choice(fragment, instantiate(fragment, environment, Rung.PIN, pin=pin, hole=hole), ())
    empty: list[Rung] = []
    nothing: EmptyQueryError | None = None
    for rung in policy.ladder(region, allow_base=allow_base):
        try:
            return _choice(fragment, instantiate(fragment, environment, rung, hole=hole), empty)
        except EmptyQueryError as error:
            empty.append(rung)
            nothing = nothing or error
    raise nothing or EmptyQueryError(fragment.anchor, hole=hole)


def _choice(fragment: Fragment, instance: Instance, empty: Sequence[Rung]) -> Choice:
    """A position that only declares names makes no reference, so it can't hold a ghost, however open it is."""
    refers = any(not ladder.declares for ladder in fragment.slots.values())
    return Choice(instance, instance.guaranteed or not refers, tuple(empty))
