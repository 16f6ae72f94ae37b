"""What the client can do and what its user wants, as values; bad options give a message and the defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import cast

from lsprotocol import types

from gproj_lsp.text import Encoding

__all__ = ["SECTION", "Client", "Preferences", "preferences", "section"]

SECTION = "gproj"
"""Where the editor's settings, experimental capabilities and custom methods of this server live."""

_ENCODINGS: Mapping[str, Encoding] = MappingProxyType(
    {"utf-8": "utf-8", "utf-16": "utf-16", "utf-32": "utf-32"}
)


@dataclass(frozen=True)
class Client:
    """What the client declared that it can do; everything that it did not is False.

    Attributes:
        encoding: How it counts characters: the first of its position encodings that there is, else UTF-16.
        pull: It asks for diagnostics itself.
        refresh_diagnostics: It asks again for all of them when told to.
        refresh_tokens: It asks again for semantic tokens when told to.
        related: Diagnostics may say where else to look.
        tags: Diagnostics may be marked as of what is deprecated.
        document_changes: Edits may name the version they are for.
        literals: Code actions may be more than commands.
        resolve_edit: A code action's edit may come later.
        apply_edit: It makes edits that a command asks for.
        show_document: It can show a document with a selection.
        markdown: Hovers may be Markdown.
        links: Definitions may say which name was asked about.
        symbol_tree: Symbols may have members.
        item_details: What completes may be described beside its label.
        item_ranges: What a list of completions replaces may be said once for all.
        progress: It shows work that the server began by itself.
        configuration: It can be asked for its settings.
        reconfigure: It can be asked to tell when its settings change.
        watch: It can be asked to watch files.
        status: It takes `gproj/status` (experimental capability `gproj.status`).
        ask: It can show a question with answers.
        stream: It takes `gproj/stream` (experimental capability `gproj.stream`).
    """

    encoding: Encoding = "utf-16"
    pull: bool = False
    refresh_diagnostics: bool = False
    refresh_tokens: bool = False
    related: bool = False
    tags: bool = False
    document_changes: bool = False
    literals: bool = False
    resolve_edit: bool = False
    apply_edit: bool = False
    show_document: bool = False
    markdown: bool = False
    links: bool = False
    symbol_tree: bool = False
    item_details: bool = False
    item_ranges: bool = False
    progress: bool = False
    configuration: bool = False
    reconfigure: bool = False
    watch: bool = False
    status: bool = False
    ask: bool = False
    stream: bool = False

    @classmethod
    def of(cls, given: types.ClientCapabilities) -> Client:
        """The client behind its capabilities."""
        document = given.text_document or types.TextDocumentClientCapabilities()
        workspace = given.workspace or types.WorkspaceClientCapabilities()
        window = given.window or types.WindowClientCapabilities()
        general = given.general or types.GeneralClientCapabilities()
        published = document.publish_diagnostics
        action = document.code_action
        hover, completion = document.hover, document.completion
        item = completion.completion_item if completion else None
        listed = completion.completion_list if completion else None
        symbols = document.document_symbol
        experimental = section(plain(given.experimental))
        return cls(
            encoding=_encoding(general.position_encodings or ()),
            pull=document.diagnostic is not None,
            refresh_diagnostics=bool(workspace.diagnostics and workspace.diagnostics.refresh_support),
            refresh_tokens=bool(workspace.semantic_tokens and workspace.semantic_tokens.refresh_support),
            related=bool(published and published.related_information)
            or bool(document.diagnostic and document.diagnostic.related_information),
            tags=bool(published and published.tag_support)
            or bool(document.diagnostic and document.diagnostic.tag_support),
            document_changes=bool(workspace.workspace_edit and workspace.workspace_edit.document_changes),
            literals=bool(action and action.code_action_literal_support),
            apply_edit=bool(workspace.apply_edit),
            resolve_edit=bool(
                action and action.resolve_support and "edit" in action.resolve_support.properties
            ),
            show_document=bool(window.show_document and window.show_document.support),
            markdown=bool(hover and types.MarkupKind.Markdown in (hover.content_format or ())),
            links=bool(document.definition and document.definition.link_support),
            symbol_tree=bool(symbols and symbols.hierarchical_document_symbol_support),
            item_details=bool(item and item.label_details_support),
            item_ranges=bool(listed and "editRange" in (listed.item_defaults or ())),
            progress=bool(window.work_done_progress),
            configuration=bool(workspace.configuration),
            reconfigure=bool(
                workspace.did_change_configuration and workspace.did_change_configuration.dynamic_registration
            ),
            watch=bool(
                workspace.did_change_watched_files and workspace.did_change_watched_files.dynamic_registration
            ),
            status=experimental.get("status") is True,
            ask=bool(window.show_message and window.show_message.message_action_item),
            stream=experimental.get("stream") is True,
        )


