"""What tells SQL dialects apart when names are looked up.

Sources: each system's reference manual, and the systems themselves where they could be asked (SQLite, PostgreSQL, DuckDB).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Dialect", "dialect_of"]

_LATE = frozenset({"Group", "Having", "Order", "Qualify", "Window"})
_EVERYWHERE = _LATE | {"Where", "Join", "From", "Select"}


@dataclass(frozen=True)
class Dialect:
    """One dialect's rules of visibility.

    Attributes:
        name: As `surfaces.sql.dialect` gives it.
        reader: What sqlglot calls it; empty for its own superset.
        aliases: Clauses in which a bare name may be a SELECT alias.
        implicit: Those in which it may be the name of an output without an alias (`SELECT a.id … ORDER BY id`).
        columns_first: Clauses in which a column of FROM hides an alias of the same name.
        lateral: Whether a derived table sees its left neighbours without LATERAL.
        rows: Whether a relation's name is a value (`SELECT u FROM users u`).
        fields: Whether `a.b` may be a field `b` of a column `a`.
        strings: Whether a double-quoted name that matches nothing is a string.
        later_ctes: Whether a CTE may name one that follows it.
        using_first: Whether a column of USING hides others of its name.
        tight: Whether JOIN binds tighter than a comma, so that ON does not see what stands before the comma.
        prior: Whether an ON clause may name a relation that is joined after it.
        anonymous: What an unnamed output column is called: `text` (its source: no plain name matches), `function`
            (after its function or type), or empty where that can't be told.
        values: How VALUES names its columns, `%d` being the number; empty where that can't be told.
        first: The number of its first column.
        foreign: Whether REFERENCES may name a table that is created later.
        variables: Whether a name outside any FROM may be a variable.
        words: Names that are read as keywords or built-in values, folded.
        repeated: Whether naming a column that a derived table gives twice is an error.
        own: Clauses that see no names of the queries around their own.
        twins: Whether two relations of FROM may have one name, as long as nothing asks for a column that both have.
    """

    name: str
    reader: str = ""
    aliases: frozenset[str] = _EVERYWHERE
    implicit: frozenset[str] = frozenset({"Group", "Having", "Order"})
    columns_first: frozenset[str] = frozenset()
    lateral: bool = True
    rows: bool = True
    fields: bool = True
    strings: bool = False
    later_ctes: bool = True
    using_first: bool = True
    tight: bool = False
    prior: bool = True
    anonymous: str = ""
    values: str = ""
    first: int = 1
    foreign: bool = True
    variables: bool = False
    words: frozenset[str] = frozenset()
    repeated: bool = False
    own: frozenset[str] = frozenset()
    twins: bool = False


_WORDS = frozenset(
    """century connect_by_iscycle connect_by_isleaf current_catalog current_date current_database current_datetime
    current_role current_schema current_time current_timestamp current_user date day dayofweek dayofyear decade default
    distkey doy dow encode epoch hour isodow isoyear level localtime localtimestamp microsecond millisecond minute month
    nanosecond ordinality public quarter rowid rownum second session_user sortkey sysdate system_user systimestamp
    timezone uid user utc_date utc_time utc_timestamp value week weekday year""".split()  # noqa: SIM905  (as words)
)

_DIALECTS: Mapping[str, Dialect] = {
    "generic": Dialect("generic", strings=True, variables=True, words=_WORDS),
    "sqlite": Dialect(
        "sqlite",
        reader="sqlite",
        using_first=False,
        values="column%d",
        aliases=_LATE | {"Where", "Join"},
        implicit=frozenset(),
        columns_first=frozenset({"Where", "Group", "Having", "Join", "Window"}),
        lateral=False,
        rows=False,
        fields=False,
        strings=True,
        anonymous="text",
        own=frozenset({"Group", "Order"}),
        twins=True,
    ),
    "postgres": Dialect(
        "postgres",
        reader="postgres",
        using_first=False,
        values="column%d",
        aliases=frozenset({"Group", "Order"}),
        implicit=frozenset({"Group", "Order"}),
        columns_first=frozenset({"Group"}),
        lateral=False,
        fields=False,
        later_ctes=False,
        tight=True,
        prior=False,
        anonymous="function",
        words=frozenset({"system_user"}),
        foreign=False,
        repeated=True,
    ),
    "mysql": Dialect(
        "mysql",
        reader="mysql",
        using_first=False,
        aliases=frozenset({"Group", "Having", "Order"}),
        lateral=False,
        rows=False,
        fields=False,
        later_ctes=False,
        tight=True,
        prior=False,
        anonymous="text",
        variables=True,
        values="column_%d",
        first=0,
    ),
    "duckdb": Dialect(
        "duckdb",
        reader="duckdb",
        implicit=frozenset({"Order"}),
        columns_first=_EVERYWHERE - {"Order"},
        prior=False,
        values="col%d",
        first=0,
    ),
}


def dialect_of(settings: Mapping[str, str]) -> Dialect:
    """The rules that the settings ask for; the most permissive ones where they name none that is known."""
    return _DIALECTS.get(settings.get("dialect", ""), _DIALECTS["generic"])
