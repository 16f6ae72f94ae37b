"""Text without a mask: whatever the model would say, token by token. For sketches, and to compare with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gproj_lsp.decode.sampling import GREEDY, Sampler, Sampling

if TYPE_CHECKING:
    from gproj_lsp.decode.base import Stop
    from gproj_lsp.decode.context import Context

__all__ = ["Free", "freely"]


@dataclass(frozen=True)
class Free:
    """What a model wrote of itself.

    Attributes:
        text: The text, up to where it is taken to end.
        tokens: How many tokens were written.
        ended: Whether it came to an end before the budget was used up.
    """

    text: str
    tokens: int
    ended: bool


def freely(  # noqa: PLR0913  (what, how far, and how)
    context: Context,
    prompt: bytes,
    ends: Sequence[str],
    budget: int,
    stop: Stop | None = None,
    sampling: Sampling = GREEDY,
) -> Free:
    """Write on after a prompt until the model ends the text, or writes something that ends it.

    Args:
        context: The model.
        prompt: The text before.
        ends: Texts of which the first ends it; they are left out.
        budget: The most tokens to write.
        stop: Asked before each step.
        sampling: How to choose tokens.

    Raises:
        Cancelled: `stop` said so.
        ModelError: The prompt does not fit, or the model failed.
    """
    vocabulary = context.vocabulary
    logits = context.show(
        (*vocabulary.opening, *vocabulary.encode(prompt)) or tuple(vocabulary.encode(b"\n")), stop
    )
    sampler = Sampler(sampling)
    data = b""
    for tokens in range(budget):
        token = sampler.pick(logits.astype(np.float64))
        if token in vocabulary.end:
            return Free(data.decode(errors="replace"), tokens, ended=True)
        data += vocabulary.tokens[token]
        text = data.decode(errors="replace")
        if found := [at for at in map(text.find, ends) if at >= 0]:
            return Free(text[: min(found)], tokens + 1, ended=True)
        if tokens + 1 < budget:
            logits = context.feed((token,), stop)
    return Free(data.decode(errors="replace"), budget, ended=False)
