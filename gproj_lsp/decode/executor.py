"""The executor: decodes one hole under Γ as it grows (paper, 4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gproj_lsp.decode.base import MaskEngine, Stop, Vocabulary
from gproj_lsp.decode.calls import Call, beginning, concatenated, literal_of, may_be_empty, own_end
from gproj_lsp.decode.choice import decide
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.decoder import Decoder, Hole, PartWriter
from gproj_lsp.decode.hole import REFUSED, Decoded, Place, Stranded, Wishes
from gproj_lsp.decode.leaf import LeafDecoder, Task
from gproj_lsp.decode.prompt import Seam, between, seam, window
from gproj_lsp.decode.rank import Ranking, rank
from gproj_lsp.decode.sampling import Sampler
from gproj_lsp.decode.trace import Listener, Ranked, Text, silent
from gproj_lsp.decode.walk import Around
from gproj_lsp.fragment import Fragment, Instance, Rung
from gproj_lsp.gbnf import Grammar
from gproj_lsp.policy import Policy

__all__ = ["Decoded", "Executor", "Place", "Stranded", "Wishes"]

_BOUNDARY = b"\n"
"""What follows a name at the end of a text, so that it is told from a longer one that begins with it."""
_FEW = 40
_EFFORT = 96
"""More names than a few are ranked exactly only as far as this many nodes of their tree."""
_LIMITS = (1, 4, 16)
"""How many of the likeliest names are tried where the ones before were refused."""
_LOOK = 8
"""Tokens after which a choice between parts of a fragment is taken as open, and falls to the first."""
_READS = 1_500
"""Tokens of the text before a hole that a model is shown at most: 4 s to read once on two cores."""


class Executor(Decoder):
    """Decodes holes with one model and one engine. One executor belongs to one thread."""

    def __init__(  # noqa: PLR0913  (what decodes, what it decodes, how, and who is told)
        self,
        context: Context,
        engine: MaskEngine,
        fragments: Mapping[str, Fragment],
        policies: Mapping[str, Policy],
        wishes: Wishes | None = None,
        told: Listener = silent,
    ) -> None:
        """An executor.

        Args:
            context: The model and what it was shown.
            engine: The mask engine.
            fragments: By the sort they produce.
            policies: By sort; a sort without one starts at GAMMA.
            wishes: How to fill.
            told: Gets the events.
        """
        super().__init__(fragments, policies, wishes, told)
        self.context = context
        self.engine = engine
        self.sampler = Sampler(self.wishes.sampling)
        self.leaf = LeafDecoder(context, engine, self.sampler)

    @property
    def vocabulary(self) -> Vocabulary:
        """The model's."""
        return self.context.vocabulary

    @property
    def capacity(self) -> int:
        """What the model's context holds."""
        return self.context.model.capacity

    @property
    def reads(self) -> int:
        """As many tokens as a small machine reads in a few seconds."""
        return _READS

    def at(self, rungs: tuple[Rung, ...]) -> Executor:
        """The same executor with one ladder for every sort."""
        policies = dict.fromkeys(self.fragments, Policy(rungs))
        wishes = replace(self.wishes, allow_base=Rung.BASE in rungs)
        return Executor(self.context, self.engine, self.fragments, policies, wishes, self.told)

    def ranking(
        self, instance: Instance, place: Place, *, limit: int = 10, stop: Stop | None = None
    ) -> Ranking:
        """The candidates of a hole that is one closed slot, likeliest first.

        Raises:
            Cancelled: `stop` said so.
            ModelError: The model failed.
        """
        right = window(place.after, self.wishes.scored) or _BOUNDARY
        shown = shown_before(self.context, place.before)
        names = instance.candidates[instance.only]
        effort = _EFFORT if len(names) > _FEW else None

        def told(ranking: Ranking) -> None:
            self.told(Ranked(ranking))

        return rank(self.context, shown, names, right, limit=limit, effort=effort, stop=stop, told=told)

    def hands(self, hole: Hole) -> PartWriter:
        """The model writes; after a refusal it must not say the same again, so it begins with the next likely token."""
        if not hole.attempt or self.wishes.sampling.temperature:
            return _Hands(self, hole, self.leaf)
        sampler = Sampler(self.wishes.sampling, skip=hole.attempt)
        return _Hands(self, hole, LeafDecoder(self.context, self.engine, sampler))


