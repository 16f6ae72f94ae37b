"""What the operands of calls and of indexed names have to be, and which names fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod

from gproj_lsp.environment import Binding, Environment, Frame
from gproj_lsp.resolvers.python.computing import dims_in
from gproj_lsp.resolvers.python.lookup import Lookup
from gproj_lsp.resolvers.python.roles import Operand
from gproj_lsp.resolvers.python.scopes import Module, Use
from gproj_lsp.resolvers.python.states import States
from gproj_lsp.resolvers.python.symbols import Dims, Symbols, differ, same
from gproj_lsp.resolvers.python.tiles import Tiles
from gproj_lsp.resolvers.python.tree import Node, span_of, text_of
from gproj_lsp.resolvers.python.values import Call, Values
from gproj_lsp.text import Span

__all__ = ["Misfit", "Operands", "Wanted"]

_ANY = "*"
_BUFFER = "Buffer"
_TIMES = re.compile(r"(?P<one>[\w.]+)\*(?P<other>[\w.]+)\Z")
_BLOCKS = re.compile(
    r"(?:[\w.]*ceildiv\((?P<all>[^,()]+),(?P<size>[^,()]+)\)|(?P<whole>[\w.]+)//(?P<part>[\w.]+))\Z"
)
_FITS, _DIFFERS = "yes", "no"
_MOST = 4096
"""So many ways to fill the other operands of a call are tried; where there are more, extents alone decide."""


@dataclass(frozen=True)
class Wanted:
    """What a place asks of a name.

    Attributes:
        sort: Its sort.
        spaces: Where it may lie; empty: anywhere.
        refuses: Where it can't lie.
        dims: Its extents; None: any.
        what: Who asks, as messages say it.
        asking: The call that it is an operand of, and which; None: of none, or only a part of it is.
    """

    sort: str
    spaces: frozenset[str] = frozenset()
    refuses: frozenset[str] = frozenset()
    dims: Dims | None = None
    what: str = ""
    asking: tuple[Call, Operand] | None = None

    def spaced(self, binding: Binding) -> bool:
        """Whether a name lies where it may, as far as that is known."""
        space = binding.attrs.get("mem", "")
        return not space or ((not self.spaces or space in self.spaces) and space not in self.refuses)

    def shaped(self, binding: Binding) -> bool:
        """Whether a name has the extents, as far as they are known."""
        dims = dims_in(binding)
        return self.dims is None or dims is None or same(self.dims, dims)

    def marked(self, binding: Binding, *, shaped: bool) -> Binding:
        """A name with whether it fits here."""
        fits = {"spaced": self.spaced(binding), "shaped": shaped}
        said = {key: _FITS if each else _DIFFERS for key, each in fits.items()}
        return replace(binding, attrs={**binding.attrs, **said})


@dataclass(frozen=True)
class Misfit:
    """A declared name that can't be right where it stands.

    Attributes:
        use: The name.
        reason: Why not; one clause.
        wanted: What is asked for.
    """

    use: Use
    reason: str
    wanted: Wanted


@dataclass(frozen=True)
class _Taken:
    """What an argument names.

    Attributes:
        use: The name; None: it is another expression.
        dims: The extents of what is taken of it; None: not known.
        whole: Whether all of it is taken.
        region: The indices, where it is indexed.
    """

    use: Use | None
    dims: Dims | None
    whole: bool
    region: Node | None = None

    @property
    def name(self) -> Use:
        """The name; only where there is one."""
        if self.use is None:
            raise ValueError("an expression is no name")
        return self.use


class Operands:
    """The operands in one module.

    Args:
        module: What it binds and uses.
        symbols: Its expressions.
        values: What its names stand for.
        lookup: Its names.
        environment: Γ before it.
    """

    def __init__(
        self,
        module: Module,
        symbols: Symbols,
        values: Values,
        lookup: Lookup,
        environment: Environment,
    ) -> None:
        self._module = module
        self._symbols = symbols
        self._values = values
        self._lookup = lookup
        self._environment = environment
        self._states = States(module, symbols, values)

    def wanted(self, use: Use) -> Wanted | None:
        """What stands where a name is read, if it has to be something particular."""
        return self._wanted.get(use.span)

    def frame(self, use: Use, wanted: Wanted) -> Frame:
        """The names of a place that are of its sort, each with whether it fits."""
        names = [each for each in self._visible(use) if each.sort == wanted.sort]
        if wanted.asking is None:
            return Frame.of(wanted.marked(each, shaped=wanted.shaped(each)) for each in names)
        goes, deep = self._together(wanted.asking, names), self._rank(*wanted.asking)

        def fits(each: Binding) -> bool:
            dims = dims_in(each)
            return wanted.shaped(each) and goes(each) and (dims is None or len(dims) >= deep)

        return Frame.of(wanted.marked(each, shaped=fits(each)) for each in names)

    def states(self, use: Use) -> Frame:
        """The buffers of a place where nothing particular stands, each with its state there, and what follows for tiles."""
        if not self._values:
            return Frame()
        names = list(self._visible(use))
        buffers = list(self._states.of((each for each in names if each.sort == _BUFFER), use))
        if not buffers:
            return Frame()
        around = self._symbols.counted(use.span.start)
        loops = [
            replace(each, attrs={**each.attrs, "around": _FITS if each.name in around else _DIFFERS})
            for each in names
            if each.sort == "Loop"
        ]
        others = [each for each in names if each.sort not in (_BUFFER, "Loop")]
        tiles = Tiles.among([*buffers, *loops, *others])
        return Frame.of((*buffers, *loops, *tiles.names()))

    def fitting(self, use: Use, wanted: Wanted) -> tuple[str, ...]:
        """Spellings of the names that fit at a place."""
        found = (each for each in self._visible(use) if each.sort == wanted.sort)
        fits = (each for each in found if wanted.spaced(each) and wanted.shaped(each))
        return tuple(dict.fromkeys(each.spelling for each in fits))

    def readable(self, use: Use) -> tuple[str, ...]:
        """Spellings of everything that can be read at a place; where something particular stands, no builtins."""
        wanted = self.wanted(use)
        names = [each for each in self._visible(use) if wanted is None or each.origin.provider != "builtin"]
        first = self.fitting(use, wanted) if wanted is not None else ()
        rest = sorted(names, key=lambda each: wanted is not None and each.sort != wanted.sort)
        return tuple(dict.fromkeys((*first, *(each.spelling for each in rest))))

    def misfits(self) -> Iterator[Misfit]:
        """Every name that can't be right where it stands."""
        for call in self._values.calls():
            taken = self._taken_by(call)
            for name, operand in call.role.operands.items():
                each = taken.get(name)
                if each is not None and each.use is not None and "hints" not in call.role.attrs:
                    yield from self._misfit(call, operand, each, taken)

    @cached_property
    def regions(self) -> tuple[tuple[Span, str], ...]:
        """The bodies under calls that name theirs, outer ones first."""
        named = {call.span: call.role.region for call in self._values.calls() if call.role.region}
        found: list[tuple[Span, str]] = []
        for span, region in named.items():
            body = self._body(span)
            if body is not None:
                found.append((body, region))
        return tuple(sorted(found, key=lambda each: (each[0].start, -each[0].end)))

    def _body(self, span: Span) -> Span | None:
        node = self._symbols.node(span)
        while node is not None and node.type not in ("block", "module"):
            node = node.parent
            if node is not None and node.type in ("for_statement", "with_statement"):
                body = node.child_by_field_name("body")
                return span_of(body) if body is not None else None
        return None

    @cached_property
    def _wanted(self) -> Mapping[Span, Wanted]:
        found: dict[Span, Wanted] = {}
        if not self._values:
            return found
        for use, region in self._indexed():
            found[use.span] = Wanted(_BUFFER, dims=self._indices(region))
        for call in self._values.calls():
            found |= dict(self._asked(call))
        return found

    def _asked(self, call: Call) -> Iterator[tuple[Span, Wanted]]:
        taken = self._taken_by(call)
        for name, operand in call.role.operands.items():
            each = taken.get(name)
            if each is not None and each.use is not None:
                yield each.use.span, self._operand(call, operand, each, taken)
                continue
            for use in self._first(call, operand):
                yield use.span, Wanted(operand.sort, what=call.role.attrs.get("what", ""))
        for key, sort in (("shape", call.role.extents), ("dtype", "DType")):
            place = call.given.get(call.role.attrs.get(key, "")) if call.role.makes else None
            node = self._symbols.node(place) if place is not None else None
            uses = self._symbols.elements(node) if key == "shape" else self._named(node)
            for use in uses:
                yield use.span, Wanted(sort)

    def _operand(
        self, call: Call, operand: Operand, taken: _Taken, all_taken: Mapping[str, _Taken]
    ) -> Wanted:
        dims = self._expected(call, operand, _extents_of(all_taken)) if taken.whole else None
        if taken.region is not None:
            dims = self._indices(taken.region)
        what = call.role.attrs.get("what", "")
        asking = (call, operand) if taken.whole else None
        return Wanted(operand.sort, operand.spaces, operand.refuses, dims, what, asking)

    def _first(self, call: Call, operand: Operand) -> Iterator[Use]:
        """The name that a sum begins with, where the sum is what the operand's name is the root of."""
        place = call.given.get(operand.name) if "root" in operand.attrs else None
        node = self._symbols.node(place) if place is not None else None
        while node is not None and node.type in ("binary_operator", "parenthesized_expression"):
            node = node.named_children[0] if node.named_child_count else None
        return self._named(node)

    def _named(self, node: Node | None) -> Iterator[Use]:
        use = self._symbols.use(node) if node is not None else None
        if use is not None:
            yield use

    def _indexed(self) -> Iterator[tuple[Use, Node]]:
        """Names that are indexed by what loops count, where something may be indexed."""
        left = [self._symbols.tree]
        while left:
            node = left.pop()
            left += node.named_children
            if node.type != "subscript":
                continue
            value = node.child_by_field_name("value")
            use = self._symbols.use(value) if value is not None else None
            if use is not None and any(
                self._counts(each) for each in node.children_by_field_name("subscript")
            ):
                yield use, node

    def _counts(self, index: Node) -> bool:
        """Whether an index speaks of a loop's variable."""
        left = [index]
        while left:
            node = left.pop()
            use = self._symbols.use(node)
            if use is not None and (binding := self._meant(use)) is not None and binding.sort == "Loop":
                return True
            left += node.named_children
        return False

    def _taken_by(self, call: Call) -> Mapping[str, _Taken]:
        found: dict[str, _Taken] = {}
        for name in call.role.operands:
            place = call.given.get(name)
            node = self._symbols.node(place) if place is not None else None
            taken = self._taken(node) if node is not None else None
            if taken is not None:
                found[name] = taken
        return found

    def _taken(self, node: Node) -> _Taken | None:
        use = self._symbols.use(node)
        if use is not None:
            binding = self._meant(use)
            return _Taken(use, dims_in(binding) if binding is not None else None, whole=True)
        value = node.child_by_field_name("value") if node.type == "subscript" else None
        use = self._symbols.use(value) if value is not None else None
        if use is None:
            given = self._values.value(node)
            return _Taken(None, dims_in(given), whole=False) if given is not None else None
        binding = self._meant(use)
        whole = dims_in(binding) if binding is not None else None
        return _Taken(use, self._extents(node, whole), whole=False, region=node)

    def _meant(self, use: Use) -> Binding | None:
        return self._lookup.find(use).binding

    def _extents(self, node: Node, whole: Dims | None) -> Dims | None:
        """The extents of what indices take, single elements left out; None where that can't be told."""
        indices = node.children_by_field_name("subscript")
        sliced = any(each.type == "slice" for each in indices)
        found: list[str | None] = []
        for at, each in enumerate(indices):
            if each.type == "slice":
                own = whole[at] if whole is not None and len(whole) == len(indices) else None
                found.append(self._slice(each, own))
            elif not sliced:
                stride = self._stride(each)
                if stride is None and each.type != "identifier":
                    return None
                if stride is not None:
                    found.append(stride)
        return tuple(found) if found and (sliced or len(found) > 1) else None

    def _stride(self, index: Node) -> str | None:
        """How far apart an index counts: `block` of `i * block`."""
        parts = _TIMES.match(self._symbols.extent(index))
        if index.type != "binary_operator" or parts is None:
            return None
        names = [each for each in index.named_children if self._symbols.use(each) is not None]
        counted = {text_of(each) for each in names if self._counts(each)}
        if parts["one"] in counted and parts["other"] not in counted:
            return self._plain(index, parts["other"])
        if parts["other"] in counted and parts["one"] not in counted:
            return self._plain(index, parts["one"])
        return None

    def _plain(self, index: Node, text: str) -> str:
        """An extent that stands in an expression, as it is compared."""
        part = next((each for each in index.named_children if text_of(each) == text), None)
        return self._symbols.extent(part) if part is not None else text

    def _slice(self, node: Node, own: str | None) -> str | None:
        """The extent of a slice: of `i * b : (i + 1) * b` it is `b`."""
        colons = [at for at, each in enumerate(node.children) if each.type == ":"]
        before = [each for each in node.children[: colons[0]] if each.is_named] if colons else []
        after = [each for each in node.children[colons[0] + 1 :] if each.is_named] if colons else []
        if len(colons) != 1:
            return None
        if not after:
            return own if not before else None
        stop = self._symbols.extent(after[0])
        if not before or self._symbols.extent(before[0]) == "0":
            return stop
        start = self._symbols.extent(before[0])
        parts = _TIMES.match(start)
        if parts is None:
            return stop.removeprefix(f"{start}+") if stop.startswith(f"{start}+") else None
        step, size = parts["one"], parts["other"]
        for counted, block in ((step, size), (size, step)):
            if stop in (f"({counted}+1)*{block}", f"{block}*({counted}+1)", f"{start}+{block}"):
                return self._plain(before[0], block)
        return None

    def _indices(self, node: Node) -> Dims | None:
        """The extents that a name must have to be indexed so, as far as loops tell."""
        return tuple(self._reach(each) for each in node.children_by_field_name("subscript"))

    def _reach(self, index: Node) -> str | None:
        """How far an index goes over all of a loop."""
        use = self._symbols.use(index)
        if use is not None:
            return self._extent_of(use) or None
        for each in index.named_children if index.type == "binary_operator" else ():
            use = self._symbols.use(each)
            blocks = _BLOCKS.match(self._extent_of(use)) if use is not None else None
            stride = self._stride(index)
            if blocks is not None and stride is not None and stride == (blocks["size"] or blocks["part"]):
                return blocks["all"] or blocks["whole"]
        return None

    def _extent_of(self, use: Use) -> str:
        binding = self._meant(use)
        return binding.attrs.get("extent", "") if binding is not None and binding.sort == "Loop" else ""

    def _together(self, asking: tuple[Call, Operand], names: Sequence[Binding]) -> Callable[[Binding], bool]:
        """Whether, with a name for one operand, there are names for those that are still open."""
        call, operand = asking
        taken = self._taken_by(call)
        still = [
            name
            for name, each in taken.items()
            if name != operand.name and each.use is not None and each.whole and self._meant(each.use) is None
        ]
        asked = (operand.name, *still)
        involved = [
            each
            for name, each in call.role.operands.items()
            if name in asked or each.attrs.get("of") in asked
        ]
        choices = [self._lying(call.role.operands[name], names) for name in still]
        if prod(map(len, choices)) > _MOST:
            return lambda _: True

        said = {name: self._meant(each.use) for name, each in taken.items() if each.use is not None}
        types = {name: _type_of(each) for name, each in said.items() if each is not None}

        def goes(binding: Binding) -> bool:
            for way in product(*choices):
                own = {
                    operand.name: (dims_in(binding), _type_of(binding)),
                    **dict(zip(still, way, strict=True)),
                }
                dims = {**_extents_of(taken), **{name: each[0] for name, each in own.items()}}
                alike = _of_one_type(call, {**types, **{name: each[1] for name, each in own.items()}})
                if alike and self._agree(call, involved, dims):
                    return True
            return False

        return goes

    def _rank(self, call: Call, operand: Operand) -> int:
        """How many extents an operand has at least, since others lack one of them."""
        dropped = (
            self._number(call, each.attrs["drops"])
            for each in call.role.operands.values()
            if each.attrs.get("of") == operand.name
        )
        return max((at + 1 if at >= 0 else -at for at in dropped if at is not None), default=0)

    def _lying(self, operand: Operand, names: Sequence[Binding]) -> list[tuple[Dims | None, str]]:
        """The extents and types of the names that lie where an operand may, each once."""
        wanted = Wanted(operand.sort, operand.spaces, operand.refuses)
        return list(dict.fromkeys((dims_in(each), _type_of(each)) for each in names if wanted.spaced(each)))

    def _agree(self, call: Call, operands: Sequence[Operand], dims: Mapping[str, Dims | None]) -> bool:
        """Whether operands have the extents that they must have beside the others, as far as all that is known."""
        for each in operands:
            own, expected = dims.get(each.name), self._expected(call, each, dims)
            if own is not None and expected is not None and not same(own, expected):
                return False
        return True

    def _expected(self, call: Call, operand: Operand, dims_by: Mapping[str, Dims | None]) -> Dims | None:
        """The extents that an operand must have beside the others."""
        others = {name: dims for name, dims in dims_by.items() if name != operand.name}
        if "drops" in operand.attrs:
            return self._dropped(call, operand, others.get(operand.attrs.get("of", "")))
        pattern = self._pattern(call, operand)
        if pattern == (_ANY,):
            alike = (
                name for name, each in call.role.operands.items() if self._pattern(call, each) == (_ANY,)
            )
            return next((dims for name in alike if (dims := others.get(name)) is not None), None)
        letters = dict(self._letters(call, others))
        return tuple(letters.get(each) for each in pattern) if pattern else None

    def _dropped(self, call: Call, operand: Operand, dims: Dims | None) -> Dims | None:
        at = self._number(call, operand.attrs["drops"])
        if dims is None or at is None or not -len(dims) <= at < len(dims):
            return None
        at %= len(dims)
        return (*dims[:at], *dims[at + 1 :])

    def _number(self, call: Call, parameter: str) -> int | None:
        place = call.given.get(parameter)
        node = self._symbols.node(place) if place is not None else None
        if node is None:
            return -1 if parameter not in call.given else None
        text = self._symbols.extent(node)
        return int(text) if re.fullmatch(r"-?\d+", text) else None

    def _pattern(self, call: Call, operand: Operand) -> tuple[str, ...]:
        plain = tuple(operand.attrs.get("shape", "").split())
        place = call.given.get(operand.attrs.get("turns", ""))
        if place is None:
            return plain
        node = self._symbols.node(place)
        kind = node.type if node is not None else ""
        if kind == "true":
            return tuple(operand.attrs.get("turned", "").split())
        return plain if kind == "false" else ()

    def _letters(self, call: Call, others: Mapping[str, Dims | None]) -> Iterator[tuple[str, str | None]]:
        for name, dims in others.items():
            pattern = self._pattern(call, call.role.operands[name])
            if dims is not None and len(dims) == len(pattern):
                yield from (
                    (letter, dim) for letter, dim in zip(pattern, dims, strict=True) if dim is not None
                )

    def _misfit(
        self, call: Call, operand: Operand, taken: _Taken, all_taken: Mapping[str, _Taken]
    ) -> Iterator[Misfit]:
        use = taken.name
        binding = self._meant(use)
        if binding is None or binding.sort != operand.sort:
            return
        wanted = Wanted(
            operand.sort,
            operand.spaces,
            operand.refuses,
            self._expected(call, operand, _extents_of(all_taken)) if taken.whole else None,
            call.role.attrs.get("what", ""),
        )
        space = binding.attrs.get("mem", "")
        if space in operand.refuses and self._mixes(operand, space, all_taken):
            where = f", but must be in {' or '.join(sorted(operand.spaces))}" if operand.spaces else ""
            yield Misfit(use, f"it is in {space} memory{where}", wanted)
        elif taken.whole and taken.dims is not None:
            before = {name: each for name, each in all_taken.items() if self._stands_before(each, taken)}
            dims = self._expected(call, operand, _extents_of(before))
            if dims is not None and differ(dims, taken.dims):
                shown = ", ".join(each or "?" for each in dims)
                reason = (
                    f"its shape is ({', '.join(each or '?' for each in taken.dims)}), but must be ({shown})"
                )
                yield Misfit(use, reason, replace(wanted, dims=dims))

    def _mixes(self, operand: Operand, space: str, taken: Mapping[str, _Taken]) -> bool:
        """Whether an operand that lies where it can't stands beside what does not, where that decides."""
        beside = operand.attrs.get("beside", "").split()
        others = (self._meant(taken[name].name) for name in beside if name in taken and taken[name].use)
        spaces = {each.attrs.get("mem", "") for each in others if each is not None}
        return not beside or bool(spaces - {space, ""})

    def _stands_before(self, one: _Taken, other: _Taken) -> bool:
        return one.use is not None and one.use.span < other.name.span

    def _visible(self, use: Use) -> Iterator[Binding]:
        around = self._environment
        for frame in self._lookup.frames(use):
            around = around.push(frame)
        return (each for each in around if each.namespace == "Name")


def _type_of(binding: Binding) -> str:
    """The type of a name's elements, as it is written; empty: not known."""
    return binding.attrs.get("dtype", "")


def _of_one_type(call: Call, types: Mapping[str, str]) -> bool:
    """Whether operands with the same `type` have elements of one, as far as those are known."""
    known: dict[str, str] = {}
    for name, operand in call.role.operands.items():
        letter, own = operand.attrs.get("type", ""), types.get(name, "")
        if letter and own and known.setdefault(letter, own) != own:
            return False
    return True


def _extents_of(taken: Mapping[str, _Taken]) -> dict[str, Dims | None]:
    return {name: each.dims for name, each in taken.items()}
