"""What expressions bind and use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from gproj_lsp.resolvers.python import dynamic
from gproj_lsp.resolvers.python.builtins import lexicon
from gproj_lsp.resolvers.python.reading import Handler, Here, Reader, for_some
from gproj_lsp.resolvers.python.scopes import ALWAYS, Caught, Chain, Given, Kind, Life, Step, Use
from gproj_lsp.resolvers.python.tree import Node, span_of, text_of
from gproj_lsp.text import Span

__all__ = ["EXPRESSIONS", "errors_in", "parameters", "plain_text", "store"]

_ERRORS = {
    "NameError": Caught.NAME,
    "UnboundLocalError": Caught.NAME,
    "AttributeError": Caught.ATTRIBUTE,
    "ImportError": Caught.IMPORT,
    "ModuleNotFoundError": Caught.IMPORT,
    "TypeError": Caught.CALL,
}
_WORD = re.compile(r"\w+")
_TYPE = re.compile(r"[\w.\[\], |]+\Z")
_NOT_TYPE = re.compile(r"\w\s+\w")
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")


def errors_in(text: str) -> Caught:
    """The errors that a text names."""
    caught = Caught.NOTHING
    for word in _WORD.findall(text):
        caught |= _ERRORS.get(word, Caught.NOTHING)
    return caught


def plain_text(node: Node) -> str | None:
    """What a string says; None where it is none, or not plain."""
    if node.type != "string" or not node.named_children[0:1]:
        return None
    prefix = text_of(node.named_children[0]).rstrip("'\"").lower()
    inner = node.named_children[1:-1]
    if "b" in prefix or "f" in prefix or "t" in prefix or len(inner) > 1:
        return None
    if not inner:
        return ""
    return None if inner[0].named_child_count else text_of(inner[0])


def store(  # noqa: PLR0913  (as `Reader.bind`)
    reader: Reader, node: Node, kind: str, here: Here, life: Life = ALWAYS, given: Given | None = None
) -> None:
    """Read what is assigned to: names are bound; of members and items, what they are of is read.

    Args:
        reader: Reads the module.
        node: The target.
        kind: What the names become.
        here: Where it stands.
        life: From where to where they are bound.
        given: What is assigned, if it is written out.
    """
    left: list[tuple[Node, Given | None]] = [(node, given)]
    while left:
        target, said = left.pop()
        if target.type == "identifier":
            reader.bind(target, kind, here, life, given=said)
        elif target.type in _NESTED:
            left += zip(target.named_children, _shared(target, said), strict=True)
        elif target.type == "attribute":
            _chain(reader, target, here, stored=True)
        else:
            dynamic.note_item(reader, target, here)
            reader.later(target, here)


def _shared(target: Node, given: Given | None) -> Iterator[Given | None]:
    """What each part of a target gets of what is assigned to all of it."""
    whole = target.type in ("as_pattern_target", "parenthesized_expression")
    for index, part in enumerate(target.named_children):
        if given is None or whole:
            yield given
        else:
            certain = given.index < 0 and not any("splat" in each.type for each in target.named_children)
            yield replace(given, index=index) if certain and part.type == "identifier" else None


_NESTED = frozenset(
    {
        "as_pattern_target",
        "dictionary_splat_pattern",
        "expression_list",
        "list",
        "list_pattern",
        "list_splat",
        "list_splat_pattern",
        "parenthesized_expression",
        "pattern_list",
        "tuple",
        "tuple_pattern",
    }
)


def parameters(reader: Reader, node: Node | None, outside: Here, inside: Here, types: Here) -> None:
    """Read parameters.

    Args:
        reader: Reads the module.
        node: All of them.
        outside: Where defaults are evaluated.
        inside: Where the names are bound.
        types: Where annotations are read.
    """
    for each in node.named_children if node is not None else ():
        reader.later(each.child_by_field_name("type"), types)
        reader.later(each.child_by_field_name("value"), outside)
        named, said = each.child_by_field_name("name"), each.child_by_field_name("type")
        target = named if named is not None else each
        if target.type == "typed_parameter":
            target = target.named_children[0]
        if target.type in ("identifier", *_NESTED):
            default = each.child_by_field_name("value")
            given = Given("annotated", span_of(said)) if said is not None else None
            if given is None and default is not None:
                given = Given("default", span_of(default))
            store(reader, target, "parameter", inside, given=given)


def _identifier(reader: Reader, node: Node, here: Here) -> None:
    dynamic.note_name(reader, reader.use(node, here))


def _lambda(reader: Reader, node: Node, here: Here) -> None:
    body = node.child_by_field_name("body")
    if body is None:
        return reader.parts(node, here)
    inside = here.within(reader.scope(Kind.LAMBDA, span_of(body), here))
    parameters(reader, node.child_by_field_name("parameters"), here, inside, here)
    return reader.later(body, inside)


def _comprehension(reader: Reader, node: Node, here: Here) -> None:
    kind = Kind.GENERATOR if node.type == "generator_expression" else Kind.COMPREHENSION
    inside = here.within(reader.scope(kind, span_of(node), here))
    first = True
    for part in node.named_children:
        if part.type != "for_in_clause":
            reader.later(part, inside)
            continue
        left = part.child_by_field_name("left")
        if left is not None:
            store(reader, left, "variable", inside)
        for right in part.children_by_field_name("right"):
            reader.later(right, here if first else inside)
            first = False


def _walrus(reader: Reader, node: Node, here: Here) -> None:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    reader.later(value, here)
    if name is None or name.type != "identifier":
        return
    scope = next(each for each in here.scope.chain() if each.kind not in (Kind.COMPREHENSION, Kind.GENERATOR))
    reader.bind(name, "variable", here.within(scope))


def _conditional(reader: Reader, node: Node, here: Here) -> None:
    parts = [each for each in node.named_children if each.type != "comment"]
    condition = parts[1] if len(parts) > 1 else None
    inside = here.catching(for_some(condition))
    reader.all((each for each in parts if each is not condition), inside)
    reader.later(condition, here)


def _boolean(reader: Reader, node: Node, here: Here) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    reader.later(left, here)
    caught = for_some(left) if left is not None and left.type != "boolean_operator" else Caught.NOTHING
    reader.later(right, here.catching(caught))


def _keyword(reader: Reader, node: Node, here: Here) -> None:
    reader.later(node.child_by_field_name("value"), here)


def _string(reader: Reader, node: Node, here: Here) -> None:
    said = plain_text(node)
    if said is None:
        reader.all((each for each in node.named_children if each.type == "interpolation"), here)
        return
    if said.isidentifier():
        reader.module.texts.add(said)
    if here.typed and _TYPE.match(said) and not _NOT_TYPE.search(said):
        start = node.named_children[1].start_byte if node.named_child_count > 2 else node.start_byte
        for match in _NAME.finditer(said):
            before = len(said[: match.start()].encode())
            span = Span(start + before, start + before + len(match[0].encode()))
            reader.module.uses.append(
                Use(match[0], span, here.scope, here.block, here.caught, here.tries, late=True, quoted=True)
            )


def _subscript(reader: Reader, node: Node, here: Here) -> None:
    value = node.child_by_field_name("value")
    if value is None and node.named_child_count:
        value = node.named_children[0]
    inside = here
    if here.typed and value is not None:
        named = text_of(value).rpartition(".")[2]
        inside = here if named in lexicon().generics else replace(here, typed=False)
    reader.parts(node, inside)


def _attribute(reader: Reader, node: Node, here: Here) -> None:
    _chain(reader, node, here)


def _chain(reader: Reader, node: Node, here: Here, *, stored: bool = False) -> None:
    """Read members and calls down to what they are of."""
    steps: list[Step] = []
    top = node
    here = replace(here, typed=False) if here.typed else here
    while True:
        if node.type == "attribute":
            below, member = node.child_by_field_name("object"), node.child_by_field_name("attribute")
            if below is None or member is None:
                return reader.parts(node, here)
            name = text_of(member)
            steps.append(Step(name, span_of(member), stored=stored and node is top))
            if stored and node is top:
                reader.module.patched.add(name)
        elif node.type == "call":
            below, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
            if below is None or given is None:
                return reader.parts(node, here)
            steps.append(_call(reader, given, here))
        else:
            break
        node = below
    if node.type != "identifier":
        return reader.later(node, here)
    root = reader.use(node, here)
    chain = Chain(root, span_of(top), tuple(reversed(steps)))
    reader.module.chains.append(chain)
    dynamic.note_chain(reader, chain, top)
    return None


def _call(reader: Reader, given: Node, here: Here) -> Step:
    keywords: list[tuple[str, Span, Span]] = []
    texts: list[tuple[str, str]] = []
    places: list[Span] = []
    starred = False
    caught = Caught.NOTHING
    for each in given.named_children if given.type == "argument_list" else ():
        starred = starred or "splat" in each.type
        if not starred and each.type not in ("keyword_argument", "comment"):
            places.append(span_of(each))
        if each.type == "identifier":
            caught |= _ERRORS.get(text_of(each), Caught.NOTHING)
        elif each.type == "keyword_argument":
            name, value = each.child_by_field_name("name"), each.child_by_field_name("value")
            if name is None or value is None:
                continue
            keywords.append((text_of(name), span_of(name), span_of(value)))
            said = plain_text(value)
            if said is not None:
                texts.append((text_of(name), said))
    reader.later(given, here.catching(caught))
    return Step("", span_of(given), tuple(keywords), tuple(texts), places=tuple(places))


EXPRESSIONS: Mapping[str, Handler] = {
    "attribute": _attribute,
    "boolean_operator": _boolean,
    "call": _attribute,
    "conditional_expression": _conditional,
    "dictionary_comprehension": _comprehension,
    "generator_expression": _comprehension,
    "generic_type": _subscript,
    "identifier": _identifier,
    "keyword_argument": _keyword,
    "lambda": _lambda,
    "list_comprehension": _comprehension,
    "named_expression": _walrus,
    "set_comprehension": _comprehension,
    "string": _string,
    "subscript": _subscript,
}
