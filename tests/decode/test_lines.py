"""Writing line by line: a line enters Γ before the next, indentation tells blocks, operands that do not fit are mended."""

from __future__ import annotations

import re
from itertools import count

import pytest

from gproj_lsp.check_surface import BYTES
from gproj_lsp.cli.wiring import shipped_facts
from gproj_lsp.decode import lines as line_writing
from gproj_lsp.decode.complete import Completer, Wanted
from gproj_lsp.decode.context import Context
from gproj_lsp.decode.engines import make_engine
from gproj_lsp.decode.models.fake import FakeModel
from gproj_lsp.decode.sampling import Sampling
from gproj_lsp.errors import Cancelled
from gproj_lsp.fragment import Rung
from gproj_lsp.ide import Analyzer
from gproj_lsp.resolve import resolver_of
from gproj_lsp.surface import shipped

SURFACE = shipped()["tilelang"]
BEFORE = """\
import tilelang.language as T


def make(M, N, K, block_M, block_N, block_K, dtype=T.float16):
    @T.prim_func
    def kernel(A: T.Tensor((M, K), dtype), B: T.Tensor((K, N), dtype), C: T.Tensor((M, N), dtype)):
"""
AFTER = "\n    return kernel\n"


@pytest.fixture(autouse=True)
def _tokens_are_bytes(monkeypatch):
    monkeypatch.setattr(line_writing, "_LONGEST", 400)


@pytest.fixture(scope="module")
def analyzer():
    return Analyzer(SURFACE, resolver_of(SURFACE), shipped_facts(SURFACE))


def completed(analyzer, wanted, *, before=BEFORE, after=AFTER, budget=2000, stop=None, **said):
    """What is written where a model wants a text, as far as it is let."""

    def wants(shown: bytes) -> bytes:
        text = shown.decode(errors="ignore").rpartition("def kernel")[2].partition(":\n")[2]
        # What was mended is not what it wanted; the same place in its own text is.
        lines = text.count("\n")
        own = wanted.split("\n")
        if lines >= len(own):
            return b""
        return "\n".join([own[lines][len(text.rpartition("\n")[2]) :], *own[lines + 1 :]]).encode()

    model = FakeModel(BYTES, wants, strength=20.0)
    completer = Completer(SURFACE, Context(model), make_engine(), Wanted(budget=budget, **said))
    return completer.complete(before + after, len(before.encode()), analyzer, stop=stop)


BODY = """\
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            left = T.alloc_shared((block_M, block_K), dtype)
            right = T.alloc_shared((block_K, block_N), dtype)
            total = T.alloc_fragment((block_M, block_N), dtype)
            T.clear(total)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                T.copy(A[by * block_M, k * block_K], left)
                T.copy(B[k * block_K, bx * block_N], right)
                T.gemm(left, right, total)
            T.copy(total, C[by * block_M, bx * block_N])
"""


def test_a_body_is_written_to_where_the_text_behind_goes_on(analyzer):
    found = completed(analyzer, BODY + AFTER.lstrip("\n"))
    assert (found.text, found.reason) == (BODY.rstrip("\n"), "")
    assert found.guaranteed


def test_what_a_line_declares_is_in_scope_for_the_next(analyzer):
    """A name that no line before declares has no way to be written."""
    wanted = BODY.replace("total, C[", "totel, C[") + AFTER.lstrip("\n")
    assert "totel" not in completed(analyzer, wanted).text


def test_what_only_follows_from_names_is_not_told_as_declared(analyzer):
    """At the end of a document the place is inside the kernel: its buffers are declared there, the parts of tensors are not."""
    found = completed(analyzer, BODY, after="")
    assert {"left", "right", "total", "bx", "by"} <= set(found.declared)
    assert all(name.isidentifier() for name in found.declared)


def test_a_new_name_hides_none(analyzer):
    found = completed(analyzer, BODY.replace("left", "A") + AFTER.lstrip("\n"))
    assert not re.search(r"^\s*A = ", found.text, re.MULTILINE)


def test_operands_that_do_not_fit_are_written_again(analyzer):
    wanted = BODY.replace("k * block_K], left)", "k * block_K], right)") + AFTER.lstrip("\n")
    assert "T.copy(A[by * block_M, k * block_K], left)" in completed(analyzer, wanted).text
    loose = completed(analyzer, wanted, rung=Rung.GAMMA)
    assert "T.copy(A[by * block_M, k * block_K], right)" in loose.text


