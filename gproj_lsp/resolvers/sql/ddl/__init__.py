"""What a statement does to Γ: tables, views, columns, functions and the rest that it creates, alters and drops.

Read from tokens (see `reader`), so that no dialect's option stands in the way. What can't be told for certain is left open:
a table created twice with different columns, a table dropped while something still needs it (the database may refuse), an
extension, a search path.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from gproj_lsp.environment import Environment, Key
from gproj_lsp.resolve import NO_EFFECT, Effect, World
from gproj_lsp.resolvers.sql.catalog import Catalog
from gproj_lsp.resolvers.sql.ddl import session
from gproj_lsp.resolvers.sql.ddl.alter import alter, rename
from gproj_lsp.resolvers.sql.ddl.create import create
from gproj_lsp.resolvers.sql.ddl.draft import DEFINING, EVERYTHING, READ_ONLY, Draft
from gproj_lsp.resolvers.sql.ddl.drop import drop
from gproj_lsp.resolvers.sql.ddl.query import select
from gproj_lsp.resolvers.sql.ddl.reader import Reader
from gproj_lsp.resolvers.sql.names import RELATION, dialect_in, fold, function_key, opened
from gproj_lsp.resolvers.sql.scopes import Outputs
from gproj_lsp.syntax import Statement, TokenKind
from gproj_lsp.text import Span

__all__ = ["effect_of"]

_READERS: Mapping[str, Callable[[Draft, Reader], None]] = {
    "create": create,
    "alter": alter,
    "rename": rename,
    "drop": drop,
    "select": select,
    "with": select,
    "(": select,
    "set": session.set_,
    "use": session.use,
    "attach": session.attach,
    "begin": session.begin,
    "start": session.begin,
    "commit": session.commit,
    "end": session.commit,
    "rollback": session.rollback,
    "abort": session.rollback,
    "do": session.do,
    "load": session.load,
    "import": session.import_,
}
_VERB = re.compile(rf"\s*(?:({'|'.join(word for word in _READERS if word.isalpha())})\b|(\())", re.IGNORECASE)
_DEFINE = frozenset({create, alter, rename, drop, select})
_INCLUDES = re.compile(r"\\(?:i\b|ir\b|include|gexec\b)")
"""psql's commands that run what can't be seen here."""

_CALLS = re.compile(r"\s*(?:select|with|call|execute|insert|update|delete|perform)\b", re.IGNORECASE)
_ACTS = re.compile(r"\binto\b|set_config|load_extension", re.IGNORECASE)


def effect_of(
    statement: Statement,
    environment: Environment,
    world: World,
    outputs: Callable[[Span], Outputs],
) -> Effect:
    """What the statement declares, drops and opens.

    Args:
        statement: The statement; one that is no DDL costs a look at its first word.
        environment: Γ before it.
        world: Gives the dialect.
        outputs: The columns of the query in a span of the statement (of CREATE VIEW, CREATE TABLE AS, SELECT INTO).
    """
    if _runs_more(statement, environment, world):
        return Effect((opened(RELATION, ""),), opens=EVERYTHING)
    first = _VERB.match(statement.text)
    if first is None:
        return NO_EFFECT
    verb = (first[1] or first[2]).lower()
    read = _READERS[verb]
    if read is select and _ACTS.search(statement.text) is None:
        return NO_EFFECT
    if read in _DEFINE and environment.lookup(READ_ONLY) is not None:
        return NO_EFFECT
    dialect = dialect_in(world)
    draft = Draft(dialect, environment, Catalog.of(environment, world), outputs)
    reader = Reader(statement.tokens, dialect)
    if read is not select:
        reader.at = 1
    read(draft, reader)
    return draft.effect()


def _runs_more(statement: Statement, environment: Environment, world: World) -> bool:
    """Whether the statement runs SQL that can't be seen here: another file, generated text, a routine that defines things."""
    if "\\" in statement.text and any(
        token.kind is TokenKind.OPAQUE and _INCLUDES.match(token.text) for token in statement.tokens
    ):
        return True
    if _CALLS.match(statement.text) is None or environment.lookup(Key("Session", "", DEFINING)) is None:
        return False
    dialect = dialect_in(world)
    routines = (
        environment.lookup(function_key(schema, fold(token.text, quoted=False, dialect=dialect)))
        for token in statement.tokens
        if token.kind is TokenKind.WORD
        for schema in ("", *Catalog.of(environment, world).schemas)
    )
    return any(routine is not None and DEFINING in routine.attrs for routine in routines)
