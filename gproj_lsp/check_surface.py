"""Whether a surface is fit for use: data valid, queries compiled, fragments past the hard gate, tests passed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gproj_lsp.decode.base import MaskEngine, Vocabulary
from gproj_lsp.environment import Environment
from gproj_lsp.errors import EmptyQueryError, EngineError, GprojError, SurfaceError
from gproj_lsp.expansion import Keywords, Letters, expand
from gproj_lsp.facts import Facts, facts_from_table
from gproj_lsp.fragment import Fragment, GateCase, Rung, candidates, instantiate
from gproj_lsp.ide import Analyzer
from gproj_lsp.literate import Accepts, Failure, read_tests, run
from gproj_lsp.resolve import Resolver, resolver_of
from gproj_lsp.surface import Surface, load
from gproj_lsp.syntax import Grammar, grammar_of

__all__ = ["BYTES", "Check", "SurfaceReport", "accepts_by", "check_surface", "gate", "mutants"]

BYTES = Vocabulary(
    "bytes",
    (*(bytes([byte]) for byte in range(256)), b""),
    frozenset({256}),
    None,
    None,
    list,
)
"""A token a byte, so that an engine reads any text; the last token ends generation."""

_MUTANTS = 24
"""At most so many ghosts are mined from one accepted text."""


@dataclass(frozen=True)
class Check:
    """One thing that was checked.

    Attributes:
        kind: `toml`, `query`, `fragment` or `test`.
        name: What was checked, as users know it.
        failures: What is wrong with it; empty: nothing.
    """

    kind: str
    name: str
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True)
class SurfaceReport:
    """Everything that was checked of a surface.

    Attributes:
        root: The surface's folder.
        checks: In order: data, queries, fragments, tests.
    """

    root: Path
    checks: tuple[Check, ...]

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Everything that is wrong."""
        return tuple(failure for check in self.checks for failure in check.failures)

    @property
    def passed(self) -> bool:
        """Whether nothing is."""
        return not self.failures


def accepts_by(engine: MaskEngine) -> Accepts:
    """Judges texts by the parser that decoding uses.

    Raises:
        EngineError: When called: the engine is not installed.
    """

    def accepts(fragment: Fragment, environment: Environment, rung: Rung, text: str) -> bool:
        try:
            instance = instantiate(fragment, environment, rung)
        except EmptyQueryError:
            return False
        matcher = engine.compile(instance.grammar, BYTES)
        return matcher.accept_bytes(text.encode()) and matcher.is_complete()

    return accepts


def check_surface(
    root: Path,
    accepts: Accepts,
    resolve: Callable[[Surface], Resolver] = resolver_of,
    brought: Callable[[Surface], Sequence[Facts]] = lambda _: (),
) -> SurfaceReport:
    """Check a surface's folder.

    Args:
        root: The folder that holds `surface.toml`.
        accepts: Judges the fragments (`accepts_by` of an engine).
        resolve: Finds its resolver.
        brought: Reads the facts that it brings, which its tests see.

    Returns:
        What was checked. A folder whose data is not valid gets no further.
    """
    try:
        surface = load(root)
        resolver = resolve(surface)
        facts = brought(surface)
    except SurfaceError as error:
        return SurfaceReport(root, (Check("toml", "surface.toml", (_failure(error, root),)),))
    checks = (
        *_queries(surface),
        *_fragments(surface, resolver, accepts),
        *_tests(surface, resolver, accepts, facts),
    )
    return SurfaceReport(root, (Check("toml", "surface.toml"), *checks))


def gate(fragment: Fragment, surface: Surface, resolver: Resolver, accepts: Accepts) -> tuple[Failure, ...]:
    """The hard gate (paper, section 4.3): the corpus is accepted, what is listed and what is mined as a ghost is rejected.

    Args:
        fragment: What to judge.
        surface: Its surface.
        resolver: The surface's resolver.
        accepts: Judges.
    """
    if not fragment.gate:
        return (Failure(fragment.place, f"{fragment.anchor} has no gate: nothing shows what it takes"),)
    return tuple(
        failure
        for case in fragment.gate
        for failure in _gate_case(fragment, case, surface, resolver, accepts)
    )


