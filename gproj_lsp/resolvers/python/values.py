"""What the names of a module stand for, as far as libraries' functions say what they make (`roles`).

A name that every place binds to something of one sort is of that sort, with what all those places say of it: where it lies,
its extents, its type. A name that stands where an extent or a type is asked for is a `Dim` or a `DType`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce

from gproj_lsp.environment import Binding, Environment
from gproj_lsp.resolvers.python.api import Api
from gproj_lsp.resolvers.python.computing import Computing, Value, dims_in, listed, merged, shaped
from gproj_lsp.resolvers.python.roles import Role, roles_of
from gproj_lsp.resolvers.python.scopes import Bound, Chain, Given, Kind, Module, Scope
from gproj_lsp.resolvers.python.symbols import Dims, Symbols, arguments
from gproj_lsp.resolvers.python.tree import Node, span_of, text_of
from gproj_lsp.text import Span

__all__ = ["Call", "Value", "Values"]

_DEPTH = 24
_DEEP = 16
"""So many calls within calls are followed for their extents."""
_PLAIN = frozenset({"parameter", "variable"})


@dataclass(frozen=True)
class Call:
    """A call of a function whose role is known.

    Attributes:
        role: The role.
        span: The bytes of all of it.
        places: The bytes of the values that are given by position.
        given: The bytes of each parameter's value.
    """

    role: Role
    span: Span
    places: tuple[Span, ...]
    given: Mapping[str, Span]


class Values:
    """What the names of one module stand for.

    Args:
        module: What it binds and uses.
        symbols: Its expressions.
        api: What it reads of libraries.
        environment: Γ before it.
    """

    def __init__(self, module: Module, symbols: Symbols, api: Api, environment: Environment) -> None:
        self._module = module
        self._symbols = symbols
        self._api = api
        self._chains = {chain.span: chain for chain in module.chains}
        found = roles_of(environment)
        self._roles: dict[str, Role] = {}
        for name, role in found.items():
            thing = api.thing(name)
            if thing is not None:
                self._roles[thing.path] = role
        self._found: dict[tuple[int, str], Value | None] = {}
        self._computing = Computing(self._roles, self._plain)

    def __bool__(self) -> bool:
        return bool(self._roles)

    def settle(self) -> None:
        """Say in Γ what names stand for; before anything asks for them there."""
        if not self._roles:
            return
        self._roots()
        for scope in self._module.scopes:
            if scope.kind is Kind.CLASS:
                continue
            for name, bounds in scope.bound.items():
                value = self.of(scope, name, bounds)
                if value is not None:
                    scope.bindings[name] = _binding(name, bounds, value)
        self._by_use()

    def of(self, scope: Scope, name: str, bounds: list[Bound], depth: int = 0) -> Value | None:
        """What a name stands for; None where that is not known."""
        key = (id(scope), name)
        if key not in self._found:
            self._found[key] = None  # what stands for itself stands for nothing
            found = self._merged([each for each in bounds if each.kind != "deletion"], depth)
            if (
                found is not None
                and self._inlined(scope)
                and any(each.kind == "parameter" for each in bounds)
            ):
                found = Value(found.sort, {key: text for key, text in found.attrs.items() if key != "mem"})
            self._found[key] = found
        return self._found[key]

    def calls(self) -> Iterator[Call]:
        """Every call of a function whose role is known, inner calls of a chain left out."""
        for chain in self._module.chains if self._roles else ():
            call = self._call(chain)
            if call is not None:
                yield call

    def call(self, span: Span) -> Call | None:
        """The call that has exactly these bytes, or what is indexed as a call is written (`Tensor[shape, type]`)."""
        node = self._symbols.node(span)
        if node is None:
            return None
        chain = self._chains.get(span_of(node))
        if chain is not None:
            return self._call(chain)
        return self._indexed(node) if node.type == "subscript" else None

    def _call(self, chain: Chain) -> Call | None:
        if not chain.steps or chain.steps[-1].name:
            return None
        step = chain.steps[-1]
        thing = self._api.follow(chain).befores.get(step.span)
        role = self._roles.get(thing.path) if thing is not None else None
        if role is None or "bare" in role.attrs:
            return None
        return Call(role, chain.span, step.places, arguments(step, role.parameters))

    def _indexed(self, node: Node) -> Call | None:
        value = node.child_by_field_name("value")
        chain = self._chains.get(span_of(value)) if value is not None else None
        thing = self._api.follow(chain).thing if chain is not None else None
        role = self._roles.get(thing.path) if thing is not None else None
        if role is None or not role.gives("annotated"):
            return None
        keys = node.children_by_field_name("subscript")
        places = tuple(span_of(each) for each in keys) if keys and keys[0].type in ("tuple", "list") else ()
        return Call(role, span_of(node), places, dict(zip(role.parameters, places, strict=False)))

    def _inlined(self, scope: Scope) -> bool:
        """Whether a scope is a function's that takes what it is given, wherever that lies."""
        for decorator in self._symbols.decorators(scope.span) if scope.kind is Kind.FUNCTION else ():
            chain = self._chains.get(span_of(decorator))
            thing = self._api.follow(chain).thing if chain is not None else None
            role = self._roles.get(thing.path) if thing is not None else None
            if role is not None and "inlines" in role.attrs:
                return True
        return False

    def _merged(self, bounds: list[Bound], depth: int) -> Value | None:
        said = [each for each in bounds if each.given is not None and each.given.how == "annotated"]
        silent = [each for each in bounds if each.kind == "parameter" and not _says(each)]
        left = [each for each in bounds if each not in silent] if said else bounds
        # What is updated stays what it was.
        left = [each for each in left if each.given is None or each.given.how != "updated"]
        if not left or any(each.remote for each in left):
            return None
        values = [self._from(each.given, depth) if each.given is not None else None for each in left]
        sorts = {value.sort if value is not None else "" for value in values}
        if len(sorts) != 1 or "" in sorts:
            return None
        found = [value for value in values if value is not None]
        same = dict(set(found[0].attrs.items()).intersection(*(value.attrs.items() for value in found)))
        shapes = [value.attrs.get("shape", "") for value in found]
        if all(shapes) and (shape := reduce(merged, shapes)):
            same["shape"] = shape
        return Value(found[0].sort, dict(sorted(same.items())))

    def _from(self, given: Given, depth: int) -> Value | None:
        call = self.call(given.place)
        if call is not None:
            return self._made(call, given, depth)
        node = self._symbols.node(given.place)
        if node is None or given.index >= 0 or depth > _DEPTH:
            return None
        if given.how in ("annotated", "default"):
            return self._bare(node, given.how)
        return self._computing.value(node, depth) if given.how == "assigned" else None

    def value(self, node: Node, depth: int = 0) -> Value | None:
        """What an expression gives; None where that is not known."""
        return self._computing.value(node, depth)

    def _plain(self, node: Node, depth: int) -> Value | None:
        """What a name, a member or a call stands for."""
        use = self._symbols.use(node)
        if use is not None:
            meaning = self._symbols.bound(use)
            return self.of(meaning[0], use.name, meaning[1], depth) if meaning is not None else None
        if node.type == "call":
            call = self.call(span_of(node))
            return self._made(call, Given("assigned", call.span), depth) if call is not None else None
        return self._bare(node, "assigned")

    def _bare(self, node: Node, how: str) -> Value | None:
        chain = self._chains.get(span_of(node))
        thing = self._api.follow(chain).thing if chain is not None else None
        role = self._roles.get(thing.path) if thing is not None else None
        bare = role is not None and "bare" in role.attrs and role.gives(how)
        return Value(role.makes, {}) if role is not None and bare else None

    def _made(self, call: Call, given: Given, depth: int = 0) -> Value | None:
        role = call.role
        if not role.gives(given.how) or (given.index >= 0 and "many" not in role.attrs):
            return None
        attrs = {
            "mem": self._space(call),
            **self._reach(call, depth),
            "dtype": self._text(call.given.get(role.attrs.get("dtype", ""))),
            "extent": self._extent(call, given.index),
        }
        return Value(role.makes, {key: text for key, text in attrs.items() if text})

    def _space(self, call: Call) -> str:
        said = call.given.get(call.role.attrs.get("scope", ""))
        if said is None:
            return call.role.attrs.get("mem", "")
        return call.role.space(self._text(said).strip("\"'"))

    def _reach(self, call: Call, depth: int) -> Mapping[str, str]:
        """What is told of the extents of what a call makes."""
        attrs = call.role.attrs
        if "like" in attrs:
            return shaped(self._alike(call, depth))
        if "count" in attrs:
            return shaped(self._counted(call))
        if "letters" in attrs:
            return shaped(self._lettered(call, depth))
        place = call.given.get(attrs.get("shape", ""))
        dims = self._symbols.dims(self._symbols.node(place)) if place is not None else None
        return {"shape": listed(dims)} if dims is not None else {}

    def _alike(self, call: Call, depth: int) -> Dims | None:
        """Extents of parameters together, without the one that another parameter names."""
        nodes = [self._node(call, name) for name in call.role.attrs["like"].split()]
        found = [each for each in nodes if each is not None]
        dims = self._computing.shape(found, depth + 1) if depth < _DEEP and found else None
        dropped = call.role.attrs.get("drops", "")
        if dims is None or not dropped:
            return dims
        axis = self._node(call, dropped)
        if axis is None or axis.type == "none":
            return () if dropped not in call.given or axis is not None else None
        text = self._symbols.extent(axis)
        at = int(text) if text.lstrip("-").isdecimal() else len(dims)
        return (*dims[:at], *dims[at % len(dims) + 1 :]) if -len(dims) <= at < len(dims) else None

    def _counted(self, call: Call) -> Dims | None:
        """From nothing up to what a parameter says."""
        start, stop = (self._node(call, name) for name in call.role.attrs["count"].split())
        whole = start is not None and stop is not None and self._symbols.extent(start) == "0"
        return (self._symbols.extent(stop),) if stop is not None and whole else None

    def _lettered(self, call: Call, depth: int) -> Dims | None:
        """Extents that operands have under the same letters."""
        said: dict[str, str | None] = {}
        for name, operand in call.role.operands.items():
            node = self._node(call, name)
            value = self.value(node, depth + 1) if node is not None and depth < _DEEP else None
            dims, letters = (
                dims_in(value) if value is not None else None,
                operand.attrs.get("shape", "").split(),
            )
            if dims is not None and len(dims) == len(letters):
                said |= dict(zip(letters, dims, strict=True))
        found = tuple(said.get(each) for each in call.role.attrs["letters"].split())
        return None if all(each is None for each in found) else found

    def _node(self, call: Call, parameter: str) -> Node | None:
        place = call.given.get(parameter)
        return self._symbols.node(place) if place is not None else None

    def _extent(self, call: Call, index: int) -> str:
        how, places = call.role.attrs.get("extent", ""), call.places
        if how == "each" and max(index, 0) < len(places) and (index >= 0 or len(places) == 1):
            return self._dim(places[max(index, 0)])
        if how == "range" and len(places) == 1 and "stop" not in call.given:
            return self._dim(places[0])
        if how == "range" and len(places) > 1 and self._dim(places[0]) == "0":
            return self._dim(places[1])
        return ""

    def _dim(self, place: Span) -> str:
        node = self._symbols.node(place)
        return self._symbols.extent(node) if node is not None else ""

    def _text(self, place: Span | None) -> str:
        node = self._symbols.node(place) if place is not None else None
        return text_of(node) if node is not None else ""

    def _roots(self) -> None:
        """Parameters that are what an operand has to be, since the operand is computed from them."""
        for call in self.calls():
            for name, operand in call.role.operands.items():
                node = self._node(call, name) if "root" in operand.attrs else None
                root = self._symbols.root(node) if node is not None else None
                if root is not None:
                    scope, parameter, bounds = root
                    self._found[id(scope), parameter] = value = Value(operand.sort, {"single": "yes"})
                    scope.bindings[parameter] = _binding(parameter, bounds, value)

    def _by_use(self) -> None:
        """Names that stand where an extent or a type is asked for; those of whole tensors first."""
        for call in sorted(self._makers(), key=lambda each: "whole" not in each.role.attrs):
            reach = {"reach": "whole" if "whole" in call.role.attrs else "part"}
            shape = call.given.get(call.role.attrs.get("shape", ""))
            for use in self._symbols.elements(self._symbols.node(shape) if shape is not None else None):
                self._name(Value(call.role.extents, reach), self._symbols.bound(use), use.name)
            dtype = call.given.get(call.role.attrs.get("dtype", ""))
            node = self._symbols.node(dtype) if dtype is not None else None
            named = self._symbols.use(node) if node is not None else None
            if named is not None:
                self._name(Value("DType", {}), self._symbols.bound(named), named.name)

    def _makers(self) -> Iterator[Call]:
        yield from (call for call in self.calls() if call.role.makes)
        for scope in self._module.scopes:
            for bounds in scope.bound.values():
                for each in bounds:
                    if each.given is not None and each.given.how == "annotated":
                        node = self._symbols.node(each.given.place)
                        found = self._indexed(node) if node is not None and node.type == "subscript" else None
                        if found is not None:
                            yield found

    def _name(self, value: Value, meaning: tuple[Scope, list[Bound]] | None, name: str) -> None:
        if meaning is None:
            return
        scope, bounds = meaning
        known = scope.kind is Kind.CLASS or self._found.get((id(scope), name)) is not None
        if not known and all(each.kind in _PLAIN for each in bounds):
            self._found[id(scope), name] = value
            scope.bindings[name] = _binding(name, bounds, value)


def _says(bound: Bound) -> bool:
    """Whether what a parameter is, is written with it; a default alone says it of a type, and of little else."""
    return bound.given is not None and bound.given.how == "annotated"


def _binding(name: str, bounds: list[Bound], value: Value) -> Binding:
    first = next((each for each in bounds if each.binds), bounds[0])
    return Binding(name, value.sort, namespace="Name", attrs={"kind": first.kind, **value.attrs})
