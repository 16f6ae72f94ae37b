"""What the functions of a library mean besides their names: what calls make, and what they take; told by people, in TOML.

::

    module = "tiles.language"

    [roles.alloc_shared]
    parameters = ["shape", "dtype"]
    makes = "Buffer"
    mem = "shared"
    shape = "shape"

    [roles."gemm"]
    parameters = ["A", "B", "C"]
    operands.A = { mem = ["shared"], shape = "M K" }

A key names one function, or several with spaces between them. Each becomes a `Role` of its dotted name, and what it takes
`Operand`s of that; their attributes are what the table says, lists as words with spaces between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from gproj_lsp import tomlfile
from gproj_lsp.environment import Binding, Origin
from gproj_lsp.errors import InputError, ProviderError
from gproj_lsp.tomlfile import TomlFile

__all__ = ["file_name", "read_roles"]

_SUFFIX = ".roles.toml"
_OPERANDS = "operands"


def file_name(package: str) -> str:
    """What the roles of a package's functions are called."""
    return f"{package}{_SUFFIX}"


def read_roles(path: Path) -> tuple[Binding, ...]:
    """The roles that a file tells.

    Raises:
        ProviderError: It can't be read, or is not as described; `place` is `file:line`.
    """
    try:
        file = tomlfile.read(path, path.name)
    except InputError as error:
        raise ProviderError(error.message, place=error.place, mend=error.mend) from error
    return tuple(_roles(file))


def _roles(file: TomlFile) -> Iterator[Binding]:
    module = file.table.get("module", "")
    prefix = f"{module}." if module else ""
    for names, said in _tables(file, file.table.get("roles", {}), "roles"):
        operands = _tables(file, said.get(_OPERANDS, {}), "roles", names)
        attrs = _attributes(
            file, {key: value for key, value in said.items() if key != _OPERANDS}, "roles", names
        )
        taken = [(name, _attributes(file, each, "roles", names)) for name, each in operands]
        for name in names.split():
            origin = Origin("roles", file.place("roles", names))
            yield Binding(f"{prefix}{name}", "Role", attrs=attrs, origin=origin)
            for operand, about in taken:
                yield Binding(operand, "Operand", owner=f"{prefix}{name}", attrs=about, origin=origin)


def _tables(file: TomlFile, table: object, *keys: str) -> list[tuple[str, Mapping[str, object]]]:
    if not isinstance(table, Mapping) or not all(isinstance(each, Mapping) for each in table.values()):
        raise ProviderError("holds roles as tables of tables", place=file.place(*keys))
    return list(table.items())


def _attributes(file: TomlFile, said: Mapping[str, object], *keys: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in said.items():
        listed = value if isinstance(value, list) else [value]
        texts = [each for each in listed if isinstance(each, str)]
        if len(texts) != len(listed):
            raise ProviderError(f'"{key}" is a text or a list of texts', place=file.place(*keys, key))
        found[key] = " ".join(texts)
    return found