def mutants(name: str) -> Iterator[str]:
    """Texts one edit away from a name, most likely slips first: swapped, left out, doubled, another letter, one more."""
    for at in range(len(name) - 1):
        yield name[:at] + name[at + 1] + name[at] + name[at + 2 :]
    for at in range(len(name)):
        yield name[:at] + name[at + 1 :]
        yield name[:at] + name[at] + name[at:]
        yield name[:at] + ("x" if name[at] != "x" else "y") + name[at + 1 :]
    yield f"{name}1"


def _gate_case(
    fragment: Fragment, case: GateCase, surface: Surface, resolver: Resolver, accepts: Accepts
) -> Iterator[Failure]:
    facts = facts_from_table(surface, case.facts, fragment.place)
    environment = Analyzer(surface, resolver, facts).start
    where = f"{fragment.anchor} at {case.rung.name.lower()}"
    composite = fragment.regions or any(each.unless is not None for each in fragment.slots.values())
    whole = _whole(fragment, surface, environment, case.rung) if composite else fragment
    for text in case.accept:
        if not accepts(whole, environment, case.rung, text):
            yield Failure(fragment.place, f"{where} refuses `{text}` of its corpus")
    for text in case.reject:
        if accepts(whole, environment, case.rung, text):
            yield Failure(fragment.place, f"{where} takes `{text}`, which it must reject")
    for text in _ghosts(fragment, case, environment):
        if accepts(whole, environment, case.rung, text):
            yield Failure(fragment.place, f"{where} takes the ghost `{text}`")


def _whole(fragment: Fragment, surface: Surface, environment: Environment, rung: Rung) -> Fragment:
    """The fragment with every fragment that it calls, names filled in."""
    by_lines = surface.completion is not None and surface.completion.lines
    letters = Letters(Keywords.WRITTEN) if by_lines else None
    grammar = expand(fragment.anchor, surface.fragments, environment, lambda _: rung, letters)
    return Fragment(fragment.anchor, grammar, {}, {}, (), fragment.place)


def _ghosts(fragment: Fragment, case: GateCase, environment: Environment) -> Iterator[str]:
    """One-edit mutants of the corpus' names that Γ does not hold; at `base` any name may stand."""
    if not case.rung.guaranteed:
        return
    slots = (candidates(ladder, environment, case.rung) or () for ladder in fragment.slots.values())
    declared = {name for names in slots for name in names}
    for text in case.accept:
        if text in declared:
            mined = [each for each in dict.fromkeys(mutants(text)) if each and each not in declared]
            yield from mined[:_MUTANTS]


def _queries(surface: Surface) -> Iterator[Check]:
    try:
        grammar = grammar_of(surface)
    except SurfaceError as error:
        yield Check("query", surface.tree_sitter, (_failure(error, surface.root),))
        return
    if grammar is not None:
        yield from (Check("query", f"{query}.scm", _compiled(grammar, query)) for query in grammar.queries())


def _compiled(grammar: Grammar, query: str) -> tuple[Failure, ...]:
    try:
        grammar.check(query)
    except SurfaceError as error:
        return (Failure(error.place, error.message),)
    return ()


def _fragments(surface: Surface, resolver: Resolver, accepts: Accepts) -> Iterator[Check]:
    for fragment in surface.fragments.values():
        try:
            failures = gate(fragment, surface, resolver, accepts)
        except EngineError:
            raise
        except GprojError as error:
            failures = (_failure(error, surface.root),)
        yield Check("fragment", fragment.anchor, failures)


def _tests(
    surface: Surface, resolver: Resolver, accepts: Accepts, brought: Sequence[Facts]
) -> Iterator[Check]:
    for path in sorted((surface.root / "tests").glob("*.md")):
        yield from _file(path, surface, resolver, accepts, brought)


def _file(
    path: Path, surface: Surface, resolver: Resolver, accepts: Accepts, brought: Sequence[Facts]
) -> tuple[Check, ...]:
    try:
        tests = read_tests(path, surface)
    except SurfaceError as error:
        return (Check("test", path.name, (_failure(error, surface.root),)),)
    return tuple(
        Check("test", f"{path.name}: {test.name}", run(test, surface, resolver, accepts, brought))
        for test in tests
    )


def _failure(error: GprojError, root: Path) -> Failure:
    return Failure(error.place or str(root), error.message)
