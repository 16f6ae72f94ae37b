"""Names in SQL: when two spellings are one name, how a name must be written, and its key in Γ.

Everything here takes a dialect's name (`sqlite`, `postgres`, `mysql`, `duckdb`; anything else reads as generic) and never fails
on a text. Where a dialect's rule depends on the machine (MySQL's table names), names are taken for equal: a miss costs less
than a false alarm.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase

from gproj_lsp.environment import Binding, Environment, Key
from gproj_lsp.resolve import World
from gproj_lsp.resolvers.sql.lexicon import lexicon_of

__all__ = [
    "RELATION",
    "Name",
    "adopt",
    "any_case",
    "column_key",
    "dialect_in",
    "exact",
    "fold",
    "function_key",
    "is_open",
    "opened",
    "relation_key",
    "schema_key",
    "spell",
    "table_key",
    "writable",
]

RELATION = "relation"
"""The name space that tables, views, aliases and sequences share."""

_OPEN = "open"
_ASCII_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_REMEMBERED = 10_000
"""Names are folded and spelled again wherever they stand."""
_PLAIN = re.compile(r"[^\W\d]\w*\Z")


class Name:
    """A name as written.

    Attributes:
        text: Without quotes.
        folded: As the dialect folds it.
        mark: The opening quote, or empty.
    """

    __slots__ = ("folded", "mark", "text")

    def __init__(self, text: str, folded: str, mark: str = "") -> None:
        self.text = text
        self.folded = folded
        self.mark = mark


def dialect_in(world: World) -> str:
    """The dialect that the settings of a world name; `generic` if they name none."""
    return world.settings.get("dialect", "generic") or "generic"


@lru_cache(maxsize=_REMEMBERED)
def fold(name: str, quoted: bool, dialect: str) -> str:  # noqa: FBT001 (a third spelling of `quoted=` would blur calls)
    """The name after case folding: two identifiers name the same thing iff they fold alike.

    PostgreSQL folds the ASCII letters of unquoted names and counts 63 bytes; SQLite and DuckDB ignore ASCII case even in
    quotes; MySQL ignores case (its table names, on some systems, don't: taken for equal); generic ignores it too.
    """
    of = lexicon_of(dialect)
    if of.limit and len(name) > of.limit // 4:
        name = name.encode("utf-8", "surrogatepass")[: of.limit].decode("utf-8", "ignore")
    if of.keeps_case and quoted:
        return name
    return name.lower() if dialect == "mysql" else name.translate(_ASCII_LOWER)


def exact(name: str, quoted: bool, dialect: str) -> str:  # noqa: FBT001 (as fold)
    """The name that declaring the identifier gives to the world: folded where the dialect forgets its case."""
    return fold(name, quoted, dialect) if lexicon_of(dialect).keeps_case else name


def writable(name: str, dialect: str) -> bool:
    """Whether any spelling of the name is an identifier of the dialect: not empty, no NUL, no lone surrogate."""
    if not name and dialect != "sqlite":
        return False
    if "\0" in name or any("\ud800" <= char <= "\udfff" for char in name):
        return False
    return dialect != "mysql" or (max(name, default="") <= "\uffff" and not name.endswith(" "))


@lru_cache(maxsize=_REMEMBERED)
def spell(name: str, dialect: str) -> str:
    """How a reference to the name is written: bare where that reads as the same name, else quoted.

    Quoting follows what each database does itself (PostgreSQL's quote_ident), but leaves letters outside ASCII bare.
    """
    of = lexicon_of(dialect)
    folded = name.translate(_ASCII_LOWER)
    bare = bool(_PLAIN.match(name)) and folded not in of.reserved and (not of.keeps_case or folded == name)
    if bare and dialect == "mysql":
        bare = name.isascii()
    return name if bare else f"{of.quote}{name.replace(of.quote, of.quote * 2)}{of.quote}"


def any_case(binding: Binding, world: World) -> bool:
    """Whether a reference to the name may be written in other upper and lower case letters and means the same everywhere.

    In MySQL relations depend on the machine, so theirs may not.
    """
    dialect = dialect_in(world)
    if binding.sort in ("Function", "Form"):
        return True
    if dialect == "mysql":
        return binding.sort == "Column"
    return not lexicon_of(dialect).keeps_case or lexicon_of(dialect).quote not in binding.spelling


def schema_key(schema: str, quoted: bool, dialect: str) -> str:  # noqa: FBT001 (as fold)
    """The folded schema under which names are kept: empty for those that need not be said (`main`, `public`)."""
    folded = fold(schema, quoted, dialect)
    return "" if folded in lexicon_of(dialect).unsaid else folded


def table_key(schema: str, table: str) -> str:
    """The owner of a table's columns, from the folded schema and name: `users`, `app.users`, `"odd.name"`."""
    return f"{_part(schema)}.{_part(table)}" if schema else _part(table)


def relation_key(schema: str, table: str) -> Key:
    """The key of a table or view, from its folded schema and name."""
    return Key(RELATION, schema, table)


def column_key(owner: str, column: str) -> Key:
    """The key of a column, from its table's key and its folded name."""
    return Key("Column", owner, column)


def function_key(schema: str, name: str) -> Key:
    """The key of a function, from its folded schema and name."""
    return Key("Function", schema, name)


def _part(name: str) -> str:
    return name if "." not in name and '"' not in name else '"' + name.replace('"', '""') + '"'


def opened(namespace: str, owner: str = "") -> Binding:
    """Says that names of a name space under an owner are not all known, whatever `World.closed` holds.

    Its sort is `Open`, so that no query on names admits it: `ATTACH … AS x` opens relations under `x`.
    """
    return Binding(namespace, "Open", owner=owner, namespace=_OPEN)


def is_open(environment: Environment, namespace: str, owner: str = "") -> bool:
    """Whether `opened` holds for the name space (`relation`, `Function`) under the owner (a folded schema)."""
    return environment.lookup(Key(_OPEN, owner, namespace)) is not None


def adopt(bindings: Iterable[Binding], world: World) -> tuple[Binding, ...]:
    """A provider's bindings as SQL names them: folded, owned by their table's key, spelled for the dialect.

    Providers say names exactly (as if quoted) and give a schema and a table by the attributes `schema` and `table`, or by the
    raw owner; `bare` says that the name can be used without its schema too. Names that can't be written in the dialect are left
    out. Where two bindings of one key differ in their columns (a schema that the search path puts before another), the table's
    columns are left open. Adopting twice changes nothing.
    """
    dialect = dialect_in(world)
    given = tuple(each for each in bindings if writable(each.name, dialect))
    schemas = _schemas(given, dialect)
    found: dict[Key, Binding] = {}
    shapes: dict[str, dict[str, set[str]]] = {}
    for each in given:
        for adopted in _forms(each, schemas, dialect):
            found.setdefault(adopted.key, adopted)
            if adopted.sort == "Column":
                shape = shapes.setdefault(adopted.owner, {})
                shape.setdefault(each.attrs.get("schema", ""), set()).add(adopted.folded)
    torn = {
        owner
        for owner, shape in shapes.items()
        if len(shape) > 1 and len(set(map(frozenset, shape.values()))) > 1
    }
    return tuple(_left_open(each) if torn and _table_of(each) in torn else each for each in found.values())


def _forms(binding: Binding, schemas: Mapping[str, str], dialect: str) -> tuple[Binding, ...]:
    """The binding, and the one that is found without its schema if there is one."""
    adopted = _adopted(binding, schemas, dialect)
    if binding.attrs.get("bare") != "yes" or _kept_schema(binding.attrs.get("schema", ""), dialect) == "":
        return (adopted,)
    if adopted.sort == "Column":
        owner = table_key("", _kept(adopted.attrs["table"], dialect))
        return (adopted, replace(adopted, owner=owner))
    return (adopted, replace(adopted, owner=""))


def _schemas(bindings: Iterable[Binding], dialect: str) -> Mapping[str, str]:
    """The folded schema of each table name that only one schema has."""
    seen: dict[str, set[str]] = {}
    for each in bindings:
        if each.sort == "Table":
            seen.setdefault(each.name, set()).add(
                _kept_schema(each.attrs.get("schema", "") or each.owner, dialect)
            )
    return {name: schemas.pop() for name, schemas in seen.items() if len(schemas) == 1}


def _adopted(binding: Binding, schemas: Mapping[str, str], dialect: str) -> Binding:
    folded = _kept(binding.name, dialect)
    spelling = spell(binding.name, dialect)
    attrs = binding.attrs
    if binding.sort == "Column":
        table = attrs.get("table", "") or binding.owner
        said = attrs.get("schema")
        schema = schemas.get(table, "") if said is None else _kept_schema(said, dialect)
        owner = table_key(schema, _kept(table, dialect))
        return replace(
            binding, owner=owner, folded=folded, spelling=spelling, attrs={**attrs, "table": table}
        )
    schema = _kept_schema(attrs.get("schema", "") or binding.owner, dialect)
    namespace = RELATION if binding.sort == "Table" else binding.namespace
    return replace(binding, owner=schema, folded=folded, spelling=spelling, namespace=namespace)


def _table_of(binding: Binding) -> str | None:
    return table_key(binding.owner, binding.folded) if binding.sort == "Table" else None


def _left_open(table: Binding) -> Binding:
    return replace(table, attrs={**table.attrs, "columns": "open"})


def _kept(name: str, dialect: str) -> str:
    return fold(name, quoted=True, dialect=dialect)


def _kept_schema(schema: str, dialect: str) -> str:
    return schema_key(schema, quoted=True, dialect=dialect)
