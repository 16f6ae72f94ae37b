"""Holes that are written elsewhere: one request a part, with its G[Γ], and the same guarantee checked on what comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gproj_lsp.decode.base import HoleFiller, HoleTask, HoleText, MaskEngine, Stop, Vocabulary
from gproj_lsp.decode.calls import Call, beginning, concatenated, may_be_empty, own_end, united
from gproj_lsp.decode.decoder import Decoder, Hole, PartWriter
from gproj_lsp.decode.engines.llama import gbnf_text
from gproj_lsp.decode.hole import REFUSED, Place, Stranded, Wishes
from gproj_lsp.decode.prompt import seam
from gproj_lsp.decode.rank import Ranking
from gproj_lsp.decode.trace import Listener, Text, silent
from gproj_lsp.decode.walk import Around
from gproj_lsp.errors import ModelError
from gproj_lsp.fragment import Fragment, Instance, Rung
from gproj_lsp.gbnf import Grammar, Names
from gproj_lsp.policy import Policy

__all__ = ["BYTES", "Delegate"]

BYTES = Vocabulary(
    "bytes", (*(bytes([byte]) for byte in range(256)), b""), frozenset([256]), None, None, encode=list
)
"""What texts are measured in where the tokenizer is out of reach."""

_WIDTH = 3
"""Bytes that a token of names and code has on average, taken low."""
_SEAMS = 32
"""Tokens for what is written again before a part, and for what shows that it ended."""
_WARM = 0.7
"""The temperature at least after a refusal: what is likeliest would only come again."""
_SHOWN = 60
"""Characters of an answer that a complaint repeats."""


class Delegate(Decoder):
    """Has holes written by a filler. One delegate belongs to one thread."""

    def __init__(  # noqa: PLR0913  (who writes, who checks, what is written, how, and who is told)
        self,
        filler: HoleFiller,
        engine: MaskEngine,
        fragments: Mapping[str, Fragment],
        policies: Mapping[str, Policy],
        wishes: Wishes | None = None,
        told: Listener = silent,
    ) -> None:
        """A delegate.

        Args:
            filler: Writes.
            engine: Checks what was written.
            fragments: By the sort they produce.
            policies: By sort; a sort without one starts at GAMMA.
            wishes: How to fill.
            told: Gets the events.
        """
        super().__init__(fragments, policies, wishes, told)
        self.filler = filler
        self.engine = engine

    @property
    def vocabulary(self) -> Vocabulary:
        """Bytes."""
        return BYTES

    @property
    def capacity(self) -> int:
        """What the filler takes, in bytes."""
        return self.filler.capacity * _WIDTH

    @property
    def reads(self) -> int:
        """As much as it takes: whoever serves models reads fast."""
        return self.capacity

    def at(self, rungs: tuple[Rung, ...]) -> Delegate:
        """The same delegate with one ladder for every sort."""
        policies = dict.fromkeys(self.fragments, Policy(rungs))
        wishes = replace(self.wishes, allow_base=Rung.BASE in rungs)
        return Delegate(self.filler, self.engine, self.fragments, policies, wishes, self.told)

    def ranking(
        self, instance: Instance, place: Place, *, limit: int = 10, stop: Stop | None = None
    ) -> Ranking:
        """Nothing: only texts come back, and no probabilities.

        Raises:
            ModelError: Always.
        """
        del instance, place, limit, stop
        raise ModelError(
            "a remote model fills holes, but tells no probabilities to rank by",
            place=self.filler.name,
            mend="rank with a model on this machine, as in -c model=embedded",
        )

    def hands(self, hole: Hole) -> PartWriter:
        """Parts are written by the filler."""
        return _Hands(self, hole)


class _Hands(PartWriter):
    """The filler, and whoever checks it."""

    def __init__(self, owner: Delegate, hole: Hole) -> None:
        super().__init__(owner, hole)
        self.owner = owner

    def instance(self, call: Call, instance: Instance, around: Around) -> bytes:
        grammar = instance.grammar
        if instance.only and not call.depth and self.hole.attempt:
            grammar = self._left(instance.candidates[instance.only])
        follow = beginning(around.follow) if around.follow else None
        told = follow is not None and not may_be_empty(follow)
        text = self._written(grammar, follow if told else None, around.before)
        self.owner.told(Text(0, text))
        return text

    def only(self, text: bytes) -> bytes:
        self.hole.ledger.gave(text)
        self.owner.told(Text(0, text))
        return text

    def decide(self, grammars: Sequence[Grammar], around: Around) -> int:
        text = self._written(united(grammars), None, around.before, whole=False)
        places = range(len(grammars))
        begun = [at for at in places if self._holds(grammars[at], text, whole=False)]
        return next((at for at in begun if self._holds(grammars[at], text, whole=True)), begun[0])

    def _left(self, names: Sequence[str]) -> Grammar:
        """The names that were not refused yet."""
        left = tuple(name for name in names if not self.hole.judge.refused(name.encode()))
        if not left:
            raise Stranded(REFUSED)
        return Grammar({"root": Names(left)}, "root", frozenset(["root"]))

    def _written(
        self, grammar: Grammar, follow: Grammar | None, before: bytes, *, whole: bool = True
    ) -> bytes:
        """Have a text of the grammar written, and check it.

        Args:
            grammar: The grammar.
            follow: What shows that the text is at its end; cut off again.
            before: The text before.
            whole: Whether the beginning of a text will not do.

        Raises:
            ModelError: There was no answer, or it is not of the grammar.
            Stranded: The budget ended it.
        """
        cut = seam(
            BYTES, before
        )  # the last word is written again: a prompt that ends within a token misleads
        expected = concatenated(cut.tail, grammar, *([follow] if follow else ()))
        answer = self._asked(bytes(cut.ids) or b"\n", gbnf_text(expected))
        blanks = cut.tail[: len(cut.tail) - len(cut.tail.lstrip())].decode()
        for text in dict.fromkeys(
            (answer.text, blanks + answer.text)
        ):  # some servers drop blanks at the beginning
            if self._holds(expected, text.encode(), whole=whole or not answer.cut):
                written = text.encode()[len(cut.tail) :]
                return written[: own_end(written, grammar, follow)]
        if answer.cut and self._holds(expected, answer.text.encode(), whole=False):
            raise Stranded(f"needs more than the {self.owner.wishes.budget} tokens of the budget")
        raise self._ignored(answer.text)

    def _asked(self, before: bytes, gbnf: str) -> HoleText:
        wishes, ledger = self.owner.wishes, self.hole.ledger
        sampling = wishes.sampling
        again = self.hole.attempt
        task = HoleTask(
            before.decode(),
            gbnf,
            max(wishes.budget - ledger.tokens, 1) + _SEAMS,
            max(sampling.temperature, _WARM) if again else sampling.temperature,
            sampling.top_p,
            None if sampling.seed is None else sampling.seed + again,
        )
        ledger.told = False
        ledger.model_calls += 1
        answer = self.owner.filler.write(task, self.hole.stop)
        ledger.tokens += answer.tokens
        return answer

    def _holds(self, grammar: Grammar, text: bytes, *, whole: bool) -> bool:
        """Whether the grammar has this text, or one that begins so."""
        matcher = self.owner.engine.compile(grammar, BYTES)
        return matcher.accept_bytes(text) and (matcher.is_complete() or not whole)

    def _ignored(self, text: str) -> ModelError:
        shown = text[:_SHOWN] + ("…" if len(text) > _SHOWN else "")
        return ModelError(
            f"the server ignored the grammar and wrote {shown!r}, so nothing was inserted",
            place=self.owner.filler.name,
            mend="say by remote.server what kind of server it is; not every one can keep to a grammar",
        )
