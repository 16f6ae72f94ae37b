"""What a module binds and uses, and where: scopes, as Python's own symbol tables have them, with the places kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, Flag, auto

from gproj_lsp.environment import Binding
from gproj_lsp.text import Span

__all__ = [
    "ALWAYS",
    "DEFERRED",
    "NOWHERE",
    "SIMPLE",
    "Block",
    "Bound",
    "Caught",
    "Chain",
    "Given",
    "Imported",
    "Kind",
    "Life",
    "Module",
    "Scope",
    "Step",
    "Try",
    "Use",
    "Value",
]

NOWHERE = Span(0, 0)


class Kind(Enum):
    """What opens a scope; the values are regions' names."""

    MODULE = "Module"
    CLASS = "Class"
    FUNCTION = "Function"
    LAMBDA = "Lambda"
    COMPREHENSION = "Comprehension"
    GENERATOR = "Generator"
    TYPES = "Types"  # type parameters (PEP 695)


DEFERRED = frozenset({Kind.FUNCTION, Kind.LAMBDA, Kind.GENERATOR, Kind.TYPES})
"""Scopes whose text runs at another time than the text around them."""

SIMPLE = frozenset({Kind.LAMBDA, Kind.COMPREHENSION, Kind.GENERATOR, Kind.TYPES})
"""Scopes that bind their names before anything in them runs."""


class Caught(Flag):
    """What happens to an error at a place, as far as it makes an absent name one that is asked for on purpose."""

    NOTHING = 0
    NAME = auto()
    ATTRIBUTE = auto()
    IMPORT = auto()
    CALL = auto()
    RELEASE = auto()  # not an error: the text is for some releases or systems only


@dataclass(frozen=True, eq=False)
class Try:
    """A `try` whose handlers take any error; what they bind may be absent in its body.

    Attributes:
        handlers: The bytes of its handlers.
        above: The next such `try` around it.
    """

    handlers: Span
    above: Try | None


@dataclass(frozen=True, eq=False)
class Block:
    """A suite: statements that run one after another.

    Attributes:
        span: Its bytes; a loop's are those of the whole statement.
        above: The suite around it.
        loops: Whether what is written further down in it may have run before.
    """

    span: Span
    above: Block | None = None
    loops: bool = False


@dataclass(frozen=True, eq=False)
class Value:
    """What is known of the value that a name is bound to.

    Attributes:
        path: The dotted name of what was imported, or empty.
        place: The bytes of the expression that was assigned; where `path` is empty.
    """

    path: str = ""
    place: Span = NOWHERE


@dataclass(frozen=True)
class Given:
    """The text that a name has its value from.

    Attributes:
        how: `assigned`, `updated` (`+=`), `annotated`, `default` (a parameter's), `entered` (a `with`) or
            `iterated` (a `for`).
        place: The bytes of the expression.
        index: Which of several names it is; -1: the only one.
    """

    how: str
    place: Span
    index: int = -1


@dataclass(frozen=True)
class Life:
    """From where to where a name is bound.

    Attributes:
        since: The byte from which on.
        until: The byte at which it is taken back (the name of an exception); 0: never.
    """

    since: int = 0
    until: int = 0


ALWAYS = Life()


@dataclass(frozen=True, eq=False)
class Bound:
    """A place that binds a name.

    Attributes:
        name: The name.
        span: Its bytes.
        kind: What binds it: `variable`, `parameter`, `function`, `class`, `import`, `type`, `exception`; `annotation` and
            `deletion` bind nothing, but make the name one of the scope.
        life: From where to where.
        block: The suite.
        value: What it is bound to, if that is known.
        remote: Whether a function binds it by `global` or `nonlocal`, at a time that can't be told.
        given: Where its value comes from, if it is written out.
    """

    name: str
    span: Span
    kind: str
    life: Life
    block: Block
    value: Value | None = None
    remote: bool = False
    given: Given | None = None

    @property
    def binds(self) -> bool:
        """Whether there is a value then."""
        return self.kind not in ("annotation", "deletion")


