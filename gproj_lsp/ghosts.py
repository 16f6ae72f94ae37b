"""Diagnostics of a statement's references: ghosts, with what could stand there instead; ambiguous and deprecated names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from rapidfuzz.distance import OSA, JaroWinkler
from rapidfuzz.process import extract

from gproj_lsp.environment import Binding, Environment, Origin, Query
from gproj_lsp.facts import DEPRECATED, REPLACEMENT
from gproj_lsp.resolve import Reference, Resolution, Verdict
from gproj_lsp.surface import Surface
from gproj_lsp.syntax import HoleMark
from gproj_lsp.text import LineIndex, Span

__all__ = [
    "AMBIGUOUS",
    "DEPRECATION",
    "GHOST",
    "UNFIT",
    "UNKNOWN_SORT",
    "Diagnostic",
    "clear",
    "diagnose",
    "nearest",
    "suppressed",
    "unknown_sort",
]

GHOST = "ghost-reference"
AMBIGUOUS = "ambiguous-reference"
DEPRECATION = "deprecated-reference"
UNFIT = "unfit-reference"
UNKNOWN_SORT = "unknown-sort"

_FAR = 0.4
"""Below this similarity a name is no suggestion."""
_SAME = 0.75
"""From this similarity on two words of names are taken for one."""
_WORDS = re.compile(r"[^\W_]{3,}")
_MANY = 100
"""More candidates than this are sifted before they are ordered."""
_SEARCHES = 256
_SHOWN = 3
"""How many suggestions a message names, of which `suggestions` may hold more; so few are suggested however far they are."""
_QUOTES = "\"'`[]"
_IGNORE = re.compile(r"gproj:\s*ignore(?:\[(?P<codes>[\w\s,-]*)\])?")


@dataclass(frozen=True)
class Diagnostic:
    """One finding.

    Attributes:
        code: `ghost-reference`, `ambiguous-reference`, `deprecated-reference`, `unfit-reference`, `unknown-sort`.
        severity: `error` or `warning`.
        message: One sentence for people; names the thing, its sort and where candidates come from.
        name: The name as written, unquoted.
        sort: The sort its place expects.
        span: Its bytes in the document, quotes included.
        suggestions: Spellings that could stand in place of the span, nearest first; without far-fetched ones.
        origin: Where the first suggestion is declared.
    """

    code: str
    severity: str
    message: str
    name: str
    sort: str
    span: Span
    suggestions: tuple[str, ...] = ()
    origin: Origin | None = None

    def shift(self, by: int) -> Diagnostic:
        """The same finding, `by` bytes further on."""
        return replace(self, span=self.span.shift(by))


def diagnose(
    references: Iterable[Reference], resolution: Resolution, environment: Environment
) -> Iterator[Diagnostic]:
    """The findings of one statement, spans relative to it.

    Args:
        references: Its references.
        resolution: What is known of its places.
        environment: Γ before it.
    """
    for reference in references:
        if reference.verdict is Verdict.GHOST:
            yield _ghost(reference, _around(resolution, environment, reference))
        elif reference.verdict is Verdict.AMBIGUOUS:
            yield _ambiguous(reference)
        elif reference.verdict is Verdict.UNFIT:
            yield _unfit(reference)
        elif reference.binding is not None and DEPRECATED in reference.binding.attrs:
            yield _deprecated(reference, reference.binding)


def unknown_sort(mark: HoleMark, surface: Surface) -> Diagnostic:
    """The finding that a hole names a sort the surface does not have."""
    known = [name for sort in surface.sorts.values() for name in (sort.name, *sort.aliases)]
    suggestions = nearest(mark.sort, known)
    message = f'"{mark.sort}" is no sort of {surface.name}; known: {", ".join(surface.sorts)}'
    return Diagnostic(UNKNOWN_SORT, "error", message, mark.sort, "", mark.span, suggestions)


def nearest(name: str, candidates: Iterable[str], *, cutoff: float = 0.0) -> tuple[str, ...]:
    """The candidates by likeness to a name: edits first, then the same case, then a shared beginning, then their own order.

    Args:
        name: What was written.
        candidates: Spellings; quotes and qualification don't count against them.
        cutoff: The least likeness, 0 to 1, to be among them.
    """
    wanted = name.casefold()
    plain = {spelling: _plain(spelling) for spelling in candidates}
    if len(plain) > _MANY and cutoff:
        plain = _near(wanted, plain, cutoff)
    scored: list[tuple[float, float, float, int, str]] = []
    for index, (spelling, forms) in enumerate(plain.items()):
        likeness = max(OSA.normalized_similarity(wanted, form) for form in forms)
        start = max(JaroWinkler.similarity(wanted, form) for form in forms)
        if likeness >= cutoff:
            scored.append((-likeness, -_same_case(name, spelling), -start, index, spelling))
    return tuple(spelling for *_, spelling in sorted(scored))


def _same_case(name: str, spelling: str) -> float:
    """Likeness with upper and lower case apart; of a name in capitals it tells nothing."""
    return (
        0.0 if name.isupper() else OSA.normalized_similarity(name, spelling.strip(_QUOTES).rpartition(".")[2])
    )


def clear(name: str, suggestions: Sequence[str]) -> bool:
    """Whether the nearest suggestion is plainly the name that was meant, so that it may be taken unseen.

    It differs in a quarter of the letters at most, and the next one needs two more edits: between `total_prize` and
    `total_price` nobody can choose for the user.

    Args:
        name: What was written.
        suggestions: Spellings, nearest first.
    """
    if not suggestions:
        return False
    first, *others = (_edits(name.casefold(), spelling) for spelling in suggestions[:2])
    return first * 4 <= len(name) + 1 and all(other >= first + (2 if first else 1) for other in others)


def _edits(wanted: str, spelling: str) -> int:
    return min(OSA.distance(wanted, form) for form in _plain(spelling))


def _plain(spelling: str) -> tuple[str, ...]:
    """What of a spelling is compared: all of it, and its last part if it is qualified."""
    whole = spelling.casefold().strip(_QUOTES)
    last = whole.rpartition(".")[2].strip(_QUOTES)
    return (whole,) if last == whole else (whole, last)


def _near(wanted: str, plain: Mapping[str, tuple[str, ...]], cutoff: float) -> dict[str, tuple[str, ...]]:
    """Those above the cutoff, found in native code."""
    spellings = [spelling for spelling, forms in plain.items() for _ in forms]
    flat = [form for forms in plain.values() for form in forms]
    scores = extract(wanted, flat, scorer=OSA.normalized_similarity, score_cutoff=cutoff, limit=None)
    found = {spellings[index] for _, _, index in scores}
    return {spelling: forms for spelling, forms in plain.items() if spelling in found}


def suppressed(diagnostic: Diagnostic, lines: LineIndex, comments: Iterable[str]) -> bool:
    """Whether a comment `gproj: ignore[code]` on its line, or alone on the line before, silences it.

    Args:
        diagnostic: The finding.
        lines: The document.
        comments: What starts a comment there.
    """
    line = lines.position(diagnostic.span.start, "utf-8").line
    openers = tuple(comments)
    own = _text(lines, line)
    before = _text(lines, line - 1).strip() if line else ""
    return _silences(_comment(own, openers), diagnostic.code) or (
        before.startswith(openers) and _silences(before, diagnostic.code)
    )


def _text(lines: LineIndex, line: int) -> str:
    span = lines.line_span(line)
    return lines.data[span.start : span.end].decode("utf-8", "replace")


def _comment(line: str, openers: tuple[str, ...]) -> str:
    found = [at for at in (line.find(opener) for opener in openers) if at >= 0]
    return line[min(found) :] if found else ""


def _silences(comment: str, code: str) -> bool:
    return any(
        match["codes"] is None or code in (each.strip() for each in match["codes"].split(","))
        for match in _IGNORE.finditer(comment)
    )


def _around(resolution: Resolution, environment: Environment, reference: Reference) -> Environment:
    for frame in resolution.frames_at(reference.span.start):
        environment = environment.push(frame)
    return environment


def _ghost(reference: Reference, environment: Environment) -> Diagnostic:
    suggestions = _suggestions(reference, environment)
    origin = _origin(suggestions[0], reference.sort, environment) if suggestions else None
    message = _message(reference, suggestions, origin)
    return Diagnostic(
        GHOST, "error", message, reference.name, reference.sort, reference.span, suggestions, origin
    )


def _suggestions(reference: Reference, environment: Environment) -> tuple[str, ...]:
    """What is near; where nothing is, the few names that can stand there at all, and all where their owner is not known."""
    name, spellings = reference.name, reference.candidates
    if not spellings:
        bindings = environment.names(Query.of(reference.sort, owner=reference.owner or None))
        spellings = tuple(binding.spelling for binding in bindings)
        if not reference.owner:
            return _ordered(name, spellings, _FAR)
    found = _ordered(name, spellings, 0.0)
    if "." in name:
        return found
    near = tuple(spelling for spelling in found if _alike(name, spelling))
    return near if near or len(found) > _SHOWN else found


@lru_cache(maxsize=_SEARCHES)
def _ordered(name: str, candidates: tuple[str, ...], cutoff: float) -> tuple[str, ...]:
    """As `nearest`; a renamed name is looked for wherever it was written, among the same ones."""
    return nearest(name, candidates, cutoff=cutoff)


@lru_cache(maxsize=16 * _SEARCHES)
def _alike(name: str, spelling: str) -> bool:
    """Whether two names may be one misspelt, or share a word: `email` and `mail_addr`."""
    wanted = name.casefold()
    forms = _plain(spelling)
    if any(OSA.normalized_similarity(wanted, form) >= _FAR for form in forms):
        return True
    others = _WORDS.findall(forms[-1])
    return any(
        OSA.normalized_similarity(word, other) >= _SAME for word in _WORDS.findall(wanted) for other in others
    )


def _origin(spelling: str, sort: str, environment: Environment) -> Origin | None:
    found = environment.called(sort, spelling) or environment.called(sort, spelling.rpartition(".")[2])
    return found.origin if found else None


def _message(reference: Reference, suggestions: tuple[str, ...], origin: Origin | None) -> str:
    owner = f" in {reference.owner}" if reference.owner else ""
    parts = [f'{reference.sort.lower()} "{reference.name}" does not exist{owner}']
    if reference.reason:
        parts.append(reference.reason)
    if suggestions:
        source = f" ({' '.join(filter(None, (origin.provider, origin.place)))})" if origin else ""
        parts.append(f"nearest: {', '.join(suggestions[:_SHOWN])}{source}")
    return "; ".join(parts)


def _ambiguous(reference: Reference) -> Diagnostic:
    reason = reference.reason or "more than one declaration fits"
    choices = f"; write {' or '.join(reference.candidates[:_SHOWN])}" if reference.candidates else ""
    message = f'{reference.sort.lower()} "{reference.name}" is ambiguous: {reason}{choices}'
    return Diagnostic(
        AMBIGUOUS, "warning", message, reference.name, reference.sort, reference.span, reference.candidates
    )


def _unfit(reference: Reference) -> Diagnostic:
    fitting = tuple(each for each in reference.candidates if each != reference.name)
    choices = f"; fitting: {', '.join(fitting[:_SHOWN])}" if fitting else ""
    message = f'{reference.sort.lower()} "{reference.name}" does not fit here: {reference.reason}{choices}'
    return Diagnostic(UNFIT, "warning", message, reference.name, reference.sort, reference.span, fitting)


def _deprecated(reference: Reference, binding: Binding) -> Diagnostic:
    instead = binding.attrs.get(REPLACEMENT, "")
    said = binding.attrs[DEPRECATED]
    owner = f" of {reference.owner}" if reference.owner else ""
    told = f": {said}" if said else f"; write {instead}" if instead else ""
    message = f'{reference.sort.lower()} "{reference.name}"{owner} is deprecated{told}'
    suggestions = (instead,) if instead else ()
    return Diagnostic(
        DEPRECATION,
        "warning",
        message,
        reference.name,
        reference.sort,
        reference.span,
        suggestions,
        binding.origin,
    )
