"""Random statements over a small schema, mostly good and now and then with a name that is out of scope.

Whether a statement is good is not decided here: a database judges it. All columns are integers, so that no statement fails
for its types; names repeat between tables and differ in case, so that scopes, shadowing and ambiguity are met all the time.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

__all__ = ["SCHEMA", "Dialect", "Writer"]

SCHEMA = """\
CREATE TABLE singer (id integer PRIMARY KEY, name integer, age integer, "Order" integer);
CREATE TABLE concert (id integer PRIMARY KEY, singer_id integer, Year integer, name integer);
CREATE TABLE ticket (code integer PRIMARY KEY, concert_id integer, price integer);
CREATE VIEW adult AS SELECT id, name AS label FROM singer WHERE age > 17;
"""

_TABLES = {
    "singer": ("id", "name", "age", '"Order"'),
    "concert": ("id", "singer_id", "Year", "name"),
    "ticket": ("code", "concert_id", "price"),
    "adult": ("id", "label"),
}
_BASE = ("singer", "concert", "ticket")
_STRAY = (
    "id",
    "name",
    "age",
    '"Order"',
    "singer_id",
    "year",
    "NAME",
    "price",
    "label",
    "code",
    "nowhere",
    "v0",
    "v1",
    "c0",
)
_STRAY_OWNERS = ("singer", "concert", "t0", "t1", "t2", "nobody", "k0")


@dataclass(frozen=True)
class Dialect:
    """What a database can do that the others can't."""

    name: str
    lateral: bool = False
    column_lists: bool = False
    delete_using: bool = False
    whole_rows: bool = False


@dataclass
class _Source:
    """A relation in FROM: how its columns are reached."""

    name: str
    columns: tuple[str, ...]


@dataclass
class _Scope:
    sources: list[_Source] = field(default_factory=list)
    outer: _Scope | None = None


