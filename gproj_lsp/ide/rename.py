"""Renaming what a text declares: every place or none, and nothing may mean another thing after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gproj_lsp.environment import Binding
from gproj_lsp.errors import InputError
from gproj_lsp.ide.analysis import Analysis
from gproj_lsp.ide.analyzer import Analyzer
from gproj_lsp.ide.edits import Edit, applied
from gproj_lsp.ide.names import Meaning, Name, Names, names_of
from gproj_lsp.ide.sameness import difference
from gproj_lsp.lexer import Token, TokenKind
from gproj_lsp.resolve import Verdict
from gproj_lsp.text import Span

__all__ = ["Renaming", "renaming"]

_QUOTES = "\"'`[]"


@dataclass(frozen=True)
class Renaming:
    """What a rename at a cursor would change.

    Attributes:
        span: The name under the cursor.
        name: As it is declared, without quotes.
        places: Every place that changes, in order.
    """

    span: Span
    name: str
    places: tuple[Span, ...]
    _meaning: Meaning
    _analysis: Analysis
    _analyzer: Analyzer

    def to(self, name: str) -> tuple[Edit, ...]:
        """The edits that give it another name, judged by reading the changed text.

        Args:
            name: The new name; quotes are added where it needs them.

        Raises:
            InputError: It is no name there, or a name would mean something else after it.
        """
        if name.strip() == self.name:
            return ()
        problem = InputError(f'"{name}" is no name here', place=self._place(self.span.start))
        for spelling in self._spellings(name.strip()):
            edits = tuple(Edit(place, spelling) for place in self.places)
            changed = self._changed(edits)
            if changed is None:
                return edits
            problem = changed
        raise problem

    def _spellings(self, name: str) -> Iterator[str]:
        """How the new name may be written: as it was typed, else in quotes."""
        sort, one = self._meaning.binding.sort, self._analyzer.word(name)
        plain = name.casefold()
        if one and (name[0] in _QUOTES or self._analyzer.written(plain, sort) == plain):
            yield name
        bare = name.strip(_QUOTES) if one else name
        written = self._analyzer.written(bare, sort) if bare else ""
        if written and written != name:
            yield written

    def _changed(self, edits: Sequence[Edit]) -> InputError | None:
        """Why the edits would change what some name means; None if they don't."""
        new = edits[0].text.strip(_QUOTES).casefold() if edits else ""
        if self._meaning.local and new in self._beside():
            return InputError(
                f"{edits[0].text} stands in this statement already", place=self._place(self.span.start)
            )
        before = self._analyzer.again(self._analysis, self._analysis.text)
        after = self._analyzer.again(self._analysis, applied(self._analysis.text, edits))
        if len(before.statements) != len(after.statements):
            return InputError(
                "the text would be cut into other statements", place=self._place(self.span.start)
            )
        place = difference(before, after, edits)
        if place is None:
            return self._taken(after)
        data = self._analysis.source.data
        word = data[place.start : place.end].decode("utf-8", "replace")
        return InputError(f"{word} would mean something else", place=self._place(place.start))

    def _taken(self, after: Analysis) -> InputError | None:
        """Why the world has something of the new name already; None if it has not."""
        names = names_of(after)
        name = names.at(self.places[0].start)  # nothing moves before the first
        outside = names.outside(name.meaning) if name is not None else None
        if outside is None:
            return None
        return InputError(f"{outside.name} is declared {_where(outside)}", place=self._place(self.span.start))

    def _beside(self) -> frozenset[str]:
        """What members are called in the statement: an alias among them hides them, or is hidden, as each database likes it."""
        spec = self._analyzer.surface.sorts.get(self._meaning.binding.sort)
        if spec is None or not spec.plural:
            return frozenset()
        names = names_of(self._analysis).of(self._meaning.statement)
        return frozenset(
            each.meaning.binding.name.casefold()
            for each in names
            if each.meaning != self._meaning and each.meaning.binding.sort == spec.name
        )

    def _place(self, offset: int) -> str:
        return self._analysis.lines.place(offset)


