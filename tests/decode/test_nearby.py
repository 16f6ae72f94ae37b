"""Γ without what can't be meant."""

import gc
from weakref import ref

from gproj_lsp.decode.nearby import Nearby
from gproj_lsp.environment import Binding, Environment, Frame, Origin


def test_members_of_the_language_s_own_things_are_far_unless_they_are_visible(sql):
    builtin = Origin("builtin")
    frame = Frame.of(
        [
            Binding("relname", "Column", owner="pg_class", origin=builtin),
            Binding("oid", "Column", owner="pg_class", origin=builtin, attrs={"scope": "visible"}),
            Binding("now", "Function", origin=builtin),
        ]
    )
    near = Nearby(sql).environment(Environment((frame,)))
    assert [each.name for each in near] == ["oid", "now"]


def test_a_frame_that_nobody_needs_any_more_is_let_go(sql):
    nearby = Nearby(sql)
    frames = [Frame.of([Binding("a", "Table")]), Frame.of([Binding("b", "Column", origin=Origin("builtin"))])]
    assert len(nearby.environment(Environment(tuple(frames))).frames) == 2
    gone = [ref(each) for each in frames]
    frames.clear()
    gc.collect()
    assert [each() for each in gone] == [None, None]