class _Hands(PartWriter):
    """The model, under masks."""

    def __init__(self, owner: Executor, hole: Hole, leaf: LeafDecoder) -> None:
        super().__init__(owner, hole)
        self.owner = owner
        self.leaf = leaf

    def instance(self, call: Call, instance: Instance, around: Around) -> bytes:
        if instance.only and not self.owner.wishes.sampling.temperature:
            return self._best(call, instance, around)
        return self._masked(instance.grammar, around)

    def only(self, text: bytes) -> bytes:
        self.hole.ledger.gave(text)
        return self._whole(text)

    def decide(self, grammars: Sequence[Grammar], around: Around) -> int:
        shown = shown_before(self.owner.context, around.before)
        matchers = [
            self.owner.engine.compile(concatenated(shown.tail, grammar), self.owner.context.vocabulary)
            for grammar in grammars
        ]
        return decide(
            self.owner.context,
            shown.ids,
            matchers,
            self.leaf.sampler,
            self.hole.ledger,
            budget=_LOOK,
            stop=self.hole.stop,
        )

    def _best(self, call: Call, instance: Instance, around: Around) -> bytes:
        """The likeliest name, and of a hole that is nothing else, the likeliest that is accepted."""
        calls = self.owner.context.calls
        names = instance.candidates[instance.only]
        place = Place(around.before, around.after or literal_of(around.follow))
        tried = 0
        for limit in _LIMITS:
            ranking = self.owner.ranking(instance, place, limit=limit, stop=self.hole.stop)
            best = [each.text.encode() for each in ranking.candidates[:limit]]
            found = next((text for text in best[tried:] if call.depth or self.hole.judge.accepts(text)), None)
            tried = len(best)
            if found is not None or tried == len(names):
                break
        self.hole.ledger.model_calls += self.owner.context.calls - calls
        self.hole.ledger.chose(len(names))
        if found is None:
            raise Stranded(REFUSED)
        return self._whole(found)

    def _whole(self, text: bytes) -> bytes:
        self.hole.ledger.tokens += len(self.owner.context.vocabulary.encode(text))
        self.owner.told(Text(0, text))
        return text

    def _masked(self, grammar: Grammar, around: Around) -> bytes:
        if self.owner.context.vocabulary.fim is not None and around.after:
            return self._middle(grammar, around)
        shown = shown_before(self.owner.context, around.before)
        follow = beginning(around.follow) if around.follow else None
        closed = follow is not None and not may_be_empty(follow)
        parts = (shown.tail, grammar, *([follow] if follow else ()))
        skip = len(shown.tail)
        text = self._written(Task(concatenated(*parts), shown.ids, self._budget(), closed), skip)
        end = own_end(text, grammar, follow)
        if end < len(text):
            self.owner.told(Text(end, b""))
        return text[:end]

    def _middle(self, grammar: Grammar, around: Around) -> bytes:
        """Write between the text before and the text after, which a model with fill-in-the-middle tokens is shown first."""
        shown = between(self.owner.context.vocabulary, around.before, around.after, self.hole.place.head)
        return self._written(Task(grammar, shown, self._budget(), closed=False), 0)

    def _budget(self) -> int:
        return self.owner.wishes.budget - self.hole.ledger.tokens

    def _written(self, task: Task, skip: int) -> bytes:
        """Decode; the first bytes were there before and are not told."""

        def told(at: int, data: bytes) -> None:
            self.owner.told(Text(max(0, at - skip), data[max(0, skip - at) :]))

        written = self.leaf.decode(task, self.hole.ledger, told, self.hole.stop)
        if written.reason:
            raise Stranded(written.reason)
        return written.text[skip:]


def shown_before(context: Context, before: bytes) -> Seam:
    """The text before a place as the model is shown it; at least one token, because a model says nothing to nothing."""
    cut = seam(context.vocabulary, before)
    return cut if cut.ids else Seam(tuple(context.vocabulary.encode(_BOUNDARY)), cut.tail)