@dataclass(eq=False)
class Scope:
    """One scope. It grows while its module is read and stays as it is then.

    Attributes:
        kind: What opens it.
        span: The bytes in which its names count.
        above: The scope around it.
        block: The suite that it is written in.
        bound: What is bound in it, in the order of the text, by name.
        outer: Names that `global` or `nonlocal` sends elsewhere.
        name: What a function is called.
        custom: Whether a metaclass is named that may bring names of its own.
        bindings: What stands for each name in Γ; filled when first asked for.
    """

    kind: Kind
    span: Span
    above: Scope | None
    block: Block
    bound: dict[str, list[Bound]] = field(default_factory=dict)
    outer: dict[str, str] = field(default_factory=dict)
    name: str = ""
    custom: bool = False
    bindings: dict[str, Binding] = field(default_factory=dict)

    def chain(self) -> Iterator[Scope]:
        """The scope and those around it."""
        here: Scope | None = self
        while here is not None:
            yield here
            here = here.above

    def module(self) -> Scope:
        """The outermost scope."""
        *_, last = self.chain()
        return last

    def binding(self, name: str) -> Binding:
        """The name in Γ: one value, however often it is bound."""
        if name not in self.bindings:
            first = next((each for each in self.bound[name] if each.binds), self.bound[name][0])
            # A class keeps its names for itself: they are no names of what is written in its functions.
            space = "Member" if self.kind is Kind.CLASS else "Name"
            self.bindings[name] = Binding(name, "Name", namespace=space, attrs={"kind": first.kind})
        return self.bindings[name]


@dataclass(frozen=True, eq=False)
class Use:
    """A name at a place that reads it.

    Attributes:
        name: The name.
        span: Its bytes.
        scope: Where.
        block: The suite.
        caught: What happens to errors there.
        tries: The tries around it whose handlers take any error.
        late: Whether it is read at another time than the text around it (an annotation).
        quoted: Whether it stands in a string, which may be none of the language.
        exported: Whether it is an entry of `__all__`.
    """

    name: str
    span: Span
    scope: Scope
    block: Block
    caught: Caught = Caught.NOTHING
    tries: Try | None = None
    late: bool = False
    quoted: bool = False
    exported: bool = False


@dataclass(frozen=True, eq=False)
class Step:
    """One step from a name to what is read of it: a member, or a call.

    Attributes:
        name: The member; empty for a call.
        span: The bytes of the member's name, or of the call's arguments.
        keywords: For a call: each keyword with the bytes of its name and of its value.
        texts: For a call: the text of each keyword whose value is a plain string.
        stored: Whether it is assigned to or deleted.
        places: For a call: the bytes of the values that are given by their position, up to the first `*`.
    """

    name: str
    span: Span
    keywords: tuple[tuple[str, Span, Span], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    stored: bool = False
    places: tuple[Span, ...] = ()


@dataclass(frozen=True, eq=False)
class Chain:
    """A name and what is read of it: `lib.Table(rows).sort(by="x")`.

    Attributes:
        root: The name.
        span: The bytes of all of it.
        steps: In order.
    """

    root: Use
    span: Span
    steps: tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class Imported:
    """A name that a module is asked for.

    Attributes:
        module: The module's dotted name, with its leading dots.
        name: What is imported from it; empty: the module itself.
        span: The bytes of the name, or of the last part of the module's.
        binds: Whether the name written there is the one that is bound.
        whole: Whether it is a part of a module's dotted name, so that only modules fit.
        caught: What happens to errors there.
    """

    module: str
    name: str
    span: Span
    binds: bool
    whole: bool
    caught: Caught


@dataclass(eq=False)
class Module:
    """Everything that is bound and used in a module.

    Attributes:
        scope: The outermost scope.
        scopes: All of them, outer ones first.
        uses: Every name that is read, in no order.
        chains: Members and calls.
        imports: What modules are asked for.
        elsewhere: Names in `global` and `nonlocal` statements.
        wild: Why names may come to be when it runs, and the byte from which on; the first such place.
        stars: The modules everything of which is imported, each with the byte from which on.
        spoken: Names that are bound, or looked for, by their text.
        texts: Every text in it that is a name.
        carried: Functions whose code is taken, to be run with other names than the module's.
        patched: Members that are assigned to on anything.
        excused: Lines whose absent names other checkers are told to accept.
        broken: Whether it does not parse.
        doubtful: Where it does not parse: names that may be bound there.
        unread: The bytes of statements that do not parse.
    """

    scope: Scope
    scopes: list[Scope] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    chains: list[Chain] = field(default_factory=list)
    imports: list[Imported] = field(default_factory=list)
    elsewhere: list[Use] = field(default_factory=list)
    wild: tuple[str, int] | None = None
    stars: list[tuple[str, int]] = field(default_factory=list)
    spoken: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    carried: set[str] = field(default_factory=set)
    patched: set[str] = field(default_factory=set)
    excused: list[Span] = field(default_factory=list)
    broken: bool = False
    doubtful: frozenset[str] = frozenset()
    unread: tuple[Span, ...] = ()
