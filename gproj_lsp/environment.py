"""Γ: what may be named at a point.

A persistent global layer lies under a stack of lexical frames; the nearest frame wins (paper, section 4.3, "Scope
frames"). Values are immutable: declaring gives a new `Environment` that shares the old one's frames, so Γ *at a point* is
simply the value one holds there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

__all__ = ["DERIVED", "EMPTY", "Binding", "Environment", "Frame", "Key", "Origin", "Query"]


@dataclass(frozen=True)
class Origin:
    """Where a binding comes from, as hovers and messages tell it.

    Attributes:
        provider: Who says so: `buffer`, `ddl`, `database`, `snapshot`, `builtin`, `facts`, `derived`.
        place: `schema.sql:12`, a database without its password, or empty.
        read: When the provider read it, in seconds since the epoch; 0 where it does not age.
    """

    provider: str
    place: str = ""
    read: float = 0.0


BUFFER = Origin("buffer")
DERIVED = Origin("derived")
"""Of what follows from declared names, and is no declaration itself."""


class Key(NamedTuple):
    """What makes two bindings the same name: `id` of two tables are two keys.

    Attributes:
        namespace: Sorts that share one name space share it (tables and views do).
        owner: The folded, qualified name of what it belongs to; empty for top-level names.
        folded: The name after the dialect's case folding.
    """

    namespace: str
    owner: str
    folded: str


@dataclass(frozen=True)
class Binding:
    """A declared name.

    Attributes:
        name: As declared, unquoted.
        sort: What kind of thing it is: `Table`, `Column`, `Buffer`.
        owner: Folded, qualified name of its owner (`public.users`), or empty.
        namespace: Defaults to the sort.
        folded: The name after case folding; defaults to the name itself.
        attrs: Write-once attributes (`table`, `type`, `mem`, `shape`); every value a string.
        spelling: How a reference must be written here (quoted, qualified); defaults to the name.
        origin: Where it was declared.
    """

    name: str
    sort: str
    owner: str = ""
    namespace: str = ""
    folded: str = ""
    attrs: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    spelling: str = ""
    origin: Origin = BUFFER

    def __post_init__(self) -> None:
        object.__setattr__(self, "namespace", self.namespace or self.sort)
        object.__setattr__(self, "folded", self.folded or self.name)
        object.__setattr__(self, "spelling", self.spelling or self.name)
        if not isinstance(self.attrs, MappingProxyType):
            object.__setattr__(self, "attrs", MappingProxyType(dict(self.attrs)))

    def __hash__(self) -> int:
        return hash((self.name, self.sort, self.owner, self.folded))

    @cached_property
    def key(self) -> Key:
        """Its identity in a frame."""
        return Key(self.namespace, self.owner, self.folded)


@dataclass(frozen=True)
class Query:
    """A filtered lookup; its result can't leave dom(Γ) (paper, section 4.1).

    Attributes:
        sorts: The sorts admitted.
        owner: If given, only names that belong to it.
        where: Attributes that must have one of the values, `{"mem": {"shared"}}`.
        barring: Attributes that must have none of the values.
    """

    sorts: frozenset[str]
    owner: str | None = None
    where: tuple[tuple[str, frozenset[str]], ...] = ()
    barring: tuple[tuple[str, frozenset[str]], ...] = ()

    @classmethod
    def of(cls, *sorts: str, owner: str | None = None, **where: str | Iterable[str]) -> Query:
        """A query from plain values: `Query.of("Buffer", mem="shared")`."""
        pairs = tuple(
            (name, frozenset([value] if isinstance(value, str) else value))
            for name, value in sorted(where.items())
        )
        return cls(frozenset(sorts), owner, pairs)

    def admits(self, binding: Binding) -> bool:
        """Whether the binding passes every filter."""
        return (
            binding.sort in self.sorts
            and (self.owner is None or binding.owner == self.owner)
            and all(binding.attrs.get(name) in values for name, values in self.where)
            and all(binding.attrs.get(name) not in values for name, values in self.barring)
        )

    def tightens(self, other: Query) -> bool:
        """Whether its result is included in the other's at every Γ (a sufficient condition, paper A.7)."""
        mine, barred = dict(self.where), dict(self.barring)
        return (
            self.sorts <= other.sorts
            and other.owner in (None, self.owner)
            and all(name in mine and mine[name] <= values for name, values in other.where)
            and all(name in barred and barred[name] >= values for name, values in other.barring)
        )


