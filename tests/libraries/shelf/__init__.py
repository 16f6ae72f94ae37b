"""A made-up library of tables, as a private one would be: it reads like pandas, and is called otherwise on purpose."""

from shelf.kinds import Fit, Kind
from shelf.table import Grouping, Table, load, stack

__all__ = ["Fit", "Grouping", "Kind", "Table", "load", "stack"]
__version__ = "2.1.0"
