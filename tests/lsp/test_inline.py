"""Text at the cursor: when the model is asked for it, and when not. The model is a script; what it writes is not judged."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
import pytest_asyncio
from lsprotocol import types

from gproj_lsp.decode.complete import Completion, Wanted
from gproj_lsp.decode.trace import Ledger
from gproj_lsp.errors import ModelError
from gproj_lsp.fragment import Rung
from gproj_lsp.lsp.documents import Document
from gproj_lsp.lsp.inline import Inlines, Wish
from gproj_lsp.lsp.options import Preferences
from gproj_lsp.lsp.parts import Parts
from gproj_lsp.lsp.session import Session
from gproj_lsp.resolve import resolver_of
from gproj_lsp.surface import shipped
from gproj_lsp.workspace import Workspace

SURFACES = shipped()


@dataclass
class Script:
    """Writes what comes next of a text, a few words at a time, and remembers where it was asked."""

    text: str = "SELECT 1 AS one, 2 AS two, 3 AS three;"
    late: bool = False
    asked: list[tuple[str, Wanted]] = field(default_factory=list)
    desk: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(wanted=Wanted()))

    def wishing(self, wanted, _told):
        return Script(self.text, self.late, self.asked, SimpleNamespace(wanted=wanted))

    def complete(self, text, _offset, _reader, **_):
        self.asked.append((text, self.desk.wanted))
        rest = self.text[len(text) :] if self.text.startswith(text) else ""
        return completion(" ".join(rest.split(" ")[:3]) if not self.late else "", late=self.late)

    def candidates(self, text, offset, reader, number, _stop):
        first = self.complete(text, offset, reader)
        return (first, *(completion(f"{first.text} {each}") for each in range(1, number)))


def completion(text, *, late=False):
    reason = "the time was up" if late else ""
    return Completion(
        text,
        Rung.CTX,
        guaranteed=True,
        declared=(),
        ledger=Ledger(),
        milliseconds=1.0,
        reason=reason,
        late=late,
    )


@pytest_asyncio.fixture
async def typist(tmp_path):
    script = Script()
    loaded = []

    def writer(_settings):
        loaded.append(None)
        if script.text == "broken":
            raise ModelError("there is no model")
        return script

    parts = Parts(
        SURFACES,
        (),
        workspace=lambda settings: Workspace(settings, SURFACES, {}, resolver_of),
        bare=lambda settings: Workspace(settings, SURFACES, {}, resolver_of),
        writer=writer,
        filler=None,
        completer=lambda *_: script,
        models=tuple,
        trust=tmp_path / "trusted.json",
    )
    session = Session(
        parts,
        status=lambda *_: None,
        changed=lambda _: None,
        loading=lambda _: lambda _: None,
        reading=lambda _: lambda _: None,
    )
    session.begin()
    session.folders = (tmp_path,)
    session.preferences = Preferences(speculate=False)
    yield Typist(session, (tmp_path / "a.sql").as_uri(), script, loaded)
    session.close()


class Typist:
    """Somebody who types in one document."""

    def __init__(self, session, uri, script, loaded):
        self.session = session
        self.uri = uri
        self.script = script
        self.loaded = loaded
        self.inlines = Inlines(SimpleNamespace(session=session))

    async def at(self, text, **said):
        """What is offered at the end of a document of one line."""
        self.session.documents.put(Document(self.uri, len(text), "sql", text.encode(), cursor=len(text)))
        self.session.worker.supersede(self.uri)
        snapshot = await self.session.snapshot(self.uri)
        place = types.Position(0, len(text))
        return (await self.inlines.offer(snapshot, Wish(self.uri, place, **said))).texts

    @property
    def asked(self):
        """The texts that the model was asked to go on with."""
        return [text for text, _ in self.script.asked]


async def test_what_is_typed_of_an_offer_asks_no_model(typist):
    assert await typist.at("SELECT ") == ("1 AS one,",)
    assert await typist.at("SELECT 1") == (" AS one,",)
    assert await typist.at("SELECT 1 AS ") == ("one,",)
    assert typist.asked == ["SELECT "]
    await typist.at("SELECT 2")
    assert typist.asked == ["SELECT ", "SELECT 2"]


async def test_the_same_place_is_asked_about_once_though_nothing_came_of_it(typist):
    assert await typist.at("UPDATE ") == ()
    assert await typist.at("UPDATE ") == ()
    assert typist.asked == ["UPDATE "]


async def test_where_there_was_no_time_it_is_tried_again(typist):
    typist.script.late = True
    assert await typist.at("SELECT ") == ()
    typist.script.late = False
    assert await typist.at("SELECT ") == ("1 AS one,",)


async def test_what_follows_an_offer_is_written_ahead(typist):
    typist.session.preferences = Preferences()
    await typist.at("SELECT ")
    await asyncio.gather(*typist.inlines._tasks)
    assert typist.asked == ["SELECT ", "SELECT 1 AS one,"]
    typist.session.preferences = Preferences(speculate=False)
    assert await typist.at("SELECT 1 AS one,") == (" 2 AS",)
    assert len(typist.asked) == 2


async def test_who_types_gets_one_line_in_little_time_and_who_asks_alternatives(typist):
    await typist.at("SELECT ")
    assert len(await typist.at("SELECT ", asked=True)) == 3
    (_, typing), (_, asking) = typist.script.asked
    assert (typing.partial, typing.one_line, asking.partial, asking.one_line) == (True, True, True, False)
    assert typing.seconds < asking.seconds


async def test_nothing_is_written_in_a_comment(typist):
    assert await typist.at("-- all ", asked=True) == ()
    assert typist.asked == []


async def test_a_model_that_can_not_be_loaded_is_asked_for_again_only_by_who_asks(typist):
    typist.script.text = "broken"
    with pytest.raises(ModelError):
        await typist.at("SELECT ")
    assert await typist.at("SELECT 1") == ()
    assert len(typist.loaded) == 1
    with pytest.raises(ModelError):
        await typist.at("SELECT 1", asked=True)
    assert len(typist.loaded) == 2


async def test_another_world_knows_nothing_of_what_was_offered(typist):
    await typist.at("SELECT ")
    (root,) = typist.session.roots()
    typist.session.preferences = Preferences(
        speculate=False, settings={"surfaces": {"sql": {"dialect": "duckdb"}}}
    )
    typist.session.reload()
    await root.settled.wait()
    await typist.at("SELECT ")
    assert typist.asked == ["SELECT ", "SELECT "]
