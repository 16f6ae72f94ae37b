"""The language server: LSP at the edge of `gproj_lsp.ide`; nothing is analysed and nothing is decoded here.

How a request is answered
    A handler is a module `handlers/<request>.py` of less than 100 lines with one function ``register(server)``; `server.create`
    finds and calls them all, so a new file is all that a new request takes. It looks like this::

        def register(server: Server) -> None:
            @server.request(types.TEXT_DOCUMENT_HOVER)
            async def hover(params: types.HoverParams) -> types.Hover | None:
                snapshot = await server.session.snapshot(params.text_document.uri)
                if snapshot is None:
                    return None
                told = hover_at(snapshot.analysis, snapshot.offset(params.position))   # gproj_lsp.ide, in bytes
                return types.Hover(told.text, snapshot.range(told.span)) if told else None

    ``@server.request`` also takes the server's options, ``@server.notification`` registers what must be through before the next
    message is read, ``@server.action(name)`` a command of `workspace/executeCommand` (``async def f(*arguments)``).

What a handler may rely on
    - `session.snapshot(uri)` is one version of a document with its analysis (`Snapshot`); it never changes, and
      `session.current(snapshot)` says whether the document still is that version. It is None for what no surface reads.
    - `snapshot.offset/span/position/range` convert between bytes and the client's encoding. Nothing else does.
    - `snapshot.offers.of(hole)` is what may stand in a hole, without a model.
    - What takes more than a few milliseconds goes through ``await session.run(function, ...)``, a pool of threads. Never block
      the loop.
    - What decodes goes through ``await session.worker.run(work, document=uri, priority=...)``: ``work(stop)`` runs on the
      decoding thread, where `session.models.filler(settings, surface, told)` gives the filler (and loads the model the first
      time). Cancelling the request, a later one for the document and an edit stop it within one step of the model. Events come
      on that thread: hand them over with `session.later(...)`.
    - Everything sent to the client is sent from the loop's thread.
    - What is raised is answered: `Superseded` as ContentModified, `Cancelled` as RequestCancelled, other `GprojError` as
      RequestFailed with their message, anything else as InternalError, logged with where it happened.
    - `session.client` is what the client can do (`options.Client`), `session.preferences` what its user wants of the server,
      `snapshot.world.settings` what holds for the document's folder.
"""
