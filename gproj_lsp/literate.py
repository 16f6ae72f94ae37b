"""Literate tests: a surface's `tests/*.md`, which read as documentation and run as tests.

A header names a test; its fences of code make up one buffer; a `toml` fence configures the section and those below it
(`[settings]`, `[facts.…]`). A comment line under a line of code says what is expected at the place its carets point to::

    SELECT u.nmae, ?? FROM users u;
    --       ^^^^ error: [ghost-reference] "nmae" fix: name
    --             ^^ hole: Column (ctx) id, name

Every diagnostic is matched by exactly one assertion and every assertion by exactly one diagnostic. Holes need none. An
`accept hole=Column` or `reject hole=Column` fence lists, a line each, what G[Γ] of the first such hole must take or refuse.
(The form is Astral's mdtest, cut down to one buffer a test.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gproj_lsp import tomlfile
from gproj_lsp.environment import Environment, Query
from gproj_lsp.errors import InputError, SurfaceError
from gproj_lsp.facts import Facts, facts_from_table
from gproj_lsp.fragment import Fragment, Rung, candidates
from gproj_lsp.ghosts import Diagnostic
from gproj_lsp.holes import Hole
from gproj_lsp.ide import Analysis, Analyzer
from gproj_lsp.resolve import Resolver
from gproj_lsp.surface import Surface

__all__ = ["Accepts", "Failure", "LiterateTest", "read_tests", "run"]

Accepts = Callable[[Fragment, Environment, Rung, str], bool]
"""Whether G[Γ] at a rung takes a text; False as well where nothing could be instantiated."""

_HEADER = re.compile(r"^(?P<marks>#+)\s+(?P<title>.+?)\s*$")
_FENCE = re.compile(r"^(?P<ticks>`{3,})\s*(?P<info>[^`]*)$")
_EXPECTED = re.compile(
    r"^(?P<code>\[[\w-]+\])?\s*(?P<text>\"(?:[^\"\\]|\\.)*\")?\s*(?:fix:\s*(?P<fix>.+?))?\s*$"
)
_HOLE = re.compile(r"^(?P<sort>\w*)\s*(?:\((?P<rung>\w+)\))?\s*(?P<names>.*?)\s*$")
_RUNGS = {rung.name.lower(): rung for rung in Rung}
_KEYS = ("settings", "facts")


@dataclass(frozen=True)
class Assertion:
    """What a comment line expects.

    Attributes:
        line: Its 1-based line in the file.
        target: The 0-based line of the buffer it speaks of.
        start: The first character its carets point to; -1: any on that line.
        end: The character behind the last.
        kind: `error`, `warning` or `hole`.
        says: The rest of the line.
    """

    line: int
    target: int
    start: int
    end: int
    kind: str
    says: str


@dataclass(frozen=True)
class Listing:
    """An `accept` or `reject` fence.

    Attributes:
        line: Its 1-based line in the file.
        accept: Whether its texts are to be taken.
        hole: The sort of the hole it speaks of, or its number from 1.
        rung: At which rung; None: the hole's tightest.
        texts: One a line, each with its line in the file.
    """

    line: int
    accept: bool
    hole: str
    rung: Rung | None
    texts: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class LiterateTest:
    """One test.

    Attributes:
        name: The headers above it, outermost first.
        path: Its file.
        line: The 1-based line of its first fence.
        code: The buffer.
        rows: The 1-based line in the file of each of its lines.
        settings: The surface's settings.
        facts: What the world declares.
        assertions: What is expected of diagnostics and holes.
        listings: What is expected of G[Γ].
    """

    name: str
    path: Path
    line: int
    code: str
    rows: tuple[int, ...]
    settings: Mapping[str, str]
    facts: Facts
    assertions: tuple[Assertion, ...]
    listings: tuple[Listing, ...]


@dataclass(frozen=True)
class Failure:
    """What did not come out as a test says; `place` is `path:line`."""

    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


@dataclass
class _Section:
    """A header, the text below it and what it inherits."""

    title: str
    level: int
    settings: dict[str, str]
    facts: dict[str, object]
    facts_line: int = 0
    line: int = 0
    code: list[str] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    assertions: list[Assertion] = field(default_factory=list)
    listings: list[Listing] = field(default_factory=list)


def read_tests(path: Path, surface: Surface) -> tuple[LiterateTest, ...]:
    """The tests of one file.

    Args:
        path: A Markdown file.
        surface: Whose language its fences are in.

    Raises:
        SurfaceError: The file is no literate test; `place` is `path:line`.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SurfaceError(f"can't be read: {error}", place=str(path)) from error
    tests = tuple(_Reader(path, surface, text).tests())
    if not tests:
        raise SurfaceError("holds no test: a header, then a fence of code", place=str(path))
    names = [test.name for test in tests]
    for test in tests:
        if names.count(test.name) > 1:
            raise SurfaceError(f'two tests are called "{test.name}"', place=f"{path}:{test.line}")
    return tests