class Writer:
    """Writes one random statement after another; equal seeds write equal statements."""

    def __init__(self, seed: int, dialect: Dialect, stray: float = 0.03) -> None:
        """Start.

        Args:
            seed: Of the pseudo-random choices.
            dialect: What may be used.
            stray: The probability that a name is taken from anywhere.
        """
        self._random = random.Random(seed)
        self._dialect = dialect
        self._stray = stray
        self._count = 0
        self._tables: list[_Source] = []

    def statement(self) -> str:
        """The next statement, without a terminator."""
        self._count = 0
        self._tables = []
        kind = self._random.random()
        if kind < 0.7:
            return self._with()
        return self._random.choice([self._insert, self._update, self._delete])()

    # Queries

    def _with(self) -> str:
        ctes: list[tuple[str, str]] = []
        for _ in range(self._random.choice([0, 0, 1, 2])):
            text, columns = self._query(1, None, 2)
            name = self._fresh("k")
            listed = tuple(self._fresh("c") for _ in columns) if self._chance(0.3) else ()
            ctes.append((name, f"{name}{self._list(listed)} AS ({text})"))
            self._tables.append(_Source(name, listed or columns))
        query, _ = self._query(3, None, self._random.randint(1, 3))
        used: list[str] = []
        for name, text in reversed(ctes):  # a database need not look into what nothing uses
            if re.search(rf"\b{name}\b", " ".join([query, *used]), re.IGNORECASE):
                used.insert(0, text)
        return f"WITH {', '.join(used)} {query}" if used else query

    def _query(self, depth: int, outer: _Scope | None, width: int) -> tuple[str, tuple[str, ...]]:
        """A query and the names of its columns."""
        text, columns, aliases = self._select(depth, outer, width)
        if depth > 0 and self._chance(0.15):
            other, _, _ = self._select(depth - 1, outer, width)
            text = f"{text} {self._random.choice(['UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT'])} {other}"
        if aliases and self._chance(0.4):
            text += f" ORDER BY {self._random.choice(aliases)}"
        if self._chance(0.1):
            text += " LIMIT 3"
        return text, columns

    def _select(self, depth: int, outer: _Scope | None, width: int) -> tuple[str, tuple[str, ...], list[str]]:
        scope = _Scope(outer=outer)
        source = self._from(scope, depth)
        items, columns, aliases = [], [], []
        window = f"w AS (ORDER BY {self._column(scope)})" if self._chance(0.05) else ""
        for number in range(width):
            expression = "count(*) OVER w" if window and number == 0 else self._expression(scope, depth)
            bare = expression.replace('"', "").isidentifier()
            if bare and self._chance(0.5):
                items.append(expression)
                columns.append(expression)
            else:
                alias = self._fresh("v")
                items.append(f"{expression} AS {alias}")
                columns.append(alias)
                aliases.append(alias)
        text = f"SELECT {', '.join(items)} FROM {source}"
        if self._chance(0.6):
            text += f" WHERE {self._condition(scope, depth)}"
        if self._chance(0.15):
            # SQLite finds no column of an outer query in GROUP BY.
            text += f" GROUP BY {self._column(_Scope(scope.sources))}"
            if self._chance(0.5):
                text += f" HAVING count(*) > {self._random.randint(0, 9)}"
        if window:
            text += f" WINDOW {window}"
        return text, tuple(columns), aliases

    def _from(self, scope: _Scope, depth: int) -> str:
        text = self._relation(scope, depth)
        for _ in range(self._random.choice([0, 0, 1, 1, 2])):
            kind = self._random.random()
            if kind < 0.2:
                text += f", {self._relation(scope, depth)}"
            elif kind < 0.8:
                join = self._random.choice(["JOIN", "LEFT JOIN"])
                text += f" {join} {self._relation(scope, depth)} ON {self._condition(scope, 0)}"
            else:
                left = {column.lower() for source in scope.sources for column in source.columns}
                right = self._relation(scope, depth)
                shared = [column for column in scope.sources[-1].columns if column.lower() in left]
                if shared:
                    text += f" JOIN {right} USING ({self._random.choice(shared)})"
                else:
                    text += f" CROSS JOIN {right}"
        return text

    def _relation(self, scope: _Scope, depth: int) -> str:
        if depth > 0 and self._chance(0.2):
            lateral = self._dialect.lateral and bool(scope.sources) and self._chance(0.3)
            outer = scope if lateral else scope.outer
            text, columns = self._query(
                depth - 1, _Scope(list(scope.sources), scope.outer) if lateral else outer, 2
            )
            alias = self._fresh("t")
            listed = (
                tuple(self._fresh("c") for _ in columns)
                if self._dialect.column_lists and self._chance(0.3)
                else ()
            )
            scope.sources.append(_Source(alias, listed or columns))
            return f"{'LATERAL ' if lateral else ''}({text}) AS {alias}{self._list(listed)}"
        if self._tables and self._chance(0.4):
            source = self._random.choice(self._tables)
            name, columns = source.name, source.columns
        elif self._chance(self._stray / 2):
            name, columns = "no_table", ("id",)
        else:
            name = self._random.choice(tuple(_TABLES))
            columns = _TABLES[name]
        taken = {source.name for source in scope.sources}
        if name in taken or self._chance(0.5):
            alias = self._fresh("t")
            scope.sources.append(_Source(alias, columns))
            return f"{self._case(name)} {self._random.choice(['AS ', ''])}{alias}"
        scope.sources.append(_Source(name, columns))
        return self._case(name)

    # Expressions

    def _expression(self, scope: _Scope, depth: int) -> str:
        kind = self._random.random()
        if kind < 0.6 or depth <= 0:
            return self._column(scope)
        if kind < 0.7:
            return f"{self._column(scope)} + {self._column(scope)}"
        if kind < 0.78:
            function = self._random.choice(["abs", "round", "max", "count", "sum"])
            return f"{function}({self._column(scope)})"
        if kind < 0.84:
            return f"CASE WHEN {self._condition(scope, 0)} THEN {self._column(scope)} ELSE 0 END"
        if kind < 0.9:
            return f"row_number() OVER (PARTITION BY {self._column(scope)} ORDER BY {self._column(scope)})"
        text, _ = self._query(depth - 1, scope, 1)
        return f"({text})"

    def _condition(self, scope: _Scope, depth: int) -> str:
        kind = self._random.random()
        if kind < 0.6 or depth <= 0:
            return f"{self._column(scope)} = {self._column(scope)}"
        if kind < 0.75:
            text, _ = self._query(depth - 1, scope, 1)
            return f"EXISTS ({text})"
        if kind < 0.9:
            text, _ = self._query(depth - 1, scope, 1)
            return f"{self._column(scope)} IN ({text})"
        return f"({self._condition(scope, depth - 1)} AND {self._condition(scope, depth - 1)})"

    def _column(self, scope: _Scope) -> str:
        if self._chance(self._stray):
            stray = self._random.choice(_STRAY)
            return f"{self._random.choice(_STRAY_OWNERS)}.{stray}" if self._chance(0.5) else stray
        while scope.outer and scope.outer.sources and self._chance(0.2):
            scope = scope.outer
        if not scope.sources:
            return "1"
        source = self._random.choice(scope.sources)
        column = self._case(self._random.choice(source.columns))
        unique = (
            sum(column.lower() in {name.lower() for name in other.columns} for other in scope.sources) == 1
        )
        if unique and self._chance(0.6):
            return column
        return column if self._chance(self._stray) else f"{self._case(source.name)}.{column}"

    # Changes

    def _insert(self) -> str:
        table = self._random.choice(_BASE)
        columns = list(_TABLES[table])[: self._random.randint(1, 3)]
        if self._chance(self._stray * 2):
            columns[-1] = self._random.choice(_STRAY)
        if len({column.lower() for column in columns}) < len(columns):
            columns = columns[:1]
        query, _ = self._query(1, None, len(columns))
        text = f"INSERT INTO {table} ({', '.join(columns)}) "
        if self._chance(0.5):
            return text + query
        key = _TABLES[table][0]
        text += f"VALUES ({', '.join('1' for _ in columns)}) ON CONFLICT ({key}) DO UPDATE SET "
        target = _Scope([_Source("excluded", _TABLES[table]), _Source(table, _TABLES[table])])
        return f"{text}{_TABLES[table][1]} = {self._qualified(target)} WHERE {self._qualified(target)} > 0"

    def _update(self) -> str:
        table = self._random.choice(_BASE)
        scope = _Scope([_Source(table, _TABLES[table])])
        column = self._random.choice(_STRAY if self._chance(self._stray) else _TABLES[table][1:])
        other = ""
        if self._chance(0.4):
            source = self._random.choice([name for name in _BASE if name != table])
            scope.sources.append(_Source("o", _TABLES[source]))
            other = f" FROM {source} AS o"
        value = self._expression(scope, 0)
        text = f"UPDATE {table} SET {column} = {value}{other} WHERE {self._condition(scope, 1)}"
        return text + (
            f" RETURNING {self._column(_Scope(scope.sources[:1]))}" if not other and self._chance(0.3) else ""
        )

    def _delete(self) -> str:
        table = self._random.choice(_BASE)
        scope = _Scope([_Source(table, _TABLES[table])])
        using = ""
        if self._dialect.delete_using and self._chance(0.5):
            source = self._random.choice([name for name in _BASE if name != table])
            scope.sources.append(_Source("u", _TABLES[source]))
            using = f" USING {source} AS u"
        return f"DELETE FROM {table}{using} WHERE {self._condition(scope, 2)}"

    # Pieces

    def _qualified(self, scope: _Scope) -> str:
        source = self._random.choice(scope.sources)
        column = self._random.choice(_STRAY if self._chance(self._stray) else source.columns)
        return f"{source.name}.{column}"

    def _fresh(self, letter: str) -> str:
        self._count += 1
        return f"{letter}{self._count}"

    def _list(self, names: tuple[str, ...]) -> str:
        return f" ({', '.join(names)})" if names else ""

    def _case(self, name: str) -> str:
        return name.upper() if self._chance(0.1) and '"' not in name else name

    def _chance(self, probability: float) -> bool:
        return self._random.random() < probability