def test_what_was_not_written_is_not_read_and_what_was_not_read_not_written(analyzer):
    wanted = BODY.replace("T.gemm(left, right, total)", "T.copy(A[by * block_M, k * block_K], left)")
    assert completed(analyzer, wanted).text.count("], left)") == 1
    assert completed(analyzer, wanted, rung=Rung.GAMMA).text.count("], left)") == 2
    wanted = BODY.replace("            T.clear(total)\n", "            T.copy(left, right)\n")
    assert "T.copy(left, right)" not in completed(analyzer, wanted).text


def test_a_grid_is_not_begun_twice(analyzer):
    found = completed(analyzer, BODY + BODY + AFTER.lstrip("\n"))
    assert found.text.count("with T.Kernel(") == 1


def test_a_text_that_leaves_something_undone_is_not_told_as_whole(analyzer):
    """The model would end before results are stored."""
    wanted = "".join(BODY.splitlines(keepends=True)[:-1]) + AFTER.lstrip("\n")
    found = completed(analyzer, wanted)
    assert found.reason or "C[by * block_M, bx * block_N])" in found.text


def test_what_can_not_be_ended_is_begun_anew_where_choices_are_drawn(analyzer, monkeypatch):
    """A tile that nothing may read leads nowhere; the second beginning has another seed."""
    begun = []
    lines_of = line_writing.Lines._lines

    def counted(self, base, indent, after, first):
        begun.append(first)
        yield from lines_of(self, base, indent, after, first)
        if len(begun) == 1:
            self.reason = "it led nowhere"

    monkeypatch.setattr(line_writing.Lines, "_lines", counted)
    found = completed(analyzer, BODY + AFTER.lstrip("\n"), sampling=Sampling(0.1, seed=1))
    assert len(begun) == 2
    assert (found.text, found.reason) == (BODY.rstrip("\n"), "")


@pytest.mark.parametrize("rung", [Rung.CTX, Rung.GAMMA, Rung.BASE])
def test_the_rung_is_told_as_what_was_wanted(analyzer, rung):
    """At BASE lines are written at GAMMA all the same, and nothing more is claimed of them than was asked for."""
    found = completed(analyzer, BODY + AFTER.lstrip("\n"), rung=rung)
    assert (found.rung, found.guaranteed) == (rung, rung.guaranteed)


def test_a_block_that_is_opened_is_not_left_empty(analyzer):
    wanted = "\n".join(BODY.splitlines()[:3]) + "\n" + AFTER.lstrip("\n")
    found = completed(analyzer, wanted)
    assert analyzer.analyse(BEFORE + found.text + AFTER).diagnostics == ()


def test_a_cursor_behind_what_opens_a_block_begins_a_line(analyzer):
    found = completed(analyzer, BODY + AFTER.lstrip("\n"), before=BEFORE.rstrip("\n"))
    assert found.text.startswith("\n        with T.Kernel(")


def test_an_indentation_that_is_typed_is_not_written_again(analyzer):
    found = completed(analyzer, BODY + AFTER.lstrip("\n"), before=f"{BEFORE}        ")
    assert found.text.startswith("with T.Kernel(")


def test_a_block_in_which_nothing_can_stand_is_not_begun(analyzer):
    """No buffer reaches as far as that loop over elements does."""
    wanted = BODY.replace(
        "T.copy(total, C[by * block_M, bx * block_N])", "for i, j in T.Parallel(block_K, block_K):"
    )
    found = completed(analyzer, wanted + AFTER.lstrip("\n"))
    assert not found.text.rstrip().endswith(":")


def test_who_types_is_offered_one_line_be_it_one_that_opens_a_block(analyzer):
    found = completed(analyzer, BODY, partial=True, one_line=True)
    assert (found.text, found.reason) == (BODY.splitlines()[0], "one line was wanted")


def test_the_time_and_the_budget_leave_no_line_half_made(analyzer):
    late = completed(analyzer, BODY, seconds=0.0)
    assert (late.text, late.reason, late.late) == ("", "the time was up", True)
    found = completed(analyzer, BODY, budget=200)
    assert found.reason == "the budget of 200 tokens is used up"
    assert BODY.startswith(found.text)
    assert analyzer.analyse(BEFORE + found.text + AFTER).diagnostics == ()


def test_a_stop_ends_it(analyzer):
    asked = count()
    with pytest.raises(Cancelled):
        completed(analyzer, BODY, stop=lambda: next(asked) >= 40)