@dataclass(frozen=True, eq=False)
class Frame:
    """A write-once map from keys to bindings.

    A live frame only grows: declaring a key again keeps the first binding, and a different sort for it is an error.
    `DROP`, `RENAME` and `del` push a new frame with tombstones instead.
    """

    bindings: Mapping[Key, Binding] = field(default_factory=lambda: MappingProxyType({}))
    tombstones: frozenset[Key] = frozenset()

    @classmethod
    def of(cls, bindings: Iterable[Binding], tombstones: Iterable[Key] = ()) -> Frame:
        """A frame that holds them, the first of equal keys."""
        return Frame(tombstones=frozenset(tombstones)).extend(bindings)

    def extend(self, bindings: Iterable[Binding]) -> Frame:
        """The frame grown by them.

        Raises:
            ValueError: A key is already bound to another sort.
        """
        grown = dict(self.bindings)
        for binding in bindings:
            first = grown.setdefault(binding.key, binding)
            if first.sort != binding.sort:
                raise ValueError(
                    f"{binding.name} is a {first.sort} in this frame and can't become a {binding.sort}"
                )
        return Frame(MappingProxyType(grown), self.tombstones)

    def names(self, query: Query) -> Sequence[Binding]:
        """Its bindings that the query admits, in order of declaration."""
        if query.owner is not None:
            return self._sifted(query)
        found = self._found.get(query)
        if found is None:
            found = self._found[query] = self._sifted(query)
        return found

    @cached_property
    def _found(self) -> dict[Query, Sequence[Binding]]:
        """What it gave for queries on any owner: there are few of them, and a large frame is asked the same at every hole."""
        return {}

    def _sifted(self, query: Query) -> Sequence[Binding]:
        if len(query.sorts) == 1:
            (sort,) = query.sorts
            found = (
                self._by_sort.get(sort, ())
                if query.owner is None
                else self._by_owner.get((sort, query.owner), ())
            )
            if not (query.where or query.barring):
                return found
        else:
            found = tuple(self.bindings.values())
        return [binding for binding in found if query.admits(binding)]

    @cached_property
    def _by_sort(self) -> Mapping[str, Sequence[Binding]]:
        found: dict[str, list[Binding]] = {}
        for binding in self.bindings.values():
            found.setdefault(binding.sort, []).append(binding)
        return found

    @cached_property
    def _by_owner(self) -> Mapping[tuple[str, str], Sequence[Binding]]:
        found: dict[tuple[str, str], list[Binding]] = {}
        for binding in self.bindings.values():
            found.setdefault((binding.sort, binding.owner), []).append(binding)
        return found

    def called(self, sort: str, text: str) -> Sequence[Binding]:
        """Its bindings of a sort whose name or spelling is the text."""
        return self._by_text.get((sort, text), ())

    @cached_property
    def _by_text(self) -> Mapping[tuple[str, str], Sequence[Binding]]:
        found: dict[tuple[str, str], list[Binding]] = {}
        for binding in self.bindings.values():
            for text in {binding.name: None, binding.spelling: None}:
                found.setdefault((binding.sort, text), []).append(binding)
        return found

    def under(self, top: Frame) -> Frame:
        """The one frame that reads as this one with `top` above it."""
        kept = {key: each for key, each in self.bindings.items() if key not in top.tombstones}
        return Frame(MappingProxyType({**kept, **top.bindings}), self.tombstones | top.tombstones)

    def __len__(self) -> int:
        return len(self.bindings) + len(self.tombstones)

    def __bool__(self) -> bool:
        return True  # a frame without names is still a frame


@dataclass(frozen=True, eq=False)
class Environment:
    """Γ: a global layer and a stack of frames, outermost first.

    Compared by identity: two snapshots with equal content are two values, and caches key on the value they saw.
    """

    frames: tuple[Frame, ...] = (Frame(),)

    @classmethod
    def of(cls, bindings: Iterable[Binding]) -> Environment:
        """Γ with one global layer."""
        return cls((Frame.of(bindings),))

    def __iter__(self) -> Iterator[Binding]:
        """Every binding that resolves here, nearest frame first, each frame in order of declaration."""
        hidden: set[Key] = set()
        for frame in reversed(self.frames):
            for key, binding in frame.bindings.items():
                if key not in hidden:
                    yield binding
            hidden.update(frame.bindings)
            hidden.update(frame.tombstones)

    def __bool__(self) -> bool:
        return any(True for _ in self)

    def push(self, frame: Frame | None = None) -> Environment:
        """Γ with one more frame on top."""
        return Environment((*self.frames, frame or Frame()))

    def pop(self) -> Environment:
        """Γ without its top frame; the global layer stays."""
        return Environment(self.frames[:-1]) if len(self.frames) > 1 else self

    def declare(self, *bindings: Binding) -> Environment:
        """Γ with its top frame grown."""
        return Environment((*self.frames[:-1], self.frames[-1].extend(bindings)))

    def drop(self, *keys: Key) -> Environment:
        """Γ in which the keys no longer resolve."""
        return self.push(Frame(tombstones=frozenset(keys)))

    def settle(self, frame: Frame) -> Environment:
        """Γ with one more frame on top, flattened with smaller ones below it.

        As `push` for every lookup; a long run of declarations and drops stays a few frames deep and costs each binding a
        logarithm of copies.
        """
        frames = [*self.frames, frame]
        while len(frames) > 1 and len(frames[-1]) * 2 >= len(frames[-2]):
            frames[-2:] = [frames[-2].under(frames[-1])]
        return Environment(tuple(frames))

    def lookup(self, key: Key) -> Binding | None:
        """The nearest binding of the key."""
        for frame in reversed(self.frames):
            if (binding := frame.bindings.get(key)) is not None:
                return binding
            if key in frame.tombstones:
                return None
        return None

    def names(self, query: Query) -> tuple[Binding, ...]:
        """The bindings the query admits, nearest first; a subset of dom(Γ)."""
        return tuple(
            binding
            for depth, frame in enumerate(reversed(self.frames))
            for binding in frame.names(query)
            if not (depth and self._hidden(binding.key, depth))
        )

    def called(self, sort: str, text: str) -> Binding | None:
        """The nearest binding of a sort whose name or spelling is the text, whoever it belongs to."""
        for depth, frame in enumerate(reversed(self.frames)):
            for binding in frame.called(sort, text):
                if not self._hidden(binding.key, depth):
                    return binding
        return None

    def _hidden(self, key: Key, depth: int) -> bool:
        """Whether one of the `depth` nearest frames hides what lies below it under the key."""
        for nearer in self.frames[len(self.frames) - depth :]:  # noqa: SIM110  (any() would cost twice as much here)
            if key in nearer.bindings or key in nearer.tombstones:
                return True
        return False


EMPTY = Environment()


def respelled(binding: Binding, spelling: str) -> Binding:
    """The binding as it must be written at some place."""
    return replace(binding, spelling=spelling)
