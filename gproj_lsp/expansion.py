"""Composite fragments as one grammar: every grammar call inlined, recursive ones as recursive rules (paper, 4.3).

A *node* is a fragment at a path. The path tells where in the innermost scope a region is: the clauses entered since the
scope began, `("Where",)`, after the name of the scope's sort where the scope is not the one that the start sort opens,
`("Query", "Where")`. Entering a scope forgets the path before it and entering a clause again forgets what came after it, so
there are finitely many nodes, and calls that come back to one close a cycle of rules. Nodes that no text can tell apart (the
same fragment at the same rung, calling nodes that can't be told apart) share one copy of the fragment's rules.

What does not depend on Γ is worked out once and kept: expanding again fills in the names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache

from gproj_lsp.environment import Binding, Environment, Query
from gproj_lsp.errors import EmptyQueryError, GrammarError
from gproj_lsp.fragment import Fragment, RegionCall, Rung, SlotLadder
from gproj_lsp.gbnf import (
    Alt,
    AnyCase,
    CharClass,
    Expr,
    Grammar,
    Literal,
    Names,
    Ref,
    Region,
    Repeat,
    Seq,
    Slot,
    alternation,
    lowered,
    prune,
    reachable,
    rebuild,
    walk,
    word_of,
)

__all__ = ["Keywords", "Letters", "Path", "expand"]

Path = tuple[str, ...]
"""Where in the innermost scope a region is, outermost first."""


class Keywords(Enum):
    """How the words that fragments spell out are written: every literal with letters is one."""

    UPPER = "upper"
    LOWER = "lower"
    ANY = "any"
    WRITTEN = "written"  # as the fragments have them, where upper and lower case tell words apart


@dataclass(frozen=True)
class Letters:
    """In which letters words are written.

    Attributes:
        keywords: How keywords are.
        any_case: Whether a name is the same one in other upper and lower case letters; None: no name is.
    """

    keywords: Keywords = Keywords.UPPER
    any_case: Callable[[Binding], bool] | None = None


def expand(
    start: str,
    fragments: Mapping[str, Fragment],
    environment: Environment,
    rung_of: Callable[[Path], Rung],
    letters: Letters | None = None,
) -> Grammar:
    """τ_Γ of a composite fragment: one plain grammar without slots and regions.

    Args:
        start: The sort to write.
        fragments: The fragments by sort; a sort that another's fragment should write here may be mapped to that.
        environment: Γ.
        rung_of: At which strength names are admitted at a path.
        letters: In which letters words are written; None: keywords in upper case, names as they are spelled.

    Raises:
        EmptyQueryError: No string is left, because a slot that every string needs has no candidate.
        GrammarError: A region calls a sort that has no fragment.
    """
    letters = letters or Letters()
    plan = _plan(_Walk(fragments, environment, rung_of).nodes(start), letters.keywords)
    names = {name: _filled(filling, environment, letters.any_case) for name, filling in plan.names.items()}
    exact = letters.keywords is Keywords.WRITTEN
    words = {name: _word(word, environment, exact=exact) for name, word in plan.words.items()}
    empty = frozenset(name for name, rule in names.items() if rule == _NONE)
    rules = plan.rules_without(empty)
    if not rules:
        raise EmptyQueryError(start, hole=f"{{:{start}}}", declared=())
    found = {name: rule for name, rule in names.items() if name in rules}
    closed = frozenset(name for name, rule in found.items() if isinstance(rule, Names))
    return Grammar({**rules, **found, **words}, plan.start, closed)


Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Key:
    """What makes two nodes the same: the sort called, where, and which sorts stand for which there."""

    sort: str
    path: Path = ()
    swaps: Pairs = ()


@dataclass(frozen=True)
class _Node:
    """A fragment at a path, and the node that each of its regions calls."""

    key: _Key
    fragment: Fragment
    rung: Rung
    calls: tuple[tuple[str, _Key], ...]


@dataclass(frozen=True)
class _Filling:
    """What a rule that is names is filled with.

    Attributes:
        query: The names.
        either_case: Whether they may be written all in capitals, too.
        infix: A text inside each of them, and the rule that stands for it.
    """

    query: Query
    either_case: bool
    infix: tuple[str, str] | None

    @property
    def stand_in(self) -> Expr:
        """A rule that needs what the filled one does."""
        return _ANY if self.infix is None else Seq((_ANY, Ref(self.infix[1]), _ANY))


@dataclass(frozen=True)
class _Open:
    """A position that stands open but for some words."""

    rule: Expr
    unless: Query


@dataclass(frozen=True, eq=False)
class _Plan:
    """All of an expansion that does not depend on Γ.

    Attributes:
        start: The start rule.
        rules: Every rule but those of names.
        names: How each rule that is names is filled.
        words: What each rule that stands open leaves out.
    """

    start: str
    rules: Mapping[str, Expr]
    names: Mapping[str, _Filling]
    words: Mapping[str, _Open]
    _pruned: dict[frozenset[str], Mapping[str, Expr]] = field(default_factory=dict, init=False, repr=False)

    def rules_without(self, empty: frozenset[str]) -> Mapping[str, Expr]:
        """The rules that are left where some names are none, with stand-ins for the others; nothing where no string is."""
        found = self._pruned.get(empty)
        if found is None:
            stand_ins = {
                name: _NONE if name in empty else filling.stand_in for name, filling in self.names.items()
            }
            whole = Grammar({**self.rules, **stand_ins, **dict.fromkeys(self.words, _ANY)}, self.start)
            pruned = (
                prune(whole) if empty else Grammar({n: whole.rules[n] for n in reachable(whole)}, self.start)
            )
            found = self._pruned[empty] = pruned.rules if pruned is not None else {}
        return found


_NONE = Names(())
_ANY = Names(("x",))


class _Walk:
    """Finds the nodes of an expansion."""

    def __init__(
        self, fragments: Mapping[str, Fragment], environment: Environment, rung_of: Callable[[Path], Rung]
    ) -> None:
        self._fragments = fragments
        self._environment = environment
        self._rung_of = rung_of

    def nodes(self, start: str) -> tuple[_Node, ...]:
        """Every node that the start can reach, itself first."""
        found: dict[_Key, _Node] = {}
        pending = [_Key(start)]
        while pending:
            key = pending.pop()
            if key in found:
                continue
            fragment = self._fragments.get(key.sort)
            if fragment is None:
                raise GrammarError(f"no fragment writes {key.sort}")
            calls = tuple((name, self._called(key, call)) for name, call in fragment.regions.items())
            found[key] = _Node(key, fragment, self._rung_of(key.path), calls)
            pending.extend(called for _, called in calls)
        return tuple(found.values())

    def _called(self, key: _Key, call: RegionCall) -> _Key:
        swaps = () if call.nests else key.swaps
        if call.swaps:
            swaps = tuple(sorted({**dict(swaps), **call.swaps}.items()))
        path = _path(key.path, call)
        if call.prefers and self._rung_of(path) is Rung.CTX and self._named(call.prefers):
            return _Key(call.prefers, path, swaps)
        return _Key(dict(swaps).get(call.sort, call.sort), path, swaps)

    def _named(self, sort: str) -> bool:
        """Whether Γ holds a name for each slot of a sort's fragment that is closed at CTX and nowhere looser."""
        fragment = self._fragments.get(sort)
        if fragment is None:
            return False
        queries = [
            slot.queries.get(Rung.CTX) for slot in fragment.slots.values() if Rung.GAMMA not in slot.queries
        ]
        return all(query is None or self._environment.names(query) for query in queries)


