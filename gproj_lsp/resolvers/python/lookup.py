"""What a name that is read means: the scopes around it, then what the module is in, then what Python declares itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from gproj_lsp.environment import Binding, Environment, Frame, Key
from gproj_lsp.resolve import Verdict, World
from gproj_lsp.resolvers.python import dynamic
from gproj_lsp.resolvers.python.builtins import lexicon
from gproj_lsp.resolvers.python.flow import State, state
from gproj_lsp.resolvers.python.library import exported
from gproj_lsp.resolvers.python.scopes import DEFERRED, Block, Bound, Caught, Kind, Module, Scope, Use
from gproj_lsp.text import Span

__all__ = ["Finding", "Lookup"]

_SHORT = 3
"""Names up to this long are one slip away from too many others."""


@dataclass(frozen=True)
class Finding:
    """What is known of a name.

    Attributes:
        verdict: What.
        binding: What it means, if declared.
        reason: Why it is unknown, or what a message should add.
        scope: The scope that binds it; None: none of the module's.
        candidates: What could stand there instead; empty: whatever Γ has.
    """

    verdict: Verdict
    binding: Binding | None = None
    reason: str = ""
    scope: Scope | None = None
    candidates: tuple[str, ...] = ()


class Lookup:
    """Looks up the names of one module.

    Args:
        module: What it binds and uses.
        environment: Γ before it.
        world: What is known completely.
    """

    def __init__(self, module: Module, environment: Environment, world: World) -> None:
        self._module = module
        self._environment = environment
        self._world = world
        self._spoken, setting = dynamic.settle(module.spoken, module.texts)
        self._brought: dict[str, tuple[str, int]] = {}
        wild = [module.wild, (setting, 0) if setting else None, *self._stars()]
        self._wild = min((each for each in wild if each is not None), key=lambda each: each[1], default=None)

    def _stars(self) -> Iterator[tuple[str, int]]:
        """What comes of importing everything of modules; names are noted where it is told which they can be."""
        for module, since in self._module.stars:
            reason = f"everything of {module} is imported"
            names = exported(self._environment, module) if "Attribute" in self._world.closed else None
            if names is None:
                yield reason, since
            for name in names or ():
                first = self._brought.get(name)
                if first is None or since < first[1]:
                    self._brought[name] = (reason, since)

    def find(self, use: Use) -> Finding:
        """What a name means."""
        if use.exported:
            return self._exported(use)
        found = self._in_scopes(use)
        if found.verdict is not Verdict.GHOST:
            return found
        outside = self._environment.lookup(Key("Name", "", use.name))
        if outside is not None and found.scope is None:
            return Finding(Verdict.DECLARED, outside, scope=None)
        doubt = self._doubt(use)
        if doubt:
            return Finding(Verdict.UNKNOWN, None, doubt)
        later = lexicon().since.get(use.name)
        return replace(found, reason=f"it is a builtin since {later[0]}") if later else found

    def frames(self, use: Use) -> tuple[Frame, ...]:
        """The names that can be read at a place, outermost scope first; what is not bound yet is hidden."""
        frames: list[Frame] = []
        for scope, at_once in self._visible(use):
            names: list[Binding] = []
            hidden: list[Key] = []
            for name, bounds in scope.bound.items():
                if name in scope.outer:
                    continue
                if state(bounds, use, scope, at_once=at_once) is State.BOUND:
                    names.append(scope.binding(name))
                elif scope.kind is Kind.FUNCTION:
                    hidden.append(Key("Name", "", name))
            frames.append(Frame.of(names, hidden))
        return tuple(reversed(frames))

    def meaning(self, use: Use) -> tuple[Scope, list[Bound]] | None:
        """The scope that binds a name, and where; None where that is not one of the module's, or not certain."""
        found = self._in_scopes(use)
        if found.verdict is Verdict.DECLARED and found.scope is not None:
            return found.scope, found.scope.bound[use.name]
        return None

    @property
    def is_wild(self) -> bool:
        """Whether the module may have names that nothing in it tells."""
        return self._wild is not None or bool(self._brought)

    def is_spoken(self, name: str) -> bool:
        """Whether a name is set, or looked for, by its text."""
        return name in self._spoken

    def _visible(self, use: Use) -> Iterator[tuple[Scope, bool]]:
        """The scopes whose names count at a place, innermost first, and whether the place runs together with each."""
        at_once, types = not use.late, True
        for scope in use.scope.chain():
            if scope.kind is not Kind.CLASS or scope is use.scope or types:
                yield scope, at_once
            at_once = at_once and scope.kind not in DEFERRED
            types = types and scope.kind is Kind.TYPES

    def _in_scopes(self, use: Use) -> Finding:
        name = use.name
        reason = ""
        only_module = False
        for scope, at_once in self._visible(use):
            if only_module and scope.kind is not Kind.MODULE:
                continue
            where = scope.outer.get(name)
            if where is not None:
                only_module = where == "global"
                continue
            bounds = scope.bound.get(name)
            if not bounds:
                if scope.kind is Kind.CLASS and name in lexicon().of_class:
                    return Finding(Verdict.DECLARED, lexicon().own(name))
                continue
            found = state(bounds, use, scope, at_once=at_once)
            if found is State.BOUND:
                return Finding(Verdict.DECLARED, scope.binding(name), scope=scope)
            if found is State.UNKNOWN:
                return Finding(Verdict.UNKNOWN, None, found.value)
            reason = reason or found.value
            if scope.kind is Kind.FUNCTION:
                return Finding(Verdict.GHOST, None, reason, scope)
        if name == "__class__" and self._in_method(use):
            return Finding(Verdict.DECLARED, lexicon().own(name))
        return Finding(Verdict.GHOST, None, reason)

    def _in_method(self, use: Use) -> bool:
        inside = False
        for scope in use.scope.chain():
            if scope.kind is Kind.CLASS and inside:
                return True
            inside = inside or scope.kind in (Kind.FUNCTION, Kind.LAMBDA, Kind.GENERATOR)
        return False

    def _doubt(self, use: Use) -> str:
        """Why an absent name may be there after all, or be asked for on purpose; empty: it can't."""
        if use.quoted:
            return "it stands in a string"
        if "Name" not in self._world.closed:
            return "what came before may declare it"
        return self._asked(use) or self._made(use) or self._broken(use.name, use.span)

    def _asked(self, use: Use) -> str:
        """Why a name is asked for although it may be absent."""
        if Caught.NAME in use.caught:
            return "a NameError is caught"
        words = lexicon()
        if Caught.RELEASE in use.caught and (use.name in words.past or use.name in words.since):
            return "the text is for some releases or systems only"
        if self._bound_in_handler(use):
            return "the handlers of the try bind it"
        if any(line.contains(use.span) for line in self._module.excused):
            return "a comment says that it is there"
        return ""

    def _made(self, use: Use) -> str:
        """What may declare a name when the module runs."""
        if use.name in lexicon().hosts:
            return "what runs the file may declare it"
        for each in (self._wild, self._brought.get(use.name)):
            if each is not None and not self._before(use, each[1]):
                return each[0]
        if use.name in self._spoken:
            return "it is set or looked for by its text"
        if any(scope.name in self._module.carried for scope in use.scope.chain()):
            return "its code may run with other names"
        if use.scope.kind is Kind.CLASS and use.scope.custom:
            return "the metaclass may declare it"
        return ""

    def _broken(self, name: str, span: Span) -> str:
        if not self._module.broken:
            return ""
        if any(each.touches(span.start) for each in self._module.unread):
            return "the statement has a syntax error"
        return "a syntax error may hide where it is bound" if name in self._module.doubtful else ""

    def _bound_in_handler(self, use: Use) -> bool:
        around = use.tries
        while around is not None:
            for scope, _ in self._visible(use):
                if any(around.handlers.contains(each.span) for each in scope.bound.get(use.name, ())):
                    return True
            around = around.above
        return False

    def _before(self, use: Use, since: int) -> bool:
        """Whether a place has run by the time that the module reaches a byte."""
        at_once = [at_once for _, at_once in self._visible(use)][-1]
        return at_once and use.span.end <= since and not _in_loop(use, since)

    def _exported(self, use: Use) -> Finding:
        """An entry of `__all__`. A package may list its modules there, so only a slip of the pen is a ghost."""
        scope = self._module.scope
        if use.name in scope.bound:
            return Finding(Verdict.DECLARED, scope.binding(use.name), scope=scope)
        near = [name for name in self._unexported if _is_slip(use.name, name)]
        if not near or self._wild is not None or "__getattr__" in scope.bound or self._module.broken:
            return Finding(Verdict.UNKNOWN, None, "it may be a module of the package")
        return Finding(Verdict.GHOST, None, "the module does not declare it", candidates=tuple(near))

    @cached_property
    def _unexported(self) -> tuple[str, ...]:
        """Public names of the module that `__all__` leaves out."""
        said = {use.name for use in self._module.uses if use.exported}
        scope = self._module.scope
        kinds = {"function", "class", "variable", "type"}
        return tuple(
            name
            for name, bounds in scope.bound.items()
            if name not in said and not name.startswith("_") and any(each.kind in kinds for each in bounds)
        )


def _in_loop(use: Use, since: int) -> bool:
    block: Block | None = use.block
    while block is not None:
        if block.loops and block.span.start < since < block.span.end:
            return True
        block = block.above
    return False


def _is_slip(name: str, other: str) -> bool:
    from rapidfuzz.distance import OSA  # noqa: PLC0415  (few modules list an absent name)

    return len(name) > _SHORT and OSA.distance(name, other, score_cutoff=1) <= 1
