"""π(s, Γ, ρ): how strongly a position is constrained, and what happens where that leaves nothing (paper, 4.2, "Fallback").

A policy tries its rungs tightest first. Where a rung's support is empty, or the model's confidence in it is low, it climbs
*one* rung. Rungs from GAMMA up keep the guarantee; BASE gives it up, so it is tried only with the user's leave and what it
yields is marked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gproj_lsp.environment import Environment
from gproj_lsp.errors import EmptyQueryError
from gproj_lsp.fragment import Fragment, Instance, Rung, instantiate

__all__ = ["Choice", "Confidence", "Policy", "choose"]

Confidence = Callable[[Instance], bool]
"""Whether to trust a rung's support here; may ask a model. False: climb one rung, where one is left."""


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
        doubted: Rungs that had candidates in which confidence was low, tightest first.
    """

    instance: Instance
    guaranteed: bool
    empty: tuple[Rung, ...] = ()
    doubted: tuple[Rung, ...] = ()

    @property
    def fell_back(self) -> bool:
        """Whether the first rung of the policy was not the one taken."""
        return bool(self.empty or self.doubted)


def choose(  # noqa: PLR0913  (a hole is a sort, Γ and ρ; the rest are the user's wishes for it)
    fragment: Fragment,
    environment: Environment,
    policy: Policy,
    *,
    region: Sequence[str] = (),
    allow_base: bool = False,
    pin: str = "",
    confident: Confidence = lambda _: True,
    hole: str = "",
) -> Choice:
    """The tightest rung with candidates to be confident in.

    Where confidence is low on every rung that has candidates, the loosest guaranteed one of them is taken: doubt alone is no
    reason to give the guarantee up, unless the user allowed BASE.

    Args:
        fragment: The fragment of the hole's sort.
        environment: Γ at the hole.
        policy: The sort's policy.
        region: ρ, outermost first.
        allow_base: Whether BASE may be tried last.
        pin: A name the hole must have; tried first, at PIN.
        confident: Whether a rung's support is to be trusted.
        hole: How the hole reads in the source, for the error.

    Raises:
        EmptyQueryError: No rung has a candidate: a diagnosis, before any token is sampled.
    """
    if pin:
        return _choice(fragment, instantiate(fragment, environment, Rung.PIN, pin=pin, hole=hole), (), ())
    empty: list[Rung] = []
    doubted: list[Instance] = []
    nothing: EmptyQueryError | None = None
    for rung in policy.ladder(region, allow_base=allow_base):
        try:
            instance = instantiate(fragment, environment, rung, hole=hole)
        except EmptyQueryError as error:
            empty.append(rung)
            nothing = nothing or error
            continue
        if rung is Rung.BASE or confident(instance):
            return _choice(fragment, instance, empty, doubted)
        doubted.append(instance)
    if doubted:
        return _choice(fragment, doubted.pop(), empty, doubted)
    raise nothing or EmptyQueryError(fragment.anchor, hole=hole)


def _choice(
    fragment: Fragment, instance: Instance, empty: Sequence[Rung], doubted: Sequence[Instance]
) -> Choice:
    """A position that only declares names makes no reference, so it can't hold a ghost, however open it is."""
    refers = any(not ladder.declares for ladder in fragment.slots.values())
    return Choice(
        instance, instance.guaranteed or not refers, tuple(empty), tuple(doubt.rung for doubt in doubted)
    )
