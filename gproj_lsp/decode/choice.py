"""Which of several grammars the model would go on with, where only one of them can be decoded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gproj_lsp.decode.base import mask_words
from gproj_lsp.decode.sampling import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gproj_lsp.decode.base import Mask, Matcher, Stop
    from gproj_lsp.decode.context import Context
    from gproj_lsp.decode.sampling import Sampler
    from gproj_lsp.decode.trace import Ledger

__all__ = ["decide"]


def decide(  # noqa: PLR0913  (among what, where, by whom, how far)
    context: Context,
    shown: Sequence[int],
    matchers: Sequence[Matcher],
    sampler: Sampler,
    ledger: Ledger,
    *,
    budget: int,
    stop: Stop | None = None,
) -> int:
    """Let the model write under the union of the masks until only one matcher follows; gives its number.

    What is written is thrown away: it only tells which way the model goes. Where several follow to the end, or as far as
    the budget lasts, the first of them is taken.

    Raises:
        Cancelled: `stop` said so.
        ModelError: The model failed.
    """
    vocabulary = context.vocabulary
    masks: list[Mask] = [np.zeros(mask_words(vocabulary), dtype=np.int32) for _ in matchers]
    viable = list(range(len(matchers)))
    written: list[int] = []
    while len(viable) > 1 and len(written) < budget:
        for at in viable:
            matchers[at].mask(masks[at])
        union: Mask = np.bitwise_or.reduce([masks[at] for at in viable])
        among = count(union)
        if not among:
            break
        token = sampler.choose(context.show((*shown, *written), stop), union)
        ledger.chose(among)
        ledger.model_calls += 1
        if token in vocabulary.end:
            return next(at for at in viable if matchers[at].is_complete())
        viable = [at for at in viable if matchers[at].accept_token(token)]
        written.append(token)
        ended = [at for at in viable if matchers[at].is_complete()]
        if ended and len(viable) > 1:
            return ended[0]
    return viable[0]
