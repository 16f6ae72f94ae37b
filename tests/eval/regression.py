"""PostgreSQL's regression files in the order in which they build on each other: its parallel schedule, made serial."""

from __future__ import annotations

from pathlib import Path

__all__ = ["environment", "in_order"]

_SCHEDULE = """
test_setup tablespace
boolean char name varchar text int2 int4 int8 oid float4 float8 bit numeric txid uuid enum money rangetypes pg_lsn regproc
strings md5 numerology point lseg line box path polygon circle date time timetz timestamp timestamptz interval inet
macaddr macaddr8 multirangetypes
geometry horology tstypes regex type_sanity opr_sanity misc_sanity comments expressions unicode xid mvcc
copy copyselect copydml insert insert_conflict create_function_c create_misc create_operator create_procedure create_table
create_type create_index create_index_spgist create_view index_including index_including_gist create_aggregate
create_function_sql create_cast constraints triggers select inherit typed_table vacuum drop_if_exists updatable_views
roleattributes create_am hash_func errors infinite_recurse sanity_check
select_into select_distinct select_distinct_on select_implicit select_having subselect union case join aggregates
transactions random portals arrays btree_index hash_index update delete namespace prepared_xacts
brin gin gist spgist privileges init_privs security_label collate matview lock replica_identity rowsecurity object_address
tablesample groupingsets drop_operator password identity generated join_hash brin_bloom brin_multi
create_table_like alter_generic alter_operator misc async dbsize merge misc_functions sysviews tsrf tid tidscan tidrangescan
collate.icu.utf8 incremental_sort create_role rules psql psql_crosstab amutils stats_ext collate.linux.utf8 select_parallel
write_parallel vacuum_parallel publication subscription select_views portals_p2 foreign_key cluster dependency guc bitmapops
combocid tsearch tsdicts foreign_data window xmlmap functional_deps advisory_lock indirect_toast equivclass json jsonb
json_encoding jsonpath jsonpath_encoding jsonb_jsonpath plancache limit plpgsql copy2 temp domain rangefuncs prepare
conversion truncate alter_table sequence polymorphism rowtypes returning largeobject with xml partition_join partition_prune
reloptions hash_part indexing partition_aggregate partition_info tuplesort explain compression memoize stats event_trigger
oidjoins fast_default
"""


def in_order(folder: Path) -> tuple[Path, ...]:
    """The folder's SQL files: those of the schedule first, in its order, then any other by name."""
    rank = {name: place for place, name in enumerate(_SCHEDULE.split())}
    return tuple(sorted(folder.glob("*.sql"), key=lambda file: (rank.get(file.stem, len(rank)), file.name)))


def environment(folder: Path) -> dict[str, str]:
    """The variables that the files ask `psql` for; the library they name is not there, so C functions stay absent."""
    return {
        "PG_ABS_SRCDIR": str(folder),
        "PG_ABS_BUILDDIR": str(folder),
        "PG_LIBDIR": str(folder),
        "PG_DLSUFFIX": ".so",
    }