def _path(path: Path, call: RegionCall) -> Path:
    """The path behind a region, as the module's text defines it."""
    if call.nests:
        return (call.sort,)
    if not call.clause:
        return path
    return (*(path[: path.index(call.clause)] if call.clause in path else path), call.clause)


@lru_cache(maxsize=128)
def _plan(nodes: tuple[_Node, ...], keywords: Keywords) -> _Plan:
    return _Planner(nodes, keywords).plan()


def _classes(nodes: tuple[_Node, ...]) -> dict[_Key, int]:
    """The nodes' classes: refined until calls lead from one class into one class (Moore's minimisation)."""
    marks: dict[_Key, object] = {node.key: (node.fragment.anchor, node.rung) for node in nodes}
    count = 0
    while True:
        numbers: dict[object, int] = {}
        classes = {key: numbers.setdefault(mark, len(numbers)) for key, mark in marks.items()}
        if len(numbers) == count:
            return classes
        count = len(numbers)
        marks = {node.key: (classes[node.key], *(classes[key] for _, key in node.calls)) for node in nodes}


class _Planner:
    """Writes one copy of a fragment's rules for every class; equal queries and equal plain rules are one rule."""

    def __init__(self, nodes: tuple[_Node, ...], keywords: Keywords) -> None:
        self._nodes = {node.key: node for node in nodes}
        self._classes = _classes(nodes)
        self._start = nodes[0].key
        self._keywords = keywords
        self._rules: dict[str, Expr] = {}
        self._names: dict[_Filling, str] = {}
        self._words: dict[_Open, str] = {}
        self._plain: dict[Expr, str] = {}

    def plan(self) -> _Plan:
        written: set[int] = set()
        for key, node in self._nodes.items():
            if self._classes[key] not in written:
                written.add(self._classes[key])
                self._write(node)
        return _Plan(
            self._root(self._start),
            self._rules,
            {name: filling for filling, name in self._names.items()},
            {name: word for word, name in self._words.items()},
        )

    def _root(self, key: _Key) -> str:
        node = self._nodes[key]
        return self._rule(node, node.fragment.grammar.start)

    def _rule(self, node: _Node, name: str) -> str:
        """The name of a rule's copy; plain rules have one for all."""
        rule = node.fragment.grammar.rules[name]
        if all(isinstance(each, CharClass | Literal | Seq | Alt | Repeat) for each in walk(rule)):
            return self._plain.setdefault(rule, f"plain-{len(self._plain)}")
        return f"{node.fragment.anchor}-{self._classes[node.key]}-{name}"

    def _write(self, node: _Node) -> None:
        slots = {name: Ref(self._slot(node, ladder)) for name, ladder in node.fragment.slots.items()}
        calls = dict(node.calls)

        def replace(leaf: Expr) -> Expr:
            if isinstance(leaf, Ref):
                return Ref(self._rule(node, leaf.rule))
            if isinstance(leaf, Slot):
                return slots[leaf.name]
            if isinstance(leaf, Region):
                return Ref(self._root(calls[leaf.name]))
            return self._keyword(leaf) if isinstance(leaf, Literal) else leaf

        for name, rule in node.fragment.grammar.rules.items():
            self._rules[self._rule(node, name)] = rebuild(rule, replace)

    def _slot(self, node: _Node, ladder: SlotLadder) -> str:
        query = ladder.query(node.rung)
        if query is not None:
            infix = (ladder.infix[0], self._rule(node, ladder.infix[1])) if ladder.infix else None
            filling = _Filling(query, ladder.either_case, infix)
            return self._names.setdefault(filling, f"names-{len(self._names)}")
        if ladder.unless is None:
            return self._rule(node, ladder.base)
        word = _Open(node.fragment.grammar.rules[ladder.base], ladder.unless)
        return self._words.setdefault(word, f"word-{len(self._words)}")

    def _keyword(self, literal: Literal) -> Expr:
        text = literal.text
        if self._keywords is Keywords.WRITTEN or not any(char.isalpha() for char in text):
            return literal
        if self._keywords is Keywords.ANY:
            return AnyCase((text,))
        return Literal(text.upper() if self._keywords is Keywords.UPPER else text.lower())