def _encoding(offered: object) -> Encoding:
    """As the LSP says: the client's first choice that the server knows; UTF-16 is always known."""
    if isinstance(offered, (list, tuple)):
        for each in offered:
            name = each.value if isinstance(each, types.PositionEncodingKind) else str(each)
            if name in _ENCODINGS:
                return _ENCODINGS[name]
    return "utf-16"


@dataclass(frozen=True)
class Preferences:
    """What the editor's settings say to the server itself; the rest of them is for `gproj_lsp.settings`.

    Attributes:
        trusted: Whether the user trusts the folders that are open. Only `initializationOptions` can say so: other settings
            may come from the folder itself.
        debounce: Milliseconds without a change after which diagnostics are published.
        speculate: Whether the model may rank holes that somebody looks at, and write what may follow, before anybody asks.
        settings: The keys of `gproj.toml`, as the editor has them.
    """

    trusted: bool = False
    debounce: int = 150
    speculate: bool = True
    settings: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))


_DEBOUNCE_MOST = 60_000


def preferences(given: object, old: Preferences | None = None) -> tuple[Preferences, tuple[str, ...]]:
    """The preferences in `initializationOptions` or the editor's settings, and what is wrong with them.

    Args:
        given: As JSON has it. What it does not say stays as in `old`; wrong values are told and have no effect.
        old: What held until now.
    """
    held = old or Preferences()
    table = plain(given)
    if table is None:
        return held, ()
    if not isinstance(table, Mapping):
        return held, ("the settings must be an object",)
    known = {each.name for each in fields(Preferences)} - {"settings"}
    problems: list[str] = []
    found: dict[str, object] = {}
    for name in known & table.keys():
        if _fits(name, table[name]):
            found[name] = table[name]
        else:
            problems.append(f"{SECTION}.{name}: {_KINDS[name]} is wanted, so {getattr(held, name)!r} holds")
    rest = {str(name): value for name, value in table.items() if name not in known and value is not None}
    nested = rest.pop("settings", None)
    if isinstance(nested, Mapping):
        rest |= {str(name): value for name, value in nested.items()}
    settings = MappingProxyType({**held.settings, **rest})
    return (
        replace(
            held,
            trusted=cast("bool", found.get("trusted", held.trusted)),
            debounce=cast("int", found.get("debounce", held.debounce)),
            speculate=cast("bool", found.get("speculate", held.speculate)),
            settings=settings,
        ),
        tuple(problems),
    )


_KINDS = {
    "trusted": "true or false",
    "speculate": "true or false",
    "debounce": f"a whole number of milliseconds from 0 to {_DEBOUNCE_MOST}",
}


def _fits(name: str, value: object) -> bool:
    if name == "debounce":
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _DEBOUNCE_MOST
    return isinstance(value, bool)


def section(table: object) -> Mapping[str, object]:
    """The part of an object that is for this server; empty where there is none."""
    found = table.get(SECTION) if isinstance(table, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def plain(value: object) -> object:
    """JSON as dictionaries and lists: pygls makes objects of what it does not know, whose fields are their keys."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {str(key): plain(each) for key, each in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value