class _Reader:
    """Walks over a file's lines."""

    def __init__(self, path: Path, surface: Surface, text: str) -> None:
        self.path = path
        self.surface = surface
        self.lines = text.splitlines()
        self.at = 0
        self.stack: list[_Section] = []
        self.assertion = re.compile(
            rf"^\s*{re.escape(surface.comment)}\s*(?P<carets>\^*)\s*(?P<kind>error|warning|hole):\s*(?P<says>.*)$"
        )

    def error(self, message: str, line: int) -> SurfaceError:
        return SurfaceError(message, place=f"{self.path}:{line}")

    def tests(self) -> Iterator[LiterateTest]:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            self.at += 1
            if header := _HEADER.match(line):
                yield from self._finish()
                self._open(header["title"], len(header["marks"]))
            elif fence := _FENCE.match(line):
                self._fence(fence["ticks"], fence["info"].split())
        yield from self._finish()

    def _open(self, title: str, level: int) -> None:
        while self.stack and self.stack[-1].level >= level:
            self.stack.pop()
        above = self.stack[-1] if self.stack else None
        settings, facts = (dict(above.settings), dict(above.facts)) if above else ({}, {})
        self.stack.append(_Section(title, level, settings, facts, above.facts_line if above else 0))

    def _finish(self) -> Iterator[LiterateTest]:
        if not self.stack:
            return
        section = self.stack[-1]
        if not section.line:
            if section.listings:
                raise self.error("there is no code for these texts", section.listings[0].line)
            return
        place = f"{self.path}:{section.facts_line or section.line}"
        try:
            facts = facts_from_table(self.surface, section.facts, place)
        except InputError as error:
            raise SurfaceError(error.message, place=error.place or place, mend=error.mend) from error
        name = " › ".join(each.title for each in self.stack)
        yield LiterateTest(
            name,
            self.path,
            section.line,
            "\n".join(section.code),
            tuple(section.rows),
            dict(section.settings),
            facts,
            tuple(section.assertions),
            tuple(section.listings),
        )
        section.line = 0

    def _fence(self, ticks: str, info: list[str]) -> None:
        opened = self.at
        while self.at < len(self.lines) and self.lines[self.at].rstrip() != ticks:
            self.at += 1
        if self.at == len(self.lines):
            raise self.error("the fence is never closed", opened)
        body = self.lines[opened : self.at]
        self.at += 1
        kind = info[0] if info else ""
        if kind in ("", "text"):
            return
        if not self.stack:
            raise self.error("a fence stands below the header that names its test", opened)
        if kind == "toml":
            self._configure("\n".join(body), opened)
        elif kind in ("accept", "reject"):
            self._list(kind, info[1:], body, opened)
        elif kind == self.surface.name or kind in self.surface.languages:
            self._code(body, opened)
        else:
            known = f"toml, accept, reject, text, {self.surface.name}"
            raise self.error(f'unknown fence "{kind}"; known: {known}', opened)

    def _configure(self, text: str, opened: int) -> None:
        try:
            table = tomlfile.parse(text, str(self.path)).table
        except InputError as error:
            raise self.error(error.message, opened) from error
        for key in table:
            if key not in _KEYS:
                raise self.error(f'unknown key "{key}"; known: {", ".join(_KEYS)}', opened)
        section = self.stack[-1]
        settings, facts = table.get("settings", {}), table.get("facts", {})
        if not isinstance(settings, dict) or not isinstance(facts, dict):
            raise self.error("settings and facts are tables", opened)
        for key, value in settings.items():
            if key not in self.surface.settings or not isinstance(value, str):
                raise self.error(f'"{key}" is no setting of {self.surface.name} that is a text', opened)
            section.settings[key] = value
        section.facts |= facts
        section.facts_line = opened if facts else section.facts_line

    def _list(self, kind: str, options: list[str], body: list[str], opened: int) -> None:
        given = dict(option.partition("=")[::2] for option in options)
        hole, rung = given.pop("hole", ""), given.pop("rung", "")
        if not hole or given or (rung and rung not in _RUNGS):
            raise self.error(f"write `{kind} hole=Sort`, and `rung={'|'.join(_RUNGS)}` if need be", opened)
        texts = tuple((opened + index, line) for index, line in enumerate(body, 1))
        self.stack[-1].listings.append(Listing(opened, kind == "accept", hole, _RUNGS.get(rung), texts))

    def _code(self, body: list[str], opened: int) -> None:
        section = self.stack[-1]
        section.line = section.line or opened
        target = -1
        for number, line in enumerate(body, opened + 1):
            index = len(section.code)
            section.code.append(line)
            section.rows.append(number)
            match = self.assertion.match(line)
            if match is None:
                target = index
                continue
            if target < 0:
                raise self.error("an assertion stands below the line of code it speaks of", number)
            self._assert(match, number, target)

    def _assert(self, match: re.Match[str], number: int, target: int) -> None:
        start, end = match.span("carets") if match["carets"] else (-1, -1)
        kind, says = match["kind"], match["says"]
        if kind == "hole":
            readable = _HOLE.match(says)
            if readable is None or (readable["rung"] or "ctx") not in _RUNGS:
                raise self.error("write `hole: Sort (rung) name, name`", number)
        else:
            readable = _EXPECTED.match(says)
            if readable is None or not (readable["code"] or readable["text"]):
                raise self.error('write `error: [code] "text" fix: name`, code or text at least', number)
        self.stack[-1].assertions.append(Assertion(number, target, start, end, kind, says))


