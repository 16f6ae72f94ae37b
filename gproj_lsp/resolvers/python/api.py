"""The members, keywords and choices of libraries, as far as frozen facts tell them.

A library is a `Module` in Γ. What it has are `Attribute`s of its dotted name; what those have, of theirs. Of an attribute tell:

- `kind`: `module`, `class`, `enum`, `function`, `method`, `member`, `property`, `constant` or `field`;
- `target`: under which dotted name its own members stand, where that is another one;
- `returns`: the class whose instance a call gives;
- `attributes = "open"`, `keywords = "open"`: that there may be others.

A function's `Keyword`s belong to its dotted name, and what one admits (`Choice`) to `name(keyword)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from gproj_lsp.environment import Binding, Environment, Frame, Key, Query
from gproj_lsp.facts import DEPRECATED
from gproj_lsp.resolve import Reference, Verdict, World
from gproj_lsp.resolvers.python.library import CALLABLE, HOLDERS, Thing, member_of, part, thing_at
from gproj_lsp.resolvers.python.lookup import Lookup
from gproj_lsp.resolvers.python.scopes import Bound, Caught, Chain, Imported, Module, Step, Use
from gproj_lsp.text import Span

__all__ = ["Api", "adopt", "quoted"]

_DEPTH = 8
"""So many assignments one after another are followed."""


@dataclass(frozen=True)
class Read:
    """What following a chain found.

    Attributes:
        references: Its members and keywords.
        befores: What each step is of, by the bytes of the step's name or arguments.
        thing: What it gives; None: not known.
    """

    references: tuple[Reference, ...]
    befores: Mapping[Span, Thing]
    thing: Thing | None


class Api:
    """Follows what a module reads of libraries.

    Args:
        module: The module.
        lookup: Its names.
        environment: Γ before it.
        world: What is known completely.
    """

    def __init__(self, module: Module, lookup: Lookup, environment: Environment, world: World) -> None:
        self._module = module
        self._lookup = lookup
        self._environment = environment
        self._world = world
        self._any = bool(environment.names(Query.of("Module")))
        self._chains = {chain.span: chain for chain in module.chains} if self._any else {}
        self._read: dict[Span, Read] = {}

    def references(self) -> Iterator[Reference]:
        """Every member, keyword and choice of a library whose owner is known."""
        if not self._any:
            return
        for each in self._module.imports:
            if (found := self._imported(each)) is not None:
                yield found
        for chain in self._module.chains:
            yield from self.follow(chain).references

    def follow(self, chain: Chain, depth: int = 0) -> Read:
        """What a chain reads of a library."""
        found = self._read.get(chain.span)
        if found is None:
            found = self._read[chain.span] = self._followed(chain, depth)
        return found

    def members(self, thing: Thing) -> tuple[Binding, ...]:
        """What something has that may be written: public, and not on its way out first."""
        return self._environment.names(Query.of("Attribute", owner=thing.path))

    def frame(self, sort: str, owner: str, *, without: frozenset[str] = frozenset(), kind: str = "") -> Frame:
        """The names of a sort that belong to an owner, as a place shows them.

        Args:
            sort: Their sort.
            owner: What they belong to.
            without: Names that can't stand there again.
            kind: Their kind, where only one fits.
        """
        names = self._environment.names(Query.of(sort, owner=owner))
        return Frame.of(
            replace(each, attrs={**each.attrs, "scope": "visible"})
            for each in names
            if not each.name.startswith("_")
            and each.name not in without
            and kind in ("", each.attrs.get("kind"))
        )

    def thing(self, path: str) -> Thing | None:
        """What a dotted name is, in a library that is known."""
        return thing_at(self._environment, path)

    def _member(self, thing: Thing, name: str) -> Binding | None:
        return member_of(self._environment, thing, name)

    def _imported(self, said: Imported) -> Reference | None:
        if said.module.startswith("."):
            return None
        thing = self.thing(said.module)
        if thing is None:
            return None
        if not said.name:
            return Reference(said.span, said.module, "Module", Verdict.DECLARED, thing.binding)
        return self._reference(thing, said.name, said.span, said.caught, Caught.IMPORT | Caught.ATTRIBUTE)

    def _followed(self, chain: Chain, depth: int) -> Read:
        thing = self._root(chain.root, depth)
        references: list[Reference] = []
        befores: dict[Span, Thing] = {}
        for step in chain.steps:
            if thing is None:
                break
            befores[step.span] = thing
            if step.name:
                references += self._step(thing, step, chain.root)
                member = self._member(thing, step.name) if not step.stored else None
                thing = part(thing, member) if member is not None else None
            else:
                references += self._given(thing, step, chain.root)
                thing = self._result(thing)
        return Read(tuple(references), befores, thing)

    def _root(self, use: Use, depth: int) -> Thing | None:
        """What a name is of a library, where only one thing can be meant."""
        if not self._any or depth > _DEPTH:
            return None
        meaning = self._lookup.meaning(use)
        if meaning is None:
            return None
        bounds = meaning[1]
        first = bounds[0].value
        if first is None or any(each.remote for each in bounds):
            return None
        if first.path:
            same = all(each.value is not None and each.value.path == first.path for each in bounds)
            return self.thing(first.path) if same else None
        return self._assigned(bounds, depth)

    def _assigned(self, bounds: list[Bound], depth: int) -> Thing | None:
        value = bounds[0].value
        chain = self._chains.get(value.place) if value is not None and len(bounds) == 1 else None
        return self.follow(chain, depth + 1).thing if chain is not None else None

    def _step(self, thing: Thing, step: Step, root: Use) -> Iterator[Reference]:
        found = self._reference(thing, step.name, step.span, root.caught, Caught.ATTRIBUTE)
        if found is not None and not (step.stored and found.verdict is Verdict.GHOST):
            yield found

    def _reference(
        self, thing: Thing, name: str, span: Span, caught: Caught, asking: Caught
    ) -> Reference | None:
        """A member of something, where its members are told at all; facts leave out `__names__`."""
        if name.startswith("__") and name.endswith("__"):
            return None
        member = self._member(thing, name)
        if member is not None:
            return Reference(span, name, "Attribute", Verdict.DECLARED, member, thing.path)
        if thing.kind not in HOLDERS and thing.kind != "instance":
            return None
        doubt = self._doubt(thing, name, caught, asking)
        if doubt:
            return Reference(span, name, "Attribute", Verdict.UNKNOWN, None, thing.path, doubt)
        public = (each for each in self.members(thing) if not each.name.startswith("_"))
        candidates = tuple(each.spelling for each in sorted(public, key=_retiring))
        return Reference(span, name, "Attribute", Verdict.GHOST, None, thing.path, "", candidates)

    def _doubt(self, thing: Thing, name: str, caught: Caught, asking: Caught) -> str:
        if not thing.told or "Attribute" not in self._world.closed:
            return f"not all of {thing.path} is known"
        if name in self._module.patched:
            return "the file assigns to it"
        if caught & asking:
            return "the error is caught"
        if Caught.RELEASE in caught:
            return "the text is for some releases or systems only"
        if self._lookup.is_spoken(name):
            return "it is looked for by its text"
        return "the file has a syntax error there" if self._module.broken else ""

    def _given(self, thing: Thing, step: Step, root: Use) -> Iterator[Reference]:
        """The keywords of a call, and the texts that they are given."""
        if thing.kind not in CALLABLE:
            return
        known = {each.name: each for each in self._environment.names(Query.of("Keyword", owner=thing.path))}
        texts = dict(step.texts)
        for name, span, value in step.keywords:
            if name in known:
                yield Reference(span, name, "Keyword", Verdict.DECLARED, known[name], thing.path)
                yield from self._choice(f"{thing.path}({name})", texts.get(name), value)
            elif thing.binding.attrs.get("keywords") == "open" or "Keyword" not in self._world.closed:
                reason = f"not every keyword of {thing.path} is known"
                yield Reference(span, name, "Keyword", Verdict.UNKNOWN, None, thing.path, reason)
            elif root.caught & (Caught.CALL | Caught.RELEASE) or self._module.broken:
                reason = "the error is caught"
                yield Reference(span, name, "Keyword", Verdict.UNKNOWN, None, thing.path, reason)
            else:
                spellings = tuple(each.spelling for each in sorted(known.values(), key=_retiring))
                yield Reference(span, name, "Keyword", Verdict.GHOST, None, thing.path, "", spellings)

    def _choice(self, owner: str, text: str | None, span: Span) -> Iterator[Reference]:
        known = self._environment.names(Query.of("Choice", owner=owner))
        if text is None or not known:
            return
        found = next((each for each in known if each.name == text), None)
        if found is not None:
            yield Reference(span, text, "Choice", Verdict.DECLARED, found, owner)
        else:
            spellings = tuple(each.spelling for each in known)
            yield Reference(span, text, "Choice", Verdict.GHOST, None, owner, "", spellings)

    def _result(self, thing: Thing) -> Thing | None:
        """What a call gives, where that is certain."""
        if thing.kind == "class":
            return Thing(thing.path, "instance", thing.binding)
        returned = self.thing(thing.binding.attrs.get("returns", "")) if thing.kind in CALLABLE else None
        if returned is None or returned.kind != "class":
            return None
        return Thing(returned.path, "instance", returned.binding)


def _retiring(binding: Binding) -> bool:
    return DEPRECATED in binding.attrs


def quoted(text: str) -> str:
    """A text as Python's source has it."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{plain}"'


def adopt(bindings: Iterable[Binding]) -> tuple[Binding, ...]:
    """A provider's bindings: dotted names are taken apart into owner and name, and what is told in two places is one."""
    found: dict[Key, Binding] = {}
    for each in map(_placed, bindings):
        first = found.get(each.key)
        found[each.key] = each if first is None else replace(first, attrs={**first.attrs, **each.attrs})
    return tuple(found.values())


def _placed(binding: Binding) -> Binding:
    if DEPRECATED in binding.attrs and "status" not in binding.attrs:
        # What a query can tell apart: it compares values, and a deprecation's is a sentence.
        return _placed(replace(binding, attrs={**binding.attrs, "status": "deprecated"}))
    if binding.sort == "Choice":
        return replace(binding, spelling=quoted(binding.name))
    if binding.owner:
        return binding
    if binding.sort == "Attribute" and "." in binding.name:
        owner, _, name = binding.name.rpartition(".")
    elif binding.sort == "Keyword" and binding.name.endswith(")"):
        owner, _, name = binding.name[:-1].partition("(")
    else:
        return binding
    return replace(binding, name=name, owner=owner, folded=name, spelling=name)
