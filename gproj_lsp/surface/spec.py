"""What a surface is, as values: `grammars/<surface>/` after validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from gproj_lsp.environment import Query
from gproj_lsp.fragment import Fragment, Rung
from gproj_lsp.gbnf import Grammar
from gproj_lsp.policy import Policy

__all__ = [
    "KINDS",
    "BlockSpec",
    "CompletionSpec",
    "LexerSpec",
    "Limits",
    "OpaqueSpec",
    "PromptSpec",
    "SortSpec",
    "Surface",
    "TypedHole",
    "WideningSpec",
]

KINDS = ("", "constant", "field", "function", "module", "struct", "variable")
"""What editors tell apart."""


@dataclass(frozen=True)
class SortSpec:
    """One sort.

    Attributes:
        name: `Column`.
        aliases: Other names a hole may give it (`ColRef`).
        plural: The key that lists such names under their owner in facts (`columns`); empty for top-level sorts.
        namespace: Sorts that share one name space name the same one.
        placeholder: A text that parses where such a name stands; cut or padded to the hole's length.
        declares: For declaration sorts (`ColDecl`): the sort the written name is declared as.
        rungs: π: the rungs to try, tightest first; climbing above GAMMA needs the user's leave.
        regions: Other rungs inside a region, by its name; the innermost one named decides.
        exhaustive: Whether a source that declares some such names declares them all (DDL files and tables).
        kind: What editors show such a name as: one of `KINDS`; empty for what is no single name.
        shows: The attributes that editors show of such a name, in order.
    """

    name: str
    aliases: tuple[str, ...] = ()
    plural: str = ""
    namespace: str = ""
    placeholder: str = "x"
    declares: str = ""
    rungs: tuple[Rung, ...] = (Rung.GAMMA,)
    regions: Mapping[str, tuple[Rung, ...]] = field(default_factory=lambda: MappingProxyType({}))
    exhaustive: bool = False
    kind: str = ""
    shows: tuple[str, ...] = ()

    @property
    def policy(self) -> Policy:
        """π for names of this sort."""
        return Policy(self.rungs, self.regions)


@dataclass(frozen=True)
class OpaqueSpec:
    """Text that is not of the language: a parameter, a template, a client variable.

    Attributes:
        pattern: A regular expression.
        fill: What parsers see in its place: `keep` (itself), `name` (an identifier), `blank` (spaces), or
            `name-or-blank` (spaces where a statement begins with it, an identifier elsewhere).
    """

    pattern: str
    fill: str = "keep"


@dataclass(frozen=True)
class BlockSpec:
    """A statement with a body, in which the terminator does not end it.

    Attributes:
        opener: What such a statement begins with.
        open: What opens a level.
        close: What closes one.
        neutral: What looks like `close` and is not (`END IF`).
    """

    opener: str
    open: str
    close: str
    neutral: str = ""


@dataclass(frozen=True)
class LexerSpec:
    """How a buffer splits into tokens and statements; tables over `[dialects.<name>.lexer]` override it per dialect.

    Every pattern is a regular expression, matched without regard to case but for hole marks; `.` matches line breaks.

    Attributes:
        line_comments: What starts a comment that runs to the line's end.
        block_comment: What starts and ends one that may span lines.
        nested_comments: Whether block comments nest.
        strings: (open, close, escape): escape "" = none, = close: doubled, else that character and doubled.
        literals: Strings that three texts don't describe (prefixes, an end of line that ends them), as regular expressions.
        quoted: Quoted identifiers, as `strings`.
        dollar_quotes: Whether `$tag$ … $tag$` is a string.
        words: Identifiers and keywords.
        numbers: Numbers.
        operators: Punctuation that is more than one character and would otherwise be read as something else (`::`).
        opaque: What is unknown and never a ghost.
        holes: Hole marks, with groups `name`, `sort` and `instruction`.
        infix_holes: Marks that are an operator where an operand stands on either side (`a ?? b`).
        reserved: Words that are no operand, to tell that.
        terminator: What ends a statement.
        delimiter: The client command that changes the terminator, or empty.
        command: A client command that runs to its line's end, or empty.
        command_ends: Which of those end the statement before them, or empty.
        data_after: Statements after which lines of data follow, or empty.
        data_end: The line that ends those.
        data_not: What the next line begins with where, against `data_after`, no data follow.
        listing: What stands for names that it does not spell out (`*`), or empty.
        blocks: Statements with bodies.
    """

    line_comments: tuple[str, ...] = ()
    block_comment: tuple[str, str] | None = None
    nested_comments: bool = False
    strings: tuple[tuple[str, str, str], ...] = ()
    literals: tuple[str, ...] = ()
    quoted: tuple[tuple[str, str, str], ...] = ()
    dollar_quotes: bool = False
    words: str = r"[^\W\d]\w*"
    numbers: str = r"\d+(\.\d+)?"
    operators: str = ""
    opaque: tuple[OpaqueSpec, ...] = ()
    holes: tuple[str, ...] = ()
    infix_holes: tuple[str, ...] = ()
    reserved: frozenset[str] = frozenset()
    terminator: str = ";"
    delimiter: str = ""
    command: str = ""
    command_ends: str = ""
    data_after: str = ""
    data_end: str = ""
    data_not: str = ""
    listing: str = ""
    blocks: tuple[BlockSpec, ...] = ()


@dataclass(frozen=True)
class Limits:
    """Bounds past which analysis degrades to *unknown* instead of taking long.

    Attributes:
        file_bytes: The largest buffer that is analysed.
        statement_bytes: The largest statement.
        nesting: The deepest brackets.
    """

    file_bytes: int
    statement_bytes: int
    nesting: int


@dataclass(frozen=True)
class PromptSpec:
    """How a model is told of the world; each a template with `{name}`, `{type}` and, for `owner`, `{members}`.

    Attributes:
        owner: The line of something with members.
        member: One member.
        example: A text of the language that a model is shown first, where it may not know the language; no template.
    """

    owner: str = "{name}: {members}"
    member: str = "{name} {type}"
    example: str = ""


@dataclass(frozen=True)
class TypedHole:
    """A hole of a sketch and the text before it.

    Attributes:
        text: The text.
        sort: The hole's sort.
    """

    text: str
    sort: str


@dataclass(frozen=True)
class WideningSpec:
    """A sketch of what brings something more into a scope.

    Attributes:
        parts: Its holes, the first of which is what is brought in.
        behind: The regions behind whose last it stands.
    """

    parts: tuple[TypedHole, ...]
    behind: frozenset[str]


@dataclass(frozen=True)
class LinesSpec:
    """How text is written line by line, each in one of the blocks that indentation tells.

    Attributes:
        unfinished: What Γ holds while there is still something to be done: text does not end there.
        once: The sorts of lines behind which no other follows in their block.
    """

    unfinished: tuple[Query, ...] = ()
    once: frozenset[str] = frozenset()


@dataclass(frozen=True)
class CompletionSpec:
    """What is written where someone wants a text to be continued.

    Attributes:
        sort: The composite sort of a statement; of a line, where lines are written.
        scopes: The composite sort of each kind of scope, by the word that begins it; of a line in each region, by its name.
        behind: What may follow a scope's text directly.
        in_comments: Whether anything is written inside comments.
        in_strings: Whether anything is written inside strings.
        widening: What lets a scope have names of something that it does not name yet; None: nothing.
        lines: How lines are written one after another; None: statements are written whole.
    """

    sort: str
    scopes: Mapping[str, str]
    behind: Grammar
    in_comments: bool = False
    in_strings: bool = False
    widening: WideningSpec | None = None
    lines: LinesSpec | None = None


@dataclass(frozen=True)
class Surface:
    """A validated surface folder. Equal folders read twice are equal surfaces.

    Attributes:
        name: The folder's language, as settings name it (`surfaces.<name>`).
        root: The folder.
        patterns: File names it reads, as globs.
        languages: Editors' language ids.
        tree_sitter: The Python module of its tree-sitter language, or empty.
        resolver: The entry point of its resolver; empty: names resolve lexically, by `locals.scm`.
        comment: What starts a comment in its literate tests.
        lexer: Its tokens and statements.
        dialects: The lexer of each value of the setting `dialect` that changes it.
        sorts: Its sorts by name.
        providers: The sources of facts it uses, in order of precedence.
        settings: The keys under `surfaces.<name>` and their kinds: `text`, `texts`, `url`, or choices as `a|b`.
        order: The dependency order of regions, what decides first.
        limits: Bounds of analysis.
        prompt: How a model is told of the world.
        completion: What is written where a text is continued; None: nothing but single names.
        fragments: By anchor sort.
        base: The surface that it stands on: what users set for that one holds here too. Empty: none.
        marks: Regular expressions, one of which the text of a file must hold; none: only its name counts.
        brings: What it adds to settings that are lists, whatever users say: the facts that it ships.
    """

    name: str
    root: Path
    patterns: tuple[str, ...]
    languages: tuple[str, ...]
    tree_sitter: str
    resolver: str
    comment: str
    lexer: LexerSpec
    dialects: Mapping[str, LexerSpec]
    sorts: Mapping[str, SortSpec]
    providers: tuple[str, ...]
    settings: Mapping[str, str]
    order: tuple[str, ...]
    limits: Limits
    fragments: Mapping[str, Fragment]
    prompt: PromptSpec = PromptSpec()
    completion: CompletionSpec | None = None
    base: str = ""
    marks: tuple[str, ...] = ()
    brings: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))

    def sort(self, name: str) -> SortSpec | None:
        """The sort that a hole means by a name or an alias."""
        if name in self.sorts:
            return self.sorts[name]
        return next((sort for sort in self.sorts.values() if name in sort.aliases), None)