def run(
    test: LiterateTest,
    surface: Surface,
    resolver: Resolver,
    accepts: Accepts,
    brought: Sequence[Facts] = (),
) -> tuple[Failure, ...]:
    """Run a test.

    Args:
        test: The test.
        surface: Its language.
        resolver: The language's resolver.
        accepts: Judges the texts of its listings.
        brought: What the surface brings, beside what the test says.

    Returns:
        What did not come out as it says; empty: it passed.
    """
    analysis = Analyzer(surface, resolver, (test.facts, *brought), test.settings).analyse(test.code)
    judge = _Judge(test, surface, analysis)
    return tuple(
        sorted(
            (*judge.diagnostics(), *judge.holes(), *judge.listings(accepts)),
            key=lambda failure: int(failure.place.rpartition(":")[2]),
        )
    )


class _Judge:
    """Compares one analysis with what a test says."""

    def __init__(self, test: LiterateTest, surface: Surface, analysis: Analysis) -> None:
        self.test = test
        self.surface = surface
        self.analysis = analysis

    def diagnostics(self) -> Iterator[Failure]:
        left = list(self.analysis.diagnostics)
        for assertion in self.test.assertions:
            if assertion.kind == "hole":
                continue
            found = next((each for each in left if self._fits(assertion, each)), None)
            if found is None:
                yield self._fail(assertion.line, f"nothing matches `{assertion.kind}: {assertion.says}`")
            else:
                left.remove(found)
        for each in left:
            position = self.analysis.lines.position(each.span.start, "utf-32")
            suggestions = f" fix: {each.suggestions[0]}" if each.suggestions else ""
            said = f'{each.severity}: [{each.code}] "{each.name}"{suggestions}'
            line = self._file_line(position.line)
            yield self._fail(line, f"unexpected at column {position.character + 1}: {said} ({each.message})")

    def holes(self) -> Iterator[Failure]:
        left = list(self.analysis.holes)
        for assertion in self.test.assertions:
            if assertion.kind != "hole":
                continue
            found = next(
                (each for each in left if self._there(assertion, each.span.start, each.span.end)), None
            )
            if found is None:
                yield self._fail(assertion.line, "there is no hole")
                continue
            left.remove(found)
            if (wrong := self._wrong(assertion, found)) is not None:
                yield self._fail(assertion.line, wrong)

    def listings(self, accepts: Accepts) -> Iterator[Failure]:
        for listing in self.test.listings:
            hole = self._hole(listing.hole)
            fragment = self.surface.fragments.get(hole.sort) if hole else None
            if hole is None or fragment is None:
                yield self._fail(listing.line, f"there is no hole {listing.hole} with a fragment")
                continue
            rung = listing.rung if listing.rung is not None else self._tightest(hole.sort)
            for line, text in listing.texts:
                if accepts(fragment, hole.environment, rung, text) != listing.accept:
                    verb = "refused" if listing.accept else "taken"
                    yield self._fail(line, f"`{text}` is {verb} at {rung.name.lower()}")

    def _fits(self, assertion: Assertion, found: Diagnostic) -> bool:
        expected = _EXPECTED.match(assertion.says)
        if expected is None or found.severity != assertion.kind:
            return False
        text = re.sub(r"\\(.)", r"\1", (expected["text"] or '""')[1:-1])
        return (
            self._there(assertion, found.span.start, found.span.end)
            and (not expected["code"] or expected["code"][1:-1] == found.code)
            and (text == found.name or text in found.message)
            and (not expected["fix"] or expected["fix"] == next(iter(found.suggestions), None))
        )

    def _there(self, assertion: Assertion, start: int, end: int) -> bool:
        lines = self.analysis.lines
        first, last = lines.position(start, "utf-32"), lines.position(end, "utf-32")
        if first.line != assertion.target:
            return False
        width = last.character if last.line == first.line else assertion.end
        return assertion.start < 0 or (first.character, width) == (assertion.start, assertion.end)

    def _wrong(self, assertion: Assertion, hole: Hole) -> str | None:
        expected = _HOLE.match(assertion.says)
        if expected is None or expected["sort"] != hole.sort:
            return f"the hole's sort is {hole.sort or 'not known'}"
        if not expected["names"] and not expected["rung"]:
            return None
        rung = _RUNGS[expected["rung"] or "ctx"]
        wanted = [name.strip() for name in expected["names"].split(", ")] if expected["names"] else []
        found = self._candidates(hole, rung)
        more = bool(wanted) and wanted[-1] in ("…", "...")
        missing = [name for name in (wanted[:-1] if more else wanted) if name not in found]
        extra = [] if more else [name for name in found if name not in wanted]
        if not missing and not extra:
            return None
        return f"the candidates at {rung.name.lower()} are {', '.join(found) or 'none'}"

    def _candidates(self, hole: Hole, rung: Rung) -> tuple[str, ...]:
        fragment = self.surface.fragments.get(hole.sort)
        if fragment is None:
            found = hole.environment.names(Query.of(hole.sort))
            return tuple(dict.fromkeys(binding.spelling for binding in found))
        slots = (candidates(ladder, hole.environment, rung) or () for ladder in fragment.slots.values())
        return tuple(dict.fromkeys(name for names in slots for name in names))

    def _hole(self, which: str) -> Hole | None:
        holes = self.analysis.holes
        if which.isdigit():
            return holes[int(which) - 1] if 0 < int(which) <= len(holes) else None
        return next((hole for hole in holes if hole.sort == which), None)

    def _tightest(self, sort: str) -> Rung:
        return self.surface.sorts[sort].rungs[0] if sort in self.surface.sorts else Rung.GAMMA

    def _file_line(self, line: int) -> int:
        """The line of the file that a line of the buffer stands on; fences may lie between them."""
        return self.test.rows[line] if line < len(self.test.rows) else self.test.line

    def _fail(self, line: int, message: str) -> Failure:
        return Failure(f"{self.test.path}:{line}", message)
