"""Names that were written before what they belong to: the one way, if there is one, for their scope to have them.

`SELECT model FROM cars WHERE …`, where another table has the model and one declared key leads to that table, means a join along
that key. Adding it keeps what the model wanted to say; writing the name again would not. The surface says what such a way
looks like, as a sketch with typed holes; it is taken where those can be filled in one way only.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from gproj_lsp.environment import Query
from gproj_lsp.text import Span, decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gproj_lsp.decode.scoping import Draft, Misfit
    from gproj_lsp.environment import Binding, Environment
    from gproj_lsp.resolve import Reference
    from gproj_lsp.surface import WideningSpec

__all__ = ["widening"]

_OWNERS = 8
"""Where more owners have all the names, they say too little of what was meant."""


def widening(spec: WideningSpec, draft: Draft, text: str, misfit: Misfit) -> tuple[int, str] | None:
    """What would let a misfit's scope have the names that it lacks.

    Args:
        spec: What that looks like.
        draft: The statement.
        text: Its text so far.
        misfit: The region whose names its scope lacks.

    Returns:
        A byte offset of the text, and the text to put there; None where there is no way, or more than one.
    """
    unmet = draft.unmet(text, misfit.clause.span)
    ends = [clause.span.end for clause in misfit.scope.clauses if clause.name in spec.behind]
    if not unmet or not ends or any(reference.owner for reference in unmet):
        return None
    owner, *others = spec.parts
    found: list[str] = []
    for binding in islice(_owners(owner.sort, draft.before, unmet), _OWNERS):
        begun = owner.text + binding.spelling
        found += islice(_ways(draft, text, ends[-1], begun, [(each.text, each.sort) for each in others]), 2)
    return (ends[-1], found[0]) if len(found) == 1 else None


def _owners(sort: str, environment: Environment, unmet: Iterable[Reference]) -> Iterator[Binding]:
    """What has all the names as its own."""
    having = [
        {
            member.owner
            for member in environment.names(Query.of(reference.sort))
            if member.name.casefold() == reference.name.casefold()
        }
        for reference in unmet
    ]
    for binding in environment.names(Query.of(sort)):
        path = f"{binding.owner}.{binding.folded}" if binding.owner else binding.folded
        if all(path in owners for owners in having):
            yield binding


def _ways(draft: Draft, text: str, at: int, begun: str, parts: list[tuple[str, str]]) -> Iterator[str]:
    """The texts that go on as the parts say, with what is visible at each; names of one meaning count once."""
    if not parts:
        yield begun
        return
    (between, sort), *rest = parts
    data = encode(text)
    left = data[:at] + encode(begun + between)
    environment = draft.environment(decode(left + data[at:]), Span(len(left), len(left)))
    meant: dict[str, Binding] = {}
    for binding in environment.names(Query.of(sort, scope="visible")):
        meant.setdefault(binding.attrs.get("means", binding.name), binding)
    for binding in meant.values():
        yield from _ways(draft, text, at, begun + between + binding.spelling, rest)