def _filled(filling: _Filling, environment: Environment, any_case: Callable[[Binding], bool] | None) -> Expr:
    found = environment.names(filling.query)
    if filling.infix is None:
        return _names(found, any_case, either=filling.either_case)
    text, rule = filling.infix
    sides: dict[str, dict[str, None]] = {}
    for left, inside, right in (each.spelling.partition(text) for each in found):
        if inside:
            sides.setdefault(left, {})[right] = None
    pairs = (Seq((Names((left,)), Ref(rule), Names(tuple(rights)))) for left, rights in sides.items())
    return alternation(tuple(pairs)) if sides else _NONE


def _names(found: Sequence[Binding], any_case: Callable[[Binding], bool] | None, *, either: bool) -> Expr:
    """The spellings of names, in Γ's order and once each."""
    loose: dict[str, str] = {}
    exact: dict[str, None] = {}
    for spelling, binding in ((each.spelling, each) for each in found if each.spelling):
        if any_case is not None and any_case(binding):
            loose.setdefault(lowered(spelling), spelling)
        else:
            exact |= dict.fromkeys((spelling, spelling.upper()) if either else (spelling,))
    parts = [part for part in (AnyCase(tuple(loose.values())), Names(tuple(exact))) if part.texts]
    return Alt(tuple(parts)) if len(parts) > 1 else parts[0] if parts else _NONE


def _word(word: _Open, environment: Environment, *, exact: bool) -> Expr:
    """What stands open: the rule without the words that the query admits; `exact`: those that it could spell as they are."""
    names = [each.name for each in environment.names(word.unless)]
    plain = word_of(word.rule, frozenset()) if exact else None
    spelled = names if plain is None else [name for name in names if plain.admits(name)]
    found = word_of(word.rule, frozenset(map(lowered, spelled)))
    if found is None:
        raise GrammarError("words can be left out only of one character and a bounded number of others")
    return found