def renaming(analyzer: Analyzer, analysis: Analysis, offset: int, *, shared: bool = False) -> Renaming:
    """What a rename at a cursor would change.

    Args:
        analyzer: Made the analysis.
        analysis: The document.
        offset: The cursor, in bytes.
        shared: Whether other texts see what this one declares for what comes after it.

    Raises:
        InputError: Nothing there can be renamed, or not every place that it is named at can be told.
    """
    names = names_of(analysis)
    name = names.at(offset)
    if name is None:
        raise InputError("no name that is declared stands here", place=analysis.lines.place(offset))
    meaning = name.meaning
    _check_declared(names, name, shared=shared)
    _check_all_known(names, meaning)
    places = tuple(each.span for each in names.occurrences(meaning))
    return Renaming(name.span, meaning.binding.name, places, meaning, analysis, analyzer)


def _check_declared(names: Names, name: Name, *, shared: bool) -> None:
    """Refuse what is not declared by this text alone."""
    meaning, place = name.meaning, names.analysis.lines.place(name.span.start)
    binding = meaning.binding
    outside = names.outside(meaning)
    if outside is not None:
        raise InputError(f"{binding.name} is declared {_where(outside)}, not in this text", place=place)
    if shared and not meaning.local:
        raise InputError(
            f"other files know {binding.name} from this one and would keep its name", place=place
        )
    if not any(each.declares for each in names.occurrences(meaning)):
        raise InputError(f"{binding.name} is not spelled where it is declared", place=place)
    for index in names.life(meaning):
        for span, meant in names.implied(index):
            if meant == meaning:
                line = names.analysis.lines.position(span.start).line + 1
                raise InputError(f"line {line} compares {binding.name} without naming it", place=place)


def _where(binding: Binding) -> str:
    provider, place = binding.origin.provider, binding.origin.place
    if provider == "builtin":
        return "by the language itself"
    if provider == "buffer":
        return "before this text"
    return f"by {provider} {place}".strip()


def _check_all_known(names: Names, meaning: Meaning) -> None:
    """Refuse where a name may be it, or may not: then not every place would change."""
    analysis = names.analysis
    for index in names.reach(meaning):
        start = analysis.source.span(index).start
        for token in _unexplained(names, index, meaning):
            place = analysis.lines.place(start + token.span.start)
            raise InputError(f"it can't be told whether {token.text[:40]} means it", place=place)


def _unexplained(names: Names, index: int, meaning: Meaning) -> Iterator[Token]:
    """The tokens of a statement that may name it although nothing is known of them."""
    resolved = names.analysis.statements[index]
    start = names.analysis.source.span(index).start
    known = {name.span.shift(-start) for name in names.of(index)}
    certain = {each.span for each in resolved.references if each.verdict is Verdict.GHOST}
    wanted = meaning.binding.name.casefold()
    for token in resolved.statement.tokens:
        if token.span in known or token.span in certain or wanted not in token.text.casefold():
            continue
        if token.kind in (TokenKind.WORD, TokenKind.QUOTED):
            told = token.text.casefold().strip(_QUOTES) == wanted
        else:
            read = any(token.span.contains(span) for span in known)
            told = not read and not meaning.local and _may_name(token, wanted)
        if told:
            yield token


def _may_name(token: Token, wanted: str) -> bool:
    """Whether a string or a template may name it: strings are read as names by some functions, and as code in routines."""
    if token.kind is TokenKind.STRING:
        told = token.text.casefold().strip(_QUOTES) == wanted
        return told or (token.text.startswith("$") and wanted in _words(token.text))
    return token.kind is TokenKind.OPAQUE and wanted in _words(token.text)


def _words(text: str) -> frozenset[str]:
    return frozenset(
        "".join(char if char.isalnum() or char == "_" else " " for char in text.casefold()).split()
    )
