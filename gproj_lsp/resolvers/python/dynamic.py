"""What may only come to be when a module runs: after `exec`, through `globals()`, from `import *`, in `builtins`.

A name that such a place spells out is unknown; where it can't be told which names, every absent one is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from gproj_lsp.resolvers.python.builtins import lexicon
from gproj_lsp.resolvers.python.scopes import Chain, Kind, Use
from gproj_lsp.resolvers.python.tree import Node, text_of, words_in

if TYPE_CHECKING:
    from gproj_lsp.resolvers.python.reading import Here, Reader

__all__ = ["note_chain", "note_item", "note_name", "settle"]

_SPACES = frozenset({"globals", "locals", "vars"})
"""What gives a name space as a dictionary."""
_ASKING = frozenset({*_SPACES, "dir", "hasattr", "getattr"})
"""What looks for names by their text."""
_BUILTINS = frozenset({"builtins", "__builtins__", "__builtin__"})
_OF_FRAMES = (".f_globals", ".f_builtins")
_CHANGING = frozenset({"update", "setdefault", "__setitem__"})
_READING = frozenset({"get", "keys", "items", "values", "copy", "__contains__", "__getitem__"})


_ONLY_READ = frozenset(
    {
        "binary_operator",
        "comparison_operator",
        "dictionary_splat",
        "expression_statement",
        "for_in_clause",
        "for_statement",
        "subscript",
    }
)
"""What stands around a dictionary that is not changed there, or is noted by its item."""


def note_name(reader: Reader, use: Use) -> None:
    """Note what a bare name may do: who exports an enumeration's members into its module."""
    if use.name == "global_enum":
        reader.grow_wild("global_enum declares names")
    elif use.name in _ASKING:
        reader.module.spoken.add("")


def note_chain(reader: Reader, chain: Chain, node: Node) -> None:
    """Note what a call may do."""
    note_name(reader, chain.root)
    first = chain.steps[0]
    names = [step.name for step in chain.steps if step.name]
    if "global_enum" in names:
        reader.grow_wild("global_enum declares names")
    if "__code__" in names:
        reader.module.carried.add(chain.root.name)
    if "install" in names:
        reader.module.spoken.add("")  # as gettext puts what it is told the names of into builtins
    _note_itself(reader, [chain.root.name, *names], node)
    if chain.root.name in _BUILTINS and first.name:
        _note_builtins(reader, chain, node)
    elif chain.root.name == "sys" and first.name == "modules":
        _note_modules(reader, node)
    elif any(f".{one}" in _OF_FRAMES and other in _CHANGING for one, other in pairwise(names)):
        reader.grow_wild("the names of a frame are changed")
    elif not first.name:
        _note_call(reader, chain, node)


def note_item(reader: Reader, target: Node, here: Here) -> None:
    """Note what an assignment to an item may do: `globals()["x"] = 1`."""
    if target.type != "subscript":
        return
    value = target.child_by_field_name("value")
    if value is None:
        return
    text = text_of(value)
    if value.type == "call" and text in {f"{each}()" for each in _SPACES}:
        if text == "globals()" or here.scope.kind is Kind.MODULE:
            _name_or_any(reader, target.child_by_field_name("subscript"), f"{text}[…] is assigned to")
        elif here.scope.kind is Kind.CLASS:
            here.scope.custom = True
    elif text.removesuffix(".__dict__") in _BUILTINS or text.endswith(_OF_FRAMES):
        _name_or_any(reader, target.child_by_field_name("subscript"), f"{text}[…] is assigned to")


def _note_itself(reader: Reader, names: Sequence[str], node: Node) -> None:
    """A call that may be given the module's own name."""
    converts = any(name.startswith("_convert") for name in names)
    imports = not {"__import__", "import_module"}.isdisjoint(names)
    if not (converts or imports) or not any(text_of(word) == "__name__" for word in words_in(node)):
        return
    if converts:
        reader.grow_wild("an enumeration is converted into names")
    else:
        reader.module.spoken.add(_ITSELF)


def _note_call(reader: Reader, chain: Chain, node: Node) -> None:
    call = _innermost(node)
    given = call.child_by_field_name("arguments")
    arguments = [] if given is None else [each for each in given.named_children if each.type != "comment"]
    name = chain.root.name
    if name in ("exec", "execfile"):
        _note_exec(reader, chain.root, arguments)
    elif name == "setattr" and arguments:
        _note_setattr(reader, arguments)
    elif name in _SPACES and not arguments and _holds_names(chain.root, name):
        _note_space(reader, chain.root, call, f"{name}()")


def _holds_names(use: Use, name: str) -> bool:
    """Whether the dictionary is one in which names live: a function's `locals()` is a copy."""
    return name == "globals" or use.scope.kind in (Kind.MODULE, Kind.CLASS)


def _note_exec(reader: Reader, use: Use, arguments: list[Node]) -> None:
    if len(arguments) > 1 and not any("__dict__" in text_of(each) for each in arguments[1:]):
        return  # into a dictionary of its own; `globals()` there is noted by itself
    outside = use.scope.kind in (Kind.MODULE, Kind.CLASS)
    reader.grow_wild("exec may declare names", use.span.start if outside else 0)


