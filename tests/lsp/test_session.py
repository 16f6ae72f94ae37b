"""A session without a client: one analysis a version, and what holds while sources are read."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace

import pytest
import pytest_asyncio

from gproj_lsp.errors import ProviderError
from gproj_lsp.facts import facts_from_table
from gproj_lsp.lsp.documents import Document
from gproj_lsp.lsp.options import Preferences
from gproj_lsp.lsp.parts import Parts
from gproj_lsp.lsp.session import Session
from gproj_lsp.lsp.status import State
from gproj_lsp.lsp.worker import Superseded
from gproj_lsp.resolve import resolver_of
from gproj_lsp.surface import shipped
from gproj_lsp.workspace import Workspace

SURFACES = shipped()
SURFACE = SURFACES["sql"]


class Source:
    """A source that waits until it may answer."""

    name = "snapshot"

    def __init__(self):
        self.open = threading.Event()
        self.open.set()
        self.table = {"users": {"columns": ["id"]}}
        self.error = None
        self.stamp = 0

    def fingerprint(self, request):
        return str(self.stamp) if request.settings.get("snapshot") else None

    def read(self, _request):
        assert self.open.wait(30)
        if self.error:
            raise self.error
        return facts_from_table(SURFACE, {"Table": self.table})


@pytest.fixture
def source():
    return Source()


@pytest.fixture
def told():
    return SimpleNamespace(statuses=[], changes=asyncio.Event())


@pytest_asyncio.fixture
async def session(tmp_path, source, told):
    def refuse(*_):
        raise AssertionError("no model is wanted here")

    parts = Parts(
        SURFACES,
        (),
        workspace=lambda settings: Workspace(settings, SURFACES, {"snapshot": source}, resolver_of),
        bare=lambda settings: Workspace(settings, SURFACES, {}, resolver_of),
        writer=refuse,
        filler=refuse,
        completer=refuse,
        models=tuple,
        trust=tmp_path / "trusted.json",
    )
    made = Session(
        parts,
        status=lambda _, status: told.statuses.append(status.state),
        changed=lambda _: told.changes.set(),
        loading=refuse,
        reading=lambda _: lambda _: None,
    )
    made.begin()
    made.folders = (tmp_path,)
    made.preferences = Preferences(settings={"surfaces": {"sql": {"snapshot": "x.json"}}})
    yield made
    source.open.set()
    made.close()


def put(session, folder, text, version=1, **others):
    document = Document((folder / "a.sql").as_uri(), version, "sql", text.encode(), **others)
    session.documents.put(document)
    return document.uri


async def ghosts(session, uri):
    return [each.name for each in (await session.snapshot(uri)).analysis.diagnostics]


async def settled(session):
    for root in session.roots():
        await asyncio.wait_for(root.settled.wait(), 30)


async def test_all_who_ask_for_one_version_get_one_analysis(session, tmp_path):
    uri = put(session, tmp_path, "SELECT 1;")
    first, second = await asyncio.gather(session.snapshot(uri), session.snapshot(uri))
    assert first is second
    assert session.current(first)


async def test_another_version_has_its_own(session, tmp_path):
    first = await session.snapshot(put(session, tmp_path, "SELECT 1;"))
    second = await session.snapshot(put(session, tmp_path, "SELECT 2;", 2))
    assert (first.document.version, second.document.version) == (1, 2)
    assert not session.current(first)
    assert session.current(second)


async def test_a_version_that_is_gone_before_its_turn_is_not_analysed(session, tmp_path):
    uri = put(session, tmp_path, "SELECT 1;")
    await session.snapshot(uri)
    async with session._turns[uri]:
        put(session, tmp_path, "SELECT 2;", 2)
        waiting = asyncio.create_task(session.snapshot(uri))
        await asyncio.sleep(0.05)
        put(session, tmp_path, "SELECT 3;", 3)
    with pytest.raises(Superseded):
        await waiting


async def test_what_is_not_open_and_what_nothing_reads_has_no_snapshot(session, tmp_path):
    assert await session.snapshot("file:///nowhere.sql") is None
    document = Document((tmp_path / "a.txt").as_uri(), 1, "plaintext", b"")
    session.documents.put(document)
    assert await session.snapshot(document.uri) is None


async def test_while_sources_are_read_for_the_first_time_names_are_unknown(session, tmp_path, source, told):
    source.open.clear()
    uri = put(session, tmp_path, "SELECT 1 FROM ghost; CREATE TABLE t (a INT); SELECT b FROM t;")
    assert await ghosts(session, uri) == ["b"]
    assert told.statuses[-1] is State.LOADING
    source.open.set()
    await settled(session)
    assert await ghosts(session, uri) == ["ghost", "b"]
    assert told.statuses[-1] is State.READY


async def test_while_they_are_read_anew_what_they_said_holds(session, tmp_path, source):
    uri = put(session, tmp_path, "SELECT id FROM users;")
    await session.snapshot(uri)
    await settled(session)
    source.open.clear()
    source.table = {"things": {"columns": []}}
    session.reload()
    assert await ghosts(session, uri) == []
    source.open.set()
    await settled(session)
    assert await ghosts(session, uri) == ["users"]


async def test_sources_that_did_not_change_are_not_read_again(session, tmp_path, source):
    uri = put(session, tmp_path, "SELECT 1 FROM users;")
    await session.snapshot(uri)
    await settled(session)
    (root,) = session.roots()
    world = root.world
    assert not await session.refresh(root)
    source.stamp = 1
    assert await session.refresh(root)
    await settled(session)
    assert root.world is not world


async def test_a_source_that_fails_leaves_all_unknown_and_says_why(session, tmp_path, source, told):
    source.error = ProviderError("it burned down")
    uri = put(session, tmp_path, "SELECT 1 FROM ghost;")
    await session.snapshot(uri)
    await settled(session)
    assert await ghosts(session, uri) == []
    assert told.statuses[-1] is State.STALE


async def test_a_reload_while_sources_are_read_reads_them_once_more(session, tmp_path, source):
    source.open.clear()
    uri = put(session, tmp_path, "SELECT 1 FROM things;")
    await session.snapshot(uri)
    session.reload()
    source.table = {"things": {"columns": []}}
    source.open.set()
    await settled(session)
    assert await ghosts(session, uri) == []


async def test_a_cell_is_analysed_again_when_one_before_it_changes(session):
    cells = ["cell:1", "cell:2"]

    def put_cell(number, version, text):
        session.documents.put(Document(cells[number], version, "sql", text.encode(), notebook="book"))

    put_cell(0, 1, "CREATE TABLE t (a INT);")
    put_cell(1, 1, "SELECT b FROM t;")
    session.documents.order("book", cells)
    assert await ghosts(session, cells[1]) == ["b"]
    put_cell(0, 2, "CREATE TABLE t (b INT);")
    assert await ghosts(session, cells[1]) == []
    session.documents.order("book", cells[1:])
    assert await ghosts(session, cells[1]) == ["t"]


async def test_a_document_that_is_closed_leaves_nothing(session, tmp_path):
    uri = put(session, tmp_path, "SELECT 1;")
    snapshot = await session.snapshot(uri)
    session.close_document(uri)
    assert await session.snapshot(uri) is None
    assert not session.current(snapshot)
    assert uri not in session._turns
