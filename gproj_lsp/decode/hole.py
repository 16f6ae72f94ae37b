"""One hole to be decoded: where it stands, how the user wants it filled, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from gproj_lsp.decode.calls import Call
from gproj_lsp.decode.sampling import GREEDY, Sampling
from gproj_lsp.decode.trace import Declared, Fallback, HoleEntered, Ledger, Listener
from gproj_lsp.environment import Binding
from gproj_lsp.errors import GprojError
from gproj_lsp.fragment import Rung
from gproj_lsp.policy import Choice

__all__ = ["REFUSED", "Decoded", "Judge", "Outcome", "Place", "Stranded", "Wishes"]

REFUSED = "what was decoded would make the document worse, so it was withheld"


class Stranded(GprojError):  # noqa: N818  (an outcome of decoding, told as *incomplete*)
    """A decode could not come to its grammar's end; nothing of it is to be used."""


@dataclass(frozen=True)
class Place:
    """Where a text is to stand.

    Attributes:
        before: What the model is shown before it: the head of the prompt, then the text.
        after: The text after it.
        region: ρ, outermost first.
        hole: How the hole reads in the source.
        head: How many bytes of `before` are the head of the prompt.
    """

    before: bytes
    after: bytes = b""
    region: tuple[str, ...] = ()
    hole: str = ""
    head: int = 0


@dataclass(frozen=True)
class Wishes:
    """How the user wants holes to be filled.

    Attributes:
        sampling: Greedy, or how to sample.
        allow_base: Whether a hole may be filled without the guarantee where nothing declared fits.
        budget: The most tokens one hole may take.
        scored: How many bytes of the text after a hole are scored with each candidate, at least.
    """

    sampling: Sampling = GREEDY
    allow_base: bool = False
    budget: int = 128
    scored: int = 24


@dataclass(frozen=True)
class Decoded:
    """The text of one hole.

    Attributes:
        text: The text.
        rung: The loosest rung of any part that names something.
        guaranteed: Whether no ghost can be in it.
        candidates: What the hole's slots admitted, in Γ's order.
        declared: What it declares.
        ledger: What it cost.
    """

    text: str
    rung: Rung
    guaranteed: bool
    candidates: tuple[str, ...]
    declared: tuple[Binding, ...]
    ledger: Ledger


class Judge:
    """The caller's say in a hole's text; asked once about each text."""

    def __init__(self, accepts: Callable[[str], bool]) -> None:
        self._accepts = accepts
        self._known: dict[bytes, bool] = {}

    def accepts(self, text: bytes) -> bool:
        """Whether the caller takes the text for the whole hole."""
        if text not in self._known:
            self._known[text] = self._accepts(text.decode())
        return self._known[text]

    def refused(self, text: bytes) -> bool:
        """Whether the caller was asked about the text before, and does not take it."""
        return not self._known.get(text, True)


@dataclass
class Outcome:
    """What is known of a hole's text while its parts are written.

    Attributes:
        told: Gets the events.
        rung: The loosest rung of any part so far that names something.
        guaranteed: Whether no ghost can be in it so far.
        candidates: What its slots admitted, in Γ's order, once each.
        bindings: What it declares.
    """

    told: Listener
    rung: Rung = Rung.PIN
    guaranteed: bool = True
    candidates: dict[str, None] = field(default_factory=dict)
    bindings: list[Binding] = field(default_factory=list)

    def entered(self, call: Call, choice: Choice) -> None:
        """A part is about to be written, constrained as π chose."""
        instance = choice.instance
        sort = call.path[-1]
        if choice.empty:
            self.told(Fallback(sort, max(choice.empty), instance.rung))
        count = sum(map(len, instance.candidates.values()))
        self.told(HoleEntered(sort, call.depth, instance.rung, count))
        for names in instance.candidates.values():
            self.candidates.update(dict.fromkeys(names))
        if call.fragment.slots:
            self.rung = min(self.rung, instance.rung)
        self.guaranteed = self.guaranteed and choice.guaranteed

    def declared(self, binding: Binding) -> None:
        """A declaration just written entered Γ."""
        self.bindings.append(binding)
        self.told(Declared(binding))

    def decoded(self, text: bytes, ledger: Ledger) -> Decoded:
        """The hole with its whole text."""
        return Decoded(
            text.decode(), self.rung, self.guaranteed, tuple(self.candidates), tuple(self.bindings), ledger
        )
