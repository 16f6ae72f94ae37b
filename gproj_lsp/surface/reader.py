"""Reads a surface's folder and says of everything that is wrong in which line it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

import msgspec

from gproj_lsp import gbnf
from gproj_lsp.environment import Query
from gproj_lsp.errors import GrammarError, SurfaceError
from gproj_lsp.fragment import Fragment, GateCase, RegionCall, Rung, SlotLadder
from gproj_lsp.surface.base import FILE_NAME, read_stack, read_toml
from gproj_lsp.surface.spec import (
    KINDS,
    BlockSpec,
    CompletionSpec,
    LexerSpec,
    Limits,
    LinesSpec,
    OpaqueSpec,
    PromptSpec,
    SortSpec,
    Surface,
    TypedHole,
    WideningSpec,
)
from gproj_lsp.tomlfile import TomlFile

__all__ = ["FILE_NAME", "load", "load_fragment"]

_FILLS = ("keep", "name", "blank", "name-or-blank")
_KINDS = ("text", "texts", "url")
_RUNGS = {rung.name.lower(): rung for rung in Rung}
_PATH = re.compile(r" - at `\$(?P<path>[^`]*)`$")
_STEP = re.compile(r"\.([\w-]+)|\[(?:\d+|\.\.\.)\]")
_TYPED_HOLE = re.compile(r"\{:(\w+)\}")
_UNKNOWN = re.compile(r"unknown field `(?P<key>[^`]*)`")

Raw = dict[str, object]
Values = str | tuple[str, ...]
RawQuery = dict[str, Values | dict[str, Values]]
_T = TypeVar("_T")


class _Strict(msgspec.Struct, forbid_unknown_fields=True, rename="kebab"):
    """A table of which every key is known."""


class _Opaque(_Strict):
    pattern: str
    fill: str = "keep"


class _Block(_Strict):
    opener: str
    open: str
    close: str
    neutral: str = ""


class _Lexer(_Strict):
    line_comments: tuple[str, ...] = ()
    block_comment: tuple[str, str] | None = None
    nested_comments: bool = False
    strings: tuple[tuple[str, str, str], ...] = ()
    literals: tuple[str, ...] = ()
    quoted: tuple[tuple[str, str, str], ...] = ()
    dollar_quotes: bool = False
    words: str = LexerSpec.words
    numbers: str = LexerSpec.numbers
    operators: str = ""
    opaque: tuple[_Opaque, ...] = ()
    holes: tuple[str, ...] = ()
    infix_holes: tuple[str, ...] = ()
    reserved: tuple[str, ...] = ()
    terminator: str = LexerSpec.terminator
    delimiter: str = ""
    command: str = ""
    command_ends: str = ""
    data_after: str = ""
    data_end: str = ""
    data_not: str = ""
    listing: str = ""
    blocks: tuple[_Block, ...] = ()


class _Dialect(_Strict):
    lexer: Raw


class _Limits(_Strict):
    file_bytes: int = 4_000_000
    statement_bytes: int = 200_000
    nesting: int = 200


class _Prompt(_Strict):
    owner: str = PromptSpec.owner
    member: str = PromptSpec.member
    example: str = ""


class _Widening(_Strict):
    text: str
    behind: tuple[str, ...]


class _Lines(_Strict):
    unfinished: tuple[RawQuery, ...] = ()
    once: tuple[str, ...] = ()


class _Completion(_Strict):
    sort: str
    scopes: dict[str, str] = {}
    behind: str = '""'
    in_comments: bool = False
    in_strings: bool = False
    widening: _Widening | None = None
    lines: _Lines | None = None


class _Sort(_Strict):
    aliases: tuple[str, ...] = ()
    plural: str = ""
    namespace: str = ""
    placeholder: str = "_"
    declares: str = ""
    rungs: tuple[str, ...] = ("gamma",)
    regions: dict[str, tuple[str, ...]] = {}
    exhaustive: bool = False
    kind: str = ""
    shows: tuple[str, ...] = ()


class _Surface(_Strict):
    name: str
    patterns: tuple[str, ...]
    comment: str
    lexer: Raw
    sorts: dict[str, Raw]
    base: str = ""
    marks: tuple[str, ...] = ()
    brings: dict[str, tuple[str, ...]] = {}
    languages: tuple[str, ...] = ()
    tree_sitter: str = ""
    resolver: str = ""
    providers: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    settings: dict[str, str] = {}
    dialects: dict[str, Raw] = {}
    limits: Raw = {}
    prompt: Raw = {}
    completion: Raw | None = None


class _Slot(_Strict):
    base: str
    gamma: RawQuery | None = None
    ctx: RawQuery | None = None
    pin: RawQuery | None = None
    declares: str = ""
    unless: RawQuery | None = None
    either_case: bool = False
    infix: tuple[str, str] | None = None


class _Region(_Strict):
    sort: str
    order: int = 0
    clause: str = ""
    nests: bool = False
    swaps: dict[str, str] = {}
    prefers: str = ""


class _Gate(_Strict):
    facts: Raw = {}
    rung: str = "gamma"
    accept: tuple[str, ...] = ()
    reject: tuple[str, ...] = ()


class _Fragment(_Strict):
    anchor: str
    grammar: str
    slots: dict[str, Raw] = {}
    regions: dict[str, Raw] = {}
    gate: tuple[Raw, ...] = ()


def load(root: Path) -> Surface:
    """Read a surface's folder.

    Args:
        root: The folder that holds `surface.toml`.

    Raises:
        SurfaceError: Something in it is not valid; `place` is `file:line`.
    """
    file, folders = read_stack(root)
    table = _convert(file, file.table, _Surface)
    sorts = {name: _sort(file, name, raw) for name, raw in table.sorts.items()}
    surface = Surface(
        name=table.name,
        root=root,
        patterns=table.patterns,
        languages=table.languages,
        tree_sitter=table.tree_sitter,
        resolver=table.resolver,
        comment=table.comment,
        lexer=_lexer(file, table.lexer, ("lexer",)),
        dialects=MappingProxyType({name: _dialect(file, table, name) for name in table.dialects}),
        sorts=MappingProxyType(sorts),
        providers=table.providers,
        settings=MappingProxyType(table.settings),
        order=table.order,
        limits=_limits(file, table.limits),
        fragments=MappingProxyType(_stacked(folders, sorts)),
        prompt=_prompt(file, table.prompt),
        completion=_completion(file, sorts, table.completion),
        base=folders[-2].name if len(folders) > 1 else "",
        marks=table.marks,
        brings=MappingProxyType(table.brings),
    )
    _check(file, surface)
    return surface


def load_fragment(path: Path, sorts: Mapping[str, SortSpec]) -> Fragment:
    """Read one fragment.

    Args:
        path: Its TOML file.
        sorts: The surface's sorts, which it may name.

    Raises:
        SurfaceError: It is not valid; `place` is `file:line`.
        GrammarError: Its GBNF is not; `place` is `file:line:column`.
    """
    file = read_toml(path)
    table = _convert(file, file.table, _Fragment)
    _known(file, sorts, table.anchor, "anchor")
    line = file.line("grammar") + 1
    grammar = gbnf.parse(table.grammar, f"{file.label}:{line}")
    slots = {name: _slot(file, sorts, name, raw) for name, raw in table.slots.items()}
    regions = {name: _region(file, sorts, name, raw) for name, raw in table.regions.items()}
    used_slots, used_regions = frozenset(gbnf.slots(grammar)), frozenset(gbnf.regions(grammar))
    _same(file, "slot", used_slots, slots)
    _same(file, "region", used_regions, regions)
    for name, ladder in slots.items():
        if ladder.base not in grammar.rules:
            raise _error(file, f'the grammar has no rule "{ladder.base}"', "slots", name, "base")
        if ladder.infix is not None and ladder.infix[1] not in grammar.rules:
            raise _error(file, f'the grammar has no rule "{ladder.infix[1]}"', "slots", name, "infix")
        if ladder.unless is not None and gbnf.word_of(grammar.rules[ladder.base], frozenset()) is None:
            problem = "words can be left out only of one character and a bounded number of others"
            raise _error(file, problem, "slots", name, "unless")
    gate = tuple(_gate(file, raw) for raw in table.gate)
    return Fragment(table.anchor, grammar, slots, regions, gate, f"{file.label}:1")


def _stacked(folders: Sequence[Path], sorts: Mapping[str, SortSpec]) -> dict[str, Fragment]:
    """The fragments of a surface, and those of the ones below it whose sorts it writes no other way."""
    found: dict[str, Fragment] = {}
    for folder in folders:
        found |= _fragments(folder, sorts)
    return found


def _fragments(root: Path, sorts: Mapping[str, SortSpec]) -> dict[str, Fragment]:
    found: dict[str, Fragment] = {}
    for path in sorted((root / "fragments").glob("*.toml")):
        fragment = load_fragment(path, sorts)
        if fragment.anchor in found:
            first = found[fragment.anchor].place
            raise SurfaceError(f"{fragment.anchor} has a fragment already, in {first}", place=fragment.place)
        found[fragment.anchor] = fragment
    return found


def _convert(file: TomlFile, raw: object, kind: type[_T], *prefix: str) -> _T:
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        raise _invalid(file, str(error), prefix) from error


def _invalid(file: TomlFile, message: str, prefix: Sequence[str]) -> SurfaceError:
    path = _PATH.search(message)
    keys = [*prefix, *(key for key in _STEP.findall(path["path"] if path else "") if key)]
    reason = _PATH.sub("", message)
    if unknown := _UNKNOWN.search(message):
        return _error(file, f'unknown key "{unknown["key"]}"', *keys, unknown["key"])
    return _error(file, f"{'.'.join(keys) or 'the file'}: {reason[:1].lower()}{reason[1:]}", *keys)


def _error(file: TomlFile, message: str, *keys: str) -> SurfaceError:
    return SurfaceError(message, place=file.place(*keys))


def _prompt(file: TomlFile, raw: Raw) -> PromptSpec:
    table = _convert(file, raw, _Prompt, "prompt")
    for key in ("owner", "member"):
        try:
            getattr(table, key).format(name="", type="", members="")
        except (KeyError, IndexError, ValueError, AttributeError) as error:
            known = "{name}, {type} and {members}"
            raise _error(file, f"a template may use {known}", "prompt", key) from error
    return PromptSpec(table.owner, table.member, table.example)


def _completion(file: TomlFile, sorts: Mapping[str, SortSpec], raw: Raw | None) -> CompletionSpec | None:
    if raw is None:
        return None
    table = _convert(file, raw, _Completion, "completion")
    for sort in (table.sort, *table.scopes.values()):
        _known(file, sorts, sort, "completion")
    try:
        behind = gbnf.parse(f"root ::= {table.behind}", file.place("completion", "behind"))
    except GrammarError as error:
        raise _error(file, error.message, "completion", "behind") from error
    scopes = MappingProxyType(table.scopes)
    widening = _widening(file, sorts, table.widening)
    lines = _lines(file, sorts, table.lines)
    return CompletionSpec(table.sort, scopes, behind, table.in_comments, table.in_strings, widening, lines)


def _lines(file: TomlFile, sorts: Mapping[str, SortSpec], table: _Lines | None) -> LinesSpec | None:
    if table is None:
        return None
    where = ("completion", "lines", "unfinished")
    for sort in table.once:
        _known(file, sorts, sort, "completion", "lines", "once")
    unfinished = tuple(_query(file, sorts, query, *where) for query in table.unfinished)
    return LinesSpec(unfinished, frozenset(table.once))


def _widening(file: TomlFile, sorts: Mapping[str, SortSpec], table: _Widening | None) -> WideningSpec | None:
    if table is None:
        return None
    *pieces, rest = _TYPED_HOLE.split(table.text)
    parts = tuple(TypedHole(*pair) for pair in zip(pieces[::2], pieces[1::2], strict=True))
    if rest or not parts:
        where = ("completion", "widening", "text")
        raise _error(file, "a widening is a text that ends in a typed hole, as {:Table}", *where)
    for part in parts:
        _known(file, sorts, part.sort, "completion", "widening")
    return WideningSpec(parts, frozenset(table.behind))


def _lexer(file: TomlFile, raw: Raw, keys: tuple[str, ...]) -> LexerSpec:
    table = _convert(file, raw, _Lexer, *keys)
    values = {each.name: getattr(table, each.name) for each in fields(LexerSpec)}
    values["opaque"] = tuple(OpaqueSpec(each.pattern, each.fill) for each in table.opaque)
    values["blocks"] = tuple(
        BlockSpec(each.opener, each.open, each.close, each.neutral) for each in table.blocks
    )
    values["reserved"] = frozenset(word.upper() for word in table.reserved)
    spec = LexerSpec(**values)
    for key, pattern in _patterns(spec):
        _compiles(file, pattern, *keys, key)
    for each in spec.opaque:
        _one_of(file, each.fill, _FILLS, *keys, "opaque")
    if not spec.terminator.strip():
        raise _error(file, "a terminator can't be blank", *keys, "terminator")
    return spec


def _patterns(spec: LexerSpec) -> Iterable[tuple[str, str]]:
    for key in (
        "words",
        "numbers",
        "operators",
        "command",
        "command_ends",
        "data_after",
        "data_end",
        "data_not",
        "listing",
        "delimiter",
    ):
        yield key.replace("_", "-"), str(getattr(spec, key))
    yield from (("literals", each) for each in spec.literals)
    yield from (("holes", each) for each in spec.holes)
    yield from (("infix-holes", each) for each in spec.infix_holes)
    yield from (("opaque", each.pattern) for each in spec.opaque)
    for block in spec.blocks:
        yield from (("blocks", each) for each in (block.opener, block.open, block.close, block.neutral))


def _compiles(file: TomlFile, pattern: str, *keys: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise _error(file, f"{pattern!r} is no regular expression: {error}", *keys) from error


def _dialect(file: TomlFile, table: _Surface, name: str) -> LexerSpec:
    dialect = _convert(file, table.dialects[name], _Dialect, "dialects", name)
    return _lexer(file, {**table.lexer, **dialect.lexer}, ("dialects", name, "lexer"))


def _limits(file: TomlFile, raw: Raw) -> Limits:
    table = _convert(file, raw, _Limits, "limits")
    limits = Limits(table.file_bytes, table.statement_bytes, table.nesting)
    for each in fields(limits):
        if getattr(limits, each.name) <= 0:
            raise _error(file, "a limit is at least 1", "limits", each.name.replace("_", "-"))
    return limits


def _sort(file: TomlFile, name: str, raw: Raw) -> SortSpec:
    table = _convert(file, raw, _Sort, "sorts", name)
    rungs = _rungs(file, table.rungs, "sorts", name, "rungs")
    regions = {
        region: _rungs(file, listed, "sorts", name, "regions", region)
        for region, listed in table.regions.items()
    }
    if not table.placeholder.isidentifier():
        raise _error(file, "a placeholder is an identifier", "sorts", name, "placeholder")
    _one_of(file, table.kind, KINDS, "sorts", name, "kind")
    return SortSpec(
        name,
        table.aliases,
        table.plural,
        table.namespace or name,
        table.placeholder,
        table.declares,
        rungs,
        MappingProxyType(regions),
        table.exhaustive,
        table.kind,
        table.shows,
    )


def _rungs(file: TomlFile, listed: Sequence[str], *keys: str) -> tuple[Rung, ...]:
    rungs = tuple(_rung(file, each, *keys) for each in listed)
    if not rungs or any(tight <= loose for tight, loose in pairwise(rungs)):
        raise _error(file, "rungs go from the tightest to the loosest", *keys)
    return rungs


def _rung(file: TomlFile, name: str, *keys: str) -> Rung:
    _one_of(file, name, tuple(_RUNGS), *keys)
    return _RUNGS[name]


def _one_of(file: TomlFile, value: str, choices: Sequence[str], *keys: str) -> None:
    if value not in choices:
        raise _error(file, f'"{value}" is none of {", ".join(choices)}', *keys)


def _known(file: TomlFile, sorts: Mapping[str, SortSpec], name: str, *keys: str) -> None:
    if name not in sorts:
        raise _error(file, f'unknown sort "{name}"; known: {", ".join(sorts)}', *keys)


def _slot(file: TomlFile, sorts: Mapping[str, SortSpec], name: str, raw: Raw) -> SlotLadder:
    keys = ("slots", name)
    table = _convert(file, raw, _Slot, *keys)
    if table.declares:
        _known(file, sorts, table.declares, *keys, "declares")
    tables = {Rung.GAMMA: table.gamma, Rung.CTX: table.ctx, Rung.PIN: table.pin}
    queries = {rung: _query(file, sorts, query, *keys) for rung, query in tables.items() if query is not None}
    if not queries and not table.declares:
        raise _error(file, "a slot needs a query, or says what it declares", *keys)
    for (_, loose), (rung, tight) in pairwise(sorted(queries.items())):
        if not tight.tightens(loose):
            raise _error(file, f"the query at {rung.name.lower()} must tighten the one below it", *keys)
    unless = None if table.unless is None else _query(file, sorts, table.unless, *keys, "unless")
    return SlotLadder(
        table.base, MappingProxyType(queries), table.declares, unless, table.either_case, table.infix
    )


def _query(file: TomlFile, sorts: Mapping[str, SortSpec], raw: RawQuery, *keys: str) -> Query:
    where = dict(raw)
    named = where.pop("sort", ())
    owner = where.pop("owner", None)
    barring = where.pop("except", {})
    if isinstance(named, dict) or not named:
        raise _error(file, "a query names at least one sort", *keys)
    if owner is not None and not isinstance(owner, str):
        raise _error(file, "a query has one owner", *keys)
    if not isinstance(barring, dict) or any(isinstance(value, dict) for value in where.values()):
        raise _error(file, "a query filters by attributes, `except` by those that bar a name", *keys)
    names = (named,) if isinstance(named, str) else named
    for name in names:
        _known(file, sorts, name, *keys)
    return Query(frozenset(names), owner, _filters(where), _filters(barring))


def _filters(raw: Mapping[str, Values | dict[str, Values]]) -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple(
        (key, frozenset([value] if isinstance(value, str) else value)) for key, value in sorted(raw.items())
    )


def _region(file: TomlFile, sorts: Mapping[str, SortSpec], name: str, raw: Raw) -> RegionCall:
    table = _convert(file, raw, _Region, "regions", name)
    for sort in (table.sort, *table.swaps, *table.swaps.values(), *filter(None, [table.prefers])):
        _known(file, sorts, sort, "regions", name)
    swaps = MappingProxyType(table.swaps)
    return RegionCall(table.sort, table.order, table.clause, table.nests, swaps, table.prefers)


def _gate(file: TomlFile, raw: Raw) -> GateCase:
    table = _convert(file, raw, _Gate, "gate")
    return GateCase(
        MappingProxyType(table.facts), _rung(file, table.rung, "gate", "rung"), table.accept, table.reject
    )


def _same(file: TomlFile, what: str, used: frozenset[str], described: Mapping[str, object]) -> None:
    for name in sorted(used - set(described)):
        raise _error(file, f"the {what} {name} is not described", "grammar")
    for name in sorted(set(described) - used):
        raise _error(file, f"the grammar has no {what} {name}", f"{what}s", name)


def _check_choice(file: TomlFile, surface: Surface) -> None:
    """What tells its files apart, and what it adds to settings."""
    for each in surface.marks:
        _compiles(file, each, "marks")
    for key in surface.brings:
        _one_of(file, surface.settings.get(key, ""), ("texts",), "brings", key)


def _check(file: TomlFile, surface: Surface) -> None:
    """What spans several tables."""
    if not surface.patterns:
        raise _error(file, "a surface reads at least one pattern of files", "patterns")
    if not surface.comment.strip():
        raise _error(file, "a comment can't be blank", "comment")
    names: dict[str, str] = {}
    for sort in surface.sorts.values():
        if sort.declares:
            _known(file, surface.sorts, sort.declares, "sorts", sort.name, "declares")
        for name in (sort.name, *sort.aliases):
            if name in names:
                raise _error(file, f'"{name}" already names {names[name]}', "sorts", sort.name)
            names[name] = sort.name
    _check_choice(file, surface)
    for key, kind in surface.settings.items():
        if "|" not in kind:
            _one_of(file, kind, (*_KINDS, "a|b"), "settings", key)
