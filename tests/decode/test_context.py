"""What is in a model's context is never fed again, nor is what was read before somebody stopped it."""

from __future__ import annotations

from contextlib import suppress

import pytest

from gproj_lsp.decode.context import Context
from gproj_lsp.decode.models.fake import FakeModel, word_vocabulary
from gproj_lsp.errors import Cancelled

VOCABULARY = word_vocabulary(["a"])
LONG = VOCABULARY.encode(b"a" * 500)


@pytest.fixture
def context():
    return Context(FakeModel(VOCABULARY, lambda _: b"a"))


class Slow(FakeModel):
    """A model that can read so many tokens before somebody loses patience."""

    patience = 20

    def feed(self, ids, *, every=False, stop=None):
        if stop is not None and len(ids) > self.left:
            raise Cancelled("it took too long")
        self.left -= len(ids)
        return super().feed(ids, every=every, stop=stop)


def test_who_is_stopped_each_time_gets_on_all_the_same():
    context = Context(Slow(VOCABULARY, lambda _: b"a"))
    read = [0]
    while read[-1] < len(LONG):
        context.model.left = context.model.patience
        with suppress(Cancelled):
            context.show(LONG, lambda: False)
        assert len(context.model.fed) > read[-1]
        read.append(len(context.model.fed))
    assert context.model.fed == LONG
    assert context.tokens == len(LONG)


def test_a_text_is_one_call_however_it_is_read(context):
    context.show(LONG, lambda: False)
    assert (context.calls, context.tokens) == (1, len(LONG))
    assert context.model.fed == LONG


def test_only_what_is_new_is_fed(context):
    context.show(LONG)
    context.show([*LONG, *LONG[:3]])
    assert context.tokens == len(LONG) + 3
    context.show(LONG[:9])
    assert context.tokens == len(LONG) + 4  # the last token once more, for its logits
