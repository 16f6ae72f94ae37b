"""One grammar's text, token by token."""

import pytest

from gproj_lsp.decode.context import Context
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.decode.leaf import LeafDecoder, Task
from gproj_lsp.decode.models.fake import FakeModel, UniformModel, word_vocabulary
from gproj_lsp.decode.sampling import Sampler, Sampling
from gproj_lsp.decode.trace import Ledger
from gproj_lsp.errors import Cancelled
from gproj_lsp.gbnf import parse

VOCABULARY = word_vocabulary(["SELECT", " name", " na", "me", " email", "ail", " FROM", " users", "é"])
SHOWN = tuple(VOCABULARY.encode(b"SELECT"))


def scripted(text):
    """A model that wants to write this text after SELECT, and nonsense once it has left it."""
    whole = b"SELECT" + text
    return FakeModel(VOCABULARY, lambda fed: whole[len(fed) :] if whole.startswith(fed) else b"?")


def decode(model, grammar, *, budget=64, closed=True, sampling=None, told=None, stop=None):
    context = Context(model)
    ledger = Ledger()
    decoder = LeafDecoder(context, make_engine(), Sampler(sampling or Sampling()))
    task = Task(parse(grammar), SHOWN, budget, closed)
    pieces = []

    def listen(at, data):
        pieces.append((at, data))
        if told:
            told(at, data)

    return decoder.decode(task, ledger, listen, stop), ledger, context, pieces


def test_the_model_chooses_among_what_the_grammar_admits():
    written, ledger, _, _ = decode(scripted(b" email FROM"), 'root ::= " " ("name" | "email") " FROM"')
    assert written.text == b" email FROM"
    assert (ledger.steps, ledger.model_calls) == (1, 1)


def test_a_model_that_wants_something_else_still_writes_the_grammar():
    written, *_ = decode(scripted(b" ghost FROM"), 'root ::= " " ("name" | "email") " FROM"')
    assert written.text in (b" name FROM", b" email FROM")


def test_forced_text_costs_no_call_and_no_freedom():
    written, ledger, context, _ = decode(scripted(b"?"), 'root ::= " name FROM users"')
    assert written.text == b" name FROM users"
    assert (ledger.free_bits, ledger.model_calls, context.calls) == (0, 0, 0)


def test_forced_text_is_fed_in_the_tokens_that_the_whole_text_would_have():
    """` n` is forced and `a` chosen; the model must see ` na`, not three single characters."""
    model = scripted(b" name FROM users")
    grammar = 'root ::= " n" ("ame FROM" | "one") (" users" | " all")'
    written, _, context, _ = decode(model, grammar)
    assert written.text == b" name FROM users"
    assert [VOCABULARY.tokens[token] for token in context.model.fed] == [b"SELECT", b" name", b" FROM"]


def test_where_a_string_goes_on_with_another_the_model_decides():
    grammar = 'root ::= " " ("name" | "names") " FROM"'
    assert decode(scripted(b" name FROM"), grammar)[0].text == b" name FROM"
    assert decode(scripted(b" names FROM"), grammar)[0].text == b" names FROM"


def test_at_the_end_of_a_text_the_model_ends_it():
    grammar = "root ::= [a-z ]+"
    written, *_ = decode(scripted(b" name"), grammar, closed=False)
    assert written.text == b" name"


@pytest.mark.parametrize("budget", [3, 4, 7, 20, 33, 60])
def test_a_text_always_ends_within_its_budget(budget):
    sampling = Sampling(1.0, seed=budget)
    written, ledger, *_ = decode(
        UniformModel(VOCABULARY), 'root ::= " " [a-z]+ ("(" root ")")? ";"', budget=budget, sampling=sampling
    )
    assert not written.reason
    assert written.text.count(b"(") == written.text.count(b")")
    assert ledger.tokens <= budget


def test_a_budget_that_can_never_suffice_is_told_before_anything_is_asked():
    written, ledger, *_ = decode(UniformModel(VOCABULARY), 'root ::= " name" " FROM" " users"', budget=2)
    assert written.text == b""
    assert "needs 3 tokens" in written.reason
    assert ledger.model_calls == 0


def test_listeners_can_follow_the_text():
    so_far = bytearray()

    def follow(at, data):
        so_far[at:] = data

    for seed in range(5):
        so_far.clear()
        written, *_ = decode(
            UniformModel(VOCABULARY),
            'root ::= " " [a-z]{20,40} ("(" root ")")? ";"',
            budget=48,
            sampling=Sampling(1.5, seed=seed),
            told=follow,
        )
        assert bytes(so_far) == written.text


def test_bytes_of_one_character_may_come_one_by_one():
    written, *_ = decode(
        UniformModel(VOCABULARY), 'root ::= " " ("éa" | "èb" | "名前") ";"', sampling=Sampling(1.0, seed=3)
    )
    assert written.text.decode()[1:-1] in {"éa", "èb", "名前"}


def test_cancelling_takes_effect_before_the_next_step():
    asked = []

    def stop():
        asked.append(1)
        return len(asked) > 3

    with pytest.raises(Cancelled):
        decode(UniformModel(VOCABULARY), "root ::= [a-z]{30}", stop=stop)
    assert len(asked) == 4


class Cuts(UniformModel):
    """Likes blanks cut as tokenizers of code do: the last one belongs to the word behind it."""

    def logits(self, fed):
        row = super().logits(fed)
        last = self.vocabulary.tokens[fed[-1]]
        row[self.vocabulary.encode({b"   ": b" a", b"    ": b"b"}.get(last, b"   "))] = 9.0
        return row


def test_forced_blanks_are_cut_as_the_model_cuts_them_before_the_next_word():
    """Indentation is forced, but of how many tokens it is depends on the word: `   ` and ` a`, not `    ` and `a`."""
    vocabulary = word_vocabulary(["SELECT", "    ", "   ", " a", " b"])
    context, ledger = Context(Cuts(vocabulary)), Ledger()
    decoder = LeafDecoder(context, make_engine(), Sampler())
    task = Task(parse('root ::= "    " [ab]'), tuple(vocabulary.encode(b"SELECT")), 64, closed=True)
    assert decoder.decode(task, ledger, lambda _at, _data: None).text == b"    a"
    assert [vocabulary.tokens[token] for token in context.model._fed] == [b"SELECT", b"   "]
    assert ledger.steps == 1