def _note_setattr(reader: Reader, arguments: list[Node]) -> None:
    target = text_of(arguments[0])
    if target in _BUILTINS or "sys.modules" in target or target.startswith(("globals", "__import__")):
        _name_or_any(reader, arguments[1] if len(arguments) > 1 else None, f"setattr({target}, …)")
    elif arguments[0].type == "identifier":
        reader.module.spoken.add(_SETTING)


_SETTING = "setattr(…)"
"""Not a name: notes that something is set by its text on what a variable holds."""


_WORD = re.compile(r"[^\W\d]\w*")
_WITH_OWN = 3
"""Arguments of `exec`: the code, the names it may read, and where it binds its own."""


def _note_space(reader: Reader, use: Use, space: Node, name: str) -> None:
    """A dictionary of names, and what is done with it.

    Args:
        reader: Reads the module.
        use: What it is asked of.
        space: The dictionary.
        name: What messages call it.
    """
    around = space.parent
    member = around.child_by_field_name("attribute") if around is not None else None
    if around is None or around.type in _ONLY_READ:
        return
    if _is_beside(around):
        _note_texts(reader, around)
        return
    if member is not None and around.type == "attribute":
        harmless, reason = text_of(member) in _READING, f"{name}.{text_of(member)} may declare names"
    else:
        harmless, reason = _is_harmless(around), f"{name} is handed on"
    if harmless:
        return
    if name in ("locals()", "vars()") and use.scope.kind is Kind.CLASS:
        use.scope.custom = True  # what a class has is no name anywhere else
    else:
        reader.grow_wild(reason)


def _is_harmless(around: Node) -> bool:
    """Whether what is given a dictionary leaves it as it is."""
    if around.type == "keyword_argument" and text_of(around).partition("=")[0].strip() == "globals":
        return True  # as timeit has it
    given = around.parent if around.type in ("keyword_argument", "list_splat") else around
    call = given.parent if given is not None and given.type == "argument_list" else None
    function = call.child_by_field_name("function") if call is not None else None
    return function is not None and text_of(function) in lexicon().harmless


def _is_beside(around: Node) -> bool:
    """Whether arguments are those of an `exec` that binds names in a dictionary of its own, the last of three."""
    call = around.parent if around.type == "argument_list" else None
    function = call.child_by_field_name("function") if call is not None else None
    if function is None or text_of(function) not in ("exec", "eval"):
        return False
    given = [each for each in around.named_children if each.type != "comment"]
    return len(given) == _WITH_OWN and given[-1].type in (
        "identifier",
        "attribute",
        "dictionary",
        "subscript",
    )


def _note_texts(reader: Reader, node: Node) -> None:
    """Note every word of the module's texts: they may become part of what is executed, and functions with them."""
    while node.parent is not None:
        node = node.parent
    left = [node]
    while left:
        here = left.pop()
        if here.type == "string":
            reader.module.spoken.update(_WORD.findall(text_of(here)))
        else:
            left += here.named_children


def _note_builtins(reader: Reader, chain: Chain, node: Node) -> None:
    """`builtins.name = …` declares a name everywhere."""
    first = chain.steps[0]
    if first.stored:
        reader.module.spoken.add(first.name)
    elif first.name in _CHANGING or first.name == "exec":
        reader.grow_wild(f"{chain.root.name}.{first.name} may declare names")
    elif first.name == "__dict__" and len(chain.steps) == 1:
        _note_space(reader, chain.root, node, "builtins.__dict__")
    elif first.name == "__dict__" and chain.steps[1].name not in _READING:
        reader.grow_wild("builtins.__dict__ may declare names")


def _note_modules(reader: Reader, node: Node) -> None:
    """`sys.modules[__name__]`, the module itself, kept or handed to what sets its members."""
    item = node.parent
    if (
        item is None
        or item.type != "subscript"
        or not any(text_of(each) == "__name__" for each in words_in(item))
    ):
        return
    around = item.parent
    if around is None:
        return
    if around.type == "attribute":
        member = around.child_by_field_name("attribute")
        if member is not None and text_of(member) == "__dict__":
            reader.grow_wild("the module's __dict__ may declare names")
    elif around.type == "assignment":
        reader.module.spoken.add(_ITSELF)


_ITSELF = "sys.modules[…]"
"""Not a name: notes that a variable holds the module itself."""


def settle(spoken: set[str], texts: set[str]) -> tuple[frozenset[str], str]:
    """Which names are spelled out where names are set or looked for by their text, and why any other may be.

    Args:
        spoken: What was noted.
        texts: Every text of the module that is a name.
    """
    wild = "the module sets its own members" if {_ITSELF, _SETTING} <= spoken else ""
    names = frozenset(spoken - {_ITSELF, _SETTING, ""})
    return (names | texts if "" in spoken else names), wild


def _name_or_any(reader: Reader, key: Node | None, reason: str) -> None:
    said = text_of(key).strip("\"'") if key is not None and key.type == "string" else ""
    if said.isidentifier():
        reader.module.spoken.add(said)
    else:
        reader.grow_wild(reason)


def _innermost(node: Node) -> Node:
    """The first call of a chain: that of its root."""
    here, call = node, node
    while True:
        if here.type == "call":
            call = here
        below = here.child_by_field_name("function") or here.child_by_field_name("object")
        if below is None:
            return call
        here = below
