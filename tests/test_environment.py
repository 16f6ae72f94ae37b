"""Γ's laws: queries stay inside dom(Γ), frames only grow, the nearest frame wins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gproj_lsp.environment import EMPTY, Binding, Environment, Frame, Key, Origin, Query, respelled

NAMES = st.sampled_from("abcd")
SORTS = st.sampled_from(["Table", "Column", "Buffer"])
BINDINGS = st.builds(
    lambda name, sort, owner, mem: Binding(name, sort, owner, attrs={"mem": mem}),
    NAMES,
    SORTS,
    st.sampled_from(["", "t"]),
    st.sampled_from(["shared", "local"]),
)
FRAMES = st.builds(
    Frame.of, st.lists(BINDINGS, max_size=5), st.lists(st.builds(lambda b: b.key, BINDINGS), max_size=3)
)
ENVIRONMENTS = st.builds(lambda frames: Environment((Frame(), *frames)), st.lists(FRAMES, max_size=4))
QUERIES = st.builds(
    lambda sorts, owner, mem: Query.of(*sorts, owner=owner, **({"mem": mem} if mem else {})),
    st.lists(SORTS, min_size=1, max_size=3),
    st.sampled_from([None, "", "t"]),
    st.sampled_from([None, "shared", ("shared", "local")]),
)


def keys_of(environment):
    return {key for frame in environment.frames for key in (*frame.bindings, *frame.tombstones)}


@given(ENVIRONMENTS, QUERIES)
def test_a_query_never_leaves_the_domain(environment, query):
    domain = set(map(id, environment))
    found = environment.names(query)
    assert all(id(binding) in domain and query.admits(binding) for binding in found)
    assert len({binding.key for binding in found}) == len(found)


@given(ENVIRONMENTS, QUERIES)
def test_a_query_is_a_filter_over_all_that_resolves(environment, query):
    filtered = [binding for binding in environment if query.admits(binding)]
    assert list(map(id, environment.names(query))) == list(map(id, filtered))


@given(ENVIRONMENTS, SORTS, NAMES)
def test_a_name_is_found_whoever_it_belongs_to(environment, sort, name):
    found = [binding for binding in environment if (binding.sort, binding.name) == (sort, name)]
    assert environment.called(sort, name) is next(iter(found), None)


@given(ENVIRONMENTS, QUERIES, QUERIES)
def test_a_tighter_query_finds_no_more(environment, one, other):
    if one.tightens(other):
        assert set(map(id, environment.names(one))) <= set(map(id, environment.names(other)))


@given(st.lists(BINDINGS, max_size=6), BINDINGS)
def test_a_frame_only_grows_and_keeps_what_it_had(bindings, one):
    frame = Frame.of(bindings)
    grown = frame.extend([one])
    assert all(grown.bindings[key] is binding for key, binding in frame.bindings.items())
    assert grown.bindings[one.key].sort == one.sort


def test_a_name_can_not_become_another_sort_in_one_frame():
    frame = Frame.of([Binding("users", "Table", namespace="relation")])
    with pytest.raises(ValueError, match="users is a Table in this frame and can't become a Alias"):
        frame.extend([Binding("users", "Alias", namespace="relation")])


@given(ENVIRONMENTS, FRAMES)
def test_the_nearest_frame_wins(environment, top):
    here = environment.push(top)
    for key in keys_of(here):
        nearest = top.bindings.get(key)
        if nearest is not None:
            assert here.lookup(key) is nearest
        elif key in top.tombstones:
            assert here.lookup(key) is None
        else:
            assert here.lookup(key) is environment.lookup(key)


@given(ENVIRONMENTS)
def test_walking_over_gamma_finds_what_lookups_find(environment):
    assert {binding.key: id(binding) for binding in environment} == {
        key: id(binding) for key in keys_of(environment) if (binding := environment.lookup(key)) is not None
    }


@given(ENVIRONMENTS, st.lists(FRAMES, max_size=8))
def test_settled_frames_read_as_pushed_ones(environment, frames):
    pushed = settled = environment
    for frame in frames:
        pushed, settled = pushed.push(frame), settled.settle(frame)
    for key in keys_of(pushed):
        assert settled.lookup(key) is pushed.lookup(key)
    assert set(map(id, settled)) == set(map(id, pushed))


def test_a_thousand_declarations_stay_a_few_frames_deep():
    environment = EMPTY
    for number in range(1_000):
        environment = environment.settle(Frame.of([Binding(f"t{number}", "Table")]))
    assert len(environment.frames) < 15
    assert sum(1 for _ in environment) == 1_000


def test_declaring_leaves_the_old_value_alone():
    before = Environment.of([Binding("a", "Table")])
    after = before.declare(Binding("b", "Table"))
    assert [binding.name for binding in before] == ["a"]
    assert [binding.name for binding in after] == ["a", "b"]


def test_a_drop_hides_what_lies_below_and_ends_with_its_frame():
    gamma = Environment.of([Binding("a", "Table")])
    dropped = gamma.drop(Key("Table", "", "a"))
    assert dropped.lookup(Key("Table", "", "a")) is None
    assert not dropped
    assert dropped.pop().lookup(Key("Table", "", "a")) is not None


def test_the_global_layer_is_never_popped():
    gamma = EMPTY.declare(Binding("a", "Table")).push()
    assert [len(frame.bindings) for frame in gamma.frames] == [1, 0]
    assert gamma.pop().pop().pop().lookup(Key("Table", "", "a")) is not None


def test_id_of_two_tables_are_two_names():
    gamma = Environment.of([Binding("id", "Column", "users"), Binding("id", "Column", "orders")])
    assert [binding.owner for binding in gamma.names(Query.of("Column"))] == ["users", "orders"]
    assert len(gamma.names(Query.of("Column", owner="users"))) == 1


def test_attributes_filter_by_any_of_several_values():
    gamma = Environment.of(
        [Binding(name, "Buffer", attrs={"mem": name}) for name in ("shared", "local", "global")]
    )
    found = gamma.names(Query.of("Buffer", mem=["shared", "global"]))
    assert [binding.name for binding in found] == ["shared", "global"]


def test_a_binding_says_where_it_was_declared_and_how_it_is_written_here():
    binding = Binding("Odd Name", "Column", origin=Origin("ddl", "schema.sql:12"))
    assert respelled(binding, '"Odd Name"').spelling == '"Odd Name"'
    assert binding.spelling == binding.folded == "Odd Name"
    assert hash(binding) == hash(respelled(binding, "x"))
