"""What a walk over a statement's tree writes down: references, and what each place expects."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from sqlglot import exp

from gproj_lsp.resolve import Declaration, Reference, Verdict
from gproj_lsp.text import Span, encode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gproj_lsp.environment import Binding
    from gproj_lsp.resolvers.sql.parse import Source
    from gproj_lsp.resolvers.sql.scopes import Relation, Scope

__all__ = ["Finding", "Place", "Record", "Recorder", "Site"]


class Place(NamedTuple):
    """Where in its block a name stands.

    Attributes:
        scope: The block's names.
        clause: Which clause (`Where`).
        upto: How many of the block's relations can be seen there; None: all.
    """

    scope: Scope
    clause: str
    upto: int | None = None


class Site(NamedTuple):
    """A place that a name stands at, and what it expects.

    Attributes:
        span: The name's bytes.
        sort: The sort expected; empty where any value may stand.
        region: The path of regions.
        place: Where in its block, if it is in one.
        relation: The one relation whose columns fit, if there is one.
        without: Folded names of that relation's columns that no longer fit (listed before).
        schema: The folded schema the name is qualified by.
        member: For an alias: the folded column that its relation must have.
    """

    span: Span
    sort: str
    region: tuple[str, ...]
    place: Place | None = None
    relation: Relation | None = None
    without: frozenset[str] = frozenset()
    schema: str | None = None
    member: str = ""


class Finding(NamedTuple):
    """What a lookup found."""

    verdict: Verdict
    binding: Binding | None = None
    reason: str = ""
    candidates: tuple[str, ...] = ()
    owner: str = ""


class Record(NamedTuple):
    """What was written down of one statement.

    Attributes:
        references: Its references, in order of place.
        declarations: What it declares inside itself.
        sites: What its places expect.
    """

    references: tuple[Reference, ...] = ()
    declarations: tuple[Declaration, ...] = ()
    sites: Sequence[Site] = ()


class Recorder:
    """References and sites of one statement.

    Args:
        source: The parsed text.
        vague: Spans of holes, parameters and templates: what stands there is no name.
    """

    def __init__(self, source: Source, vague: tuple[Span, ...]) -> None:
        self.source = source
        self.sites: list[Site] = []
        self.region: tuple[str, ...] = ()
        self._vague = tuple(sorted(vague))
        self._starts = [each.start for each in self._vague]
        self._span = source.span
        self._references: dict[Span, Reference] = {}
        self._declarations: list[Declaration] = []

    @property
    def record(self) -> Record:
        """All that was written down."""
        return Record(self.references, self.declarations, self.sites)

    @property
    def declarations(self) -> tuple[Declaration, ...]:
        """What the statement declares inside itself."""
        return tuple(self._declarations)

    def declare(self, name: object, binding: Binding) -> None:
        """Write down that a node declares a name, unless it stands nowhere in the text, or a hole or a template does."""
        span = self.span(name)
        if span is not None and not self.vague(span):
            self._declarations.append(Declaration(span, binding))

    def imply(self, node: exp.Expr, binding: Binding) -> None:
        """Write down that something counts where a node stands, though its name is not written."""
        named = node.find(exp.Identifier)
        if (span := self.span(named)) is not None:
            self._declarations.append(Declaration(Span(span.start, span.start), binding))

    @property
    def references(self) -> tuple[Reference, ...]:
        """What was recorded, in order of place."""
        return tuple(sorted(self._references.values(), key=_place))

    def inside(self, region: str) -> _Inside:
        """Within one more region."""
        return _Inside(self, region)

    def span(self, node: object) -> Span | None:
        """The node's bytes, if it stands in the text; of what is no node, there are none."""
        return self._span(node) if isinstance(node, exp.Expr) else None

    def vague(self, span: Span | None) -> bool:
        """Whether a hole, a parameter or a template stands there."""
        if not self._vague or span is None:
            return False
        before = bisect_left(self._starts, span.end) - 1
        return before >= 0 and self._vague[before].end > span.start

    def _continued(self, span: Span) -> bool:
        """Whether a parameter or a template follows it directly: `date :'day'` is a literal, `{{ prefix }}_id` one name."""
        after = bisect_left(self._starts, span.end)
        gaps = [Span(each.end, span.start) for each in self._vague[:after][-1:]]
        gaps += [Span(span.end, each.start) for each in self._vague[after : after + 1]]
        if not gaps:
            return False
        data = encode(self.source.text)
        return any(not data[gap.start : gap.end].strip() for gap in gaps)

    def site(self, site: Site) -> None:
        """Write down what a place expects."""
        self.sites.append(site)

    def refer(self, span: Span, name: str, sort: str, finding: Finding) -> None:
        """Write down a reference, unless a hole or a template stands there."""
        if self.vague(span):
            return
        verdict, binding, reason, candidates, owner = finding
        if verdict is Verdict.GHOST and self._continued(span):
            verdict, reason = Verdict.UNKNOWN, "what stands behind it may belong to it"
        reference = Reference(span, name, sort, verdict, binding, owner, reason, candidates)
        first = self._references.setdefault(span, reference)
        if first is not reference and first.verdict is Verdict.GHOST and verdict is not Verdict.GHOST:
            # sqlglot reads some words in two ways at once; one of them found it.
            self._references[span] = reference


class _Inside:
    """The recorder's region while a `with` lasts; a generator would take several times as long."""

    __slots__ = ("_outer", "_recorder", "_region")

    def __init__(self, recorder: Recorder, region: str) -> None:
        self._recorder = recorder
        self._outer = recorder.region
        self._region = (*self._outer, region)

    def __enter__(self) -> None:
        self._recorder.region = self._region

    def __exit__(self, *_: object) -> None:
        self._recorder.region = self._outer


def _place(reference: Reference) -> tuple[int, int]:
    return reference.span.start, reference.span.end
