"""The kinds of things that CREATE, ALTER and DROP tell apart."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["NOT_OURS", "OBJECTS", "OTHERS", "PLAIN_EXTENSIONS", "RELATIONS", "ROUTINES", "kind_of", "words"]


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


RELATIONS = frozenset({"table", "view", "sequence", "stage", "stream", "dictionary"})

ROUTINES = frozenset({"function", "procedure", "aggregate", "macro", "routine"})

_VIEWS = frozenset({"view", "materialized"})


def kind_of(kind: str) -> str:
    """Which of `table`, `view` and `sequence` a relation's attribute `kind` is to CREATE and DROP."""
    if kind in _VIEWS:
        return "view"
    return "sequence" if kind == "sequence" else "table"


OTHERS: Mapping[str, str] = {
    "index": "Index",
    "trigger": "Trigger",
    "type": "Type",
    "domain": "Type",
    "schema": "Schema",
    "database": "Schema",
}
"""What is declared under its own sort."""

OBJECTS = RELATIONS | ROUTINES | OTHERS.keys() | {"extension"}

NOT_OURS = words(
    """
    access cast collation conversion default event group language operator policy publication role rule secret server
    statistics subscription tablespace text transform user
    """
)
"""What can be created and is nothing that SQL refers to by a name of these sorts."""

PLAIN_EXTENSIONS = words(
    """
    amcheck autoinc bloom btree_gin btree_gist citext cube dblink dict_int dict_xsyn earthdistance fuzzystrmatch hstore
    insert_username intagg intarray isn lo ltree moddatetime pageinspect pg_freespacemap pg_prewarm pg_trgm pg_visibility
    pg_walinspect pgcrypto pgrowlocks pgstattuple plperl plperlu plpgsql plpython3u pltcl pltclu postgres_fdw refint seg
    sslinfo tablefunc tcn tsm_system_rows tsm_system_time unaccent uuid-ossp vector xml2
    """
)
"""PostgreSQL extensions that bring functions and types, and no tables."""
