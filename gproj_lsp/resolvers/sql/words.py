"""SQL's words as an outline needs them: what starts a statement, a clause or a query, and what is never a name.

Only words that every dialect reads alike: what a dialect adds is in its lexicon.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["CLAUSES", "KEYWORDS", "QUERY_STARTS", "SET_OPERATORS", "VERBS"]

VERBS: Mapping[str, str] = {
    "SELECT": "Select",
    "WITH": "With",
    "VALUES": "Values",
    "INSERT": "Into",
    "REPLACE": "Into",
    "UPDATE": "",
    "DELETE": "",
    "MERGE": "Into",
    "CREATE": "",
    "ALTER": "",
    "DROP": "",
}
"""What starts a block, and the region that its first clause is; empty: none of its own."""

CLAUSES: Mapping[str, tuple[str, int]] = {
    "FROM": ("From", 1),
    "JOIN": ("Join", 1),
    "USING": ("From", 1),
    "WHERE": ("Where", 1),
    "GROUP": ("Group", 2),
    "HAVING": ("Having", 1),
    "WINDOW": ("Window", 1),
    "QUALIFY": ("Qualify", 1),
    "ORDER": ("Order", 2),
    "LIMIT": ("Limit", 1),
    "OFFSET": ("Limit", 1),
    "FETCH": ("Limit", 1),
    "SET": ("Set", 1),
    "VALUES": ("Values", 1),
    "INTO": ("Into", 1),
    "RETURNING": ("Returning", 1),
    "ON": ("Conflict", 2),
    "WHEN": ("When", 1),
}
"""What starts a clause of a block: its region, and how many words the keyword has."""

SET_OPERATORS = frozenset({"UNION", "INTERSECT", "EXCEPT", "MINUS"})
QUERY_STARTS = frozenset({"SELECT", "WITH", "VALUES"})

KEYWORDS = frozenset(
    """ALL ANALYZE AND ANY AS ASC BETWEEN BY CASE CAST COLLATE CONSTRAINT CREATE CROSS DEFAULT DELETE DESC DISTINCT DROP
    ELSE END EXCEPT EXISTS FALSE FETCH FOR FOREIGN FROM FULL GROUP HAVING IN INNER INSERT INTERSECT INTO IS ISNULL JOIN
    LATERAL LEFT LIKE LIMIT NATURAL NOT NOTNULL NULL OFFSET ON OR ORDER OUTER OVER PRIMARY QUALIFY REFERENCES RETURNING
    RIGHT SELECT SET TABLE THEN TRUE UNION UNIQUE UPDATE USING VALUES WHEN WHERE WINDOW WITH""".split()  # noqa: SIM905  (a list of words reads best as one)
)
"""Words that are no names unless quoted or behind a dot."""

WANTING = frozenset(
    """ALL AND BETWEEN BY COLLATE DISTINCT ELSE FROM GLOB HAVING ILIKE INTO JOIN LIKE LIMIT NOT OFFSET ON OR REFERENCES REGEXP
    RETURNING RLIKE SELECT SET TABLE THEN UPDATE WHEN WHERE""".split()  # noqa: SIM905  (as above)
)
"""Words behind which a name or a value must stand."""

STOPS = frozenset(
    """AND AS ASC BETWEEN BY COLLATE CROSS DESC ELSE END EXCEPT FETCH FROM FULL GROUP HAVING ILIKE IN INNER INTERSECT INTO IS
    JOIN LIKE LIMIT NATURAL OFFSET ON OR ORDER OUTER OVER QUALIFY RETURNING SET THEN UNION USING VALUES WHEN WHERE WINDOW
    """.split()  # noqa: SIM905  (as above)
)
"""Words that no name or value begins with."""

JOINS = frozenset({"LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "OUTER"})

INFIX = frozenset(
    """ANTI APPLY ASOF AT DIV ESCAPE FILTER FIRST FOLLOWING FORCE GLOB IGNORE ILIKE INDEXED LAST MATCH MEMBER MOD NEXT NULLS
    OF ONLY OVERLAPS PARTITION PIVOT POSITIONAL PRECEDING RANGE REGEXP RESPECT RLIKE ROW ROWS SEMI SEPARATOR SIMILAR SOUNDS
    STRAIGHT_JOIN TABLESAMPLE TIES TIME TO UNPIVOT USE WITHIN XOR ZONE""".split()  # noqa: SIM905  (as above)
)
"""Words that may follow a value though some dialects take them for names."""
