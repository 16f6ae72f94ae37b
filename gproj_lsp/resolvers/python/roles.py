"""What functions of libraries mean besides their names: what a call makes, and what it takes.

Facts tell it: a `Role` is named as the function is, an `Operand` as a parameter, and belongs to its function. Of a role tell

- `parameters`: the function's, in order, as far as roles speak of them;
- `makes`: the sort of what a call gives, and `mem`, `shape`, `dtype`: where that lies, and the parameters that say the rest;
- `extents`: the sort of names in that shape; `Dim`, where nothing is said. Those of a `whole` thing have `reach` = `whole`,
  others `part`;
- `scope`, `scopes`: the parameter that says instead where it lies, and what its texts mean (`shared.dyn=shared`);
- `where`: how a name gets such a value: `assigned`, `annotated`, `entered`, `iterated`; `default`; by default the first two;
- instead of `shape`, `like`: the parameters whose extents it has together, without the one that `drops` names; `count`: the
  parameters it counts from and to; `letters`: the letters of its operands' extents that it has;
- `spreads`: how far what is computed with such a value is of its sort, and `keeps`: the methods that leave it so;
- `hints`: that extents are too uncertain to warn of;
- `extent`: how far a loop's variable goes: `each` argument for the variable of its place, or a `range`;
- `region`: what the body of such a `with` or `for` is called;
- `bare`: that it is no call: the member itself is of the sort;
- `inlines`: that a function under this decorator takes what it is given, wherever annotations say that it lies.

Of an operand:

- `sort`: `Buffer`, where nothing else is said;
- `mem`: where it may lie; `refuses`: where it certainly can't, if one of those `beside` it lies elsewhere;
- `shape`: its extents, a letter each, letters that operands share being equal; `*` for any; `turned` for those when the
  parameter that `turns` names is true; `drops`: the parameter that says which extent it lacks of what `of` names;
- `type`: a letter; operands with the same one have elements of one type;
- `does`: what becomes of it: `reads`, where nothing else is said, `writes`, `updates` what was there, or `sets` all of it to
  a number;
- `root`: that a parameter which such a sum begins with is of the sort.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

from gproj_lsp.environment import Binding, Environment, Query

__all__ = ["Operand", "Role", "roles_of"]

_KEPT = 8
_USUAL = "assigned annotated"


@dataclass(frozen=True)
class Operand:
    """What a parameter takes.

    Attributes:
        name: The parameter.
        attrs: What facts tell of it.
    """

    name: str
    attrs: Mapping[str, str]

    @property
    def sort(self) -> str:
        """The sort of name that stands there."""
        return self.attrs.get("sort", "Buffer")

    @property
    def spaces(self) -> frozenset[str]:
        """Where it may lie; empty: anywhere."""
        return frozenset(self.attrs.get("mem", "").split())

    @property
    def refuses(self) -> frozenset[str]:
        """Where it can't lie."""
        return frozenset(self.attrs.get("refuses", "").split())

    @property
    def does(self) -> str:
        """What becomes of it: `reads`, `writes`, `updates` or `sets`."""
        return self.attrs.get("does", "reads")


@dataclass(frozen=True)
class Role:
    """What a function means.

    Attributes:
        attrs: What facts tell of it.
        operands: What its parameters take, by their names.
    """

    attrs: Mapping[str, str]
    operands: Mapping[str, Operand] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def makes(self) -> str:
        """The sort of what it gives; empty: none that is told."""
        return self.attrs.get("makes", "")

    @property
    def parameters(self) -> tuple[str, ...]:
        """Its parameters in order."""
        return tuple(self.attrs.get("parameters", "").split())

    @property
    def extents(self) -> str:
        """The sort of names that stand for extents in its `shape`."""
        return self.attrs.get("extents", "Dim")

    @property
    def region(self) -> str:
        """What the body under it is called; empty: nothing."""
        return self.attrs.get("region", "")

    def gives(self, how: str) -> bool:
        """Whether a name gets what it makes in a way."""
        return bool(self.makes) and how in self.attrs.get("where", _USUAL).split()

    def space(self, text: str) -> str:
        """What a text of its `scope` parameter means; empty: that is not told."""
        meant = dict(each.partition("=")[::2] for each in self.attrs.get("scopes", "").split())
        return meant.get(text, "")


@lru_cache(maxsize=_KEPT)
def roles_of(environment: Environment) -> Mapping[str, Role]:
    """The roles that facts tell, by the dotted names that functions have in facts."""
    operands: dict[str, dict[str, Operand]] = {}
    for each in environment.names(Query.of("Operand")):
        operands.setdefault(each.owner, {})[each.name] = Operand(each.name, each.attrs)
    return MappingProxyType(
        {each.name: _role(each, operands) for each in environment.names(Query.of("Role"))}
    )


def _role(binding: Binding, operands: Mapping[str, Mapping[str, Operand]]) -> Role:
    return Role(binding.attrs, MappingProxyType(dict(operands.get(binding.name, {}))))
