"""The command `gproj.chooseModel`: which models there are, and which one is used from now on."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import MappingProxyType

from gproj_lsp.errors import InputError
from gproj_lsp.lsp.options import plain
from gproj_lsp.lsp.server import Server
from gproj_lsp.settings import Settings

COMMAND = "gproj.chooseModel"
_KEY = "model"


def register(server: Server) -> None:
    """Register the handler."""
    session = server.session

    @server.action(COMMAND)
    async def choose(*arguments: object) -> dict[str, object]:
        """Use the model that is named, as the setting `model` would; without a name, say what there is.

        The choice holds until the editor's settings say otherwise; it is not written anywhere.

        Returns:
            `{model, models}`: the one in use, and those at hand.
        """
        name = plain(arguments[0]) if arguments else None
        if name is not None:
            if not isinstance(name, str) or not name:
                raise InputError("the arguments are wrong: the name of a model")
            await use(name)
        return {"model": (await now()).text(_KEY), "models": list(await session.run(session.parts.models))}

    async def use(name: str) -> None:
        before = session.preferences
        session.preferences = replace(before, settings=MappingProxyType({**before.settings, _KEY: name}))
        try:
            await settle()
            settings = await now()
            await session.worker.run(lambda _: load(settings))
        except BaseException:
            session.preferences = before
            session.reload()
            raise

    async def settle() -> None:
        session.reload()
        await asyncio.gather(*(root.settled.wait() for root in session.roots()))

    def load(settings: Settings) -> None:
        session.models.writer(settings)

    async def now() -> Settings:
        """The settings of the folder that was opened first; the model is the same for all."""
        roots = session.roots()
        return (roots[0] if roots else await session.root(None)).world.settings
