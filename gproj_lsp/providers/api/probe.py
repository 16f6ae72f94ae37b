"""What a package declares, told by Python itself: run as a script, by the interpreter that has the package.

    python -I probe.py PACKAGE OUTPUT [FOLDER…]

Imports PACKAGE, which runs its code, and writes what it has to OUTPUT as JSON: `{"version", "names": [{"sort", "owner", "name",
"attrs"}]}`. It needs nothing but the standard library. Wherever it can't be sure that it sees everything (a `__getattr__`, a
signature that can't be read, a base without source), what it tells is marked as open.
"""

from __future__ import annotations

import ast
import enum
import inspect
import json
import pkgutil
import re
import sys
import textwrap
import types
import typing
from collections.abc import Iterator
from importlib import import_module, metadata
from pathlib import Path

OPEN = "open"
_LONG = 60
_PLAIN_TYPES = (bool, int, float, str, bytes, type(None))
_INSTEAD = re.compile(
    r"(?:[Uu]se|[Rr]enamed to|[Rr]eplaced by|in favou?r of)\s+[`'\":a-z]*?[`'\"]*([A-Za-z_][\w.]*)"
)
_DYNAMIC = re.compile(r"\bsetattr\(|__dict__|\bvars\(")
_UNASKED = frozenset({"conftest", "setup", "test", "testing", "tests"})
"""Submodules that are not imported: they are no part of what a package offers."""
_METACLASSES = frozenset({"ABCMeta", "EnumMeta", "EnumType", "type", "_ProtocolMeta"})


class Probe:
    """Walks over what a package has.

    Args:
        package: Its name.
    """

    def __init__(self, package: str) -> None:
        self.package = package
        self.names: list[dict[str, object]] = []
        self._done: set[str] = set()
        self._keyed: set[str] = set()

    def run(self) -> dict[str, object]:
        """Everything, as JSON has it."""
        root = import_module(self.package)
        version = _version(self.package, root)
        attrs = {"version": version} if version else {}
        self._add("Module", "", self.package, {**attrs, **_openness(root)})
        self._module(self.package, root)
        return {"version": version, "names": self.names}

    def _add(self, sort: str, owner: str, name: str, attrs: dict[str, str]) -> None:
        self.names.append({"sort": sort, "owner": owner, "name": name, "attrs": attrs})

    def _ours(self, thing: object) -> bool:
        module = getattr(thing, "__module__", None) or ""
        return module == self.package or module.startswith(f"{self.package}.")

    def _module(self, path: str, module: types.ModuleType) -> None:
        if path in self._done:
            return
        self._done.add(path)
        members = _members(module)
        for name, value in members.items():
            try:
                self._member(path, name, value)
            except Exception:  # noqa: BLE001  (what a package defines may refuse to be looked at in any way)
                self._add("Attribute", path, name, {"kind": "constant"})
        for name in _submodules(module):
            if name not in members:
                loaded = _loaded(f"{path}.{name}")
                attrs = {"kind": "module", **(_openness(loaded) if loaded else {"attributes": OPEN})}
                self._add("Attribute", path, name, attrs)
                if loaded is not None:
                    self._module(f"{path}.{name}", loaded)

    def _member(self, owner: str, name: str, value: object) -> None:
        attrs: dict[str, str] = {}
        if isinstance(value, types.ModuleType):
            self._add("Attribute", owner, name, self._submodule(owner, name, value))
            return
        if isinstance(value, type):
            path = self._home(value, f"{owner}.{name}")
            attrs = self._class(path, value)
            if path != f"{owner}.{name}":
                attrs["target"] = path
        elif inspect.isroutine(value):
            path = self._home(value, f"{owner}.{name}")
            attrs = {"kind": "function", **self._callable(path, value, value)}
            if path != f"{owner}.{name}":
                attrs["target"] = path
        elif self._is_called(value):
            attrs = {"kind": "function", **self._calls(f"{owner}.{name}", value)}
        else:
            attrs = {"kind": "constant", **_value(value)}
        self._add("Attribute", owner, name, {**attrs, **self._deprecated(value, owner)})

    def _is_called(self, value: object) -> bool:
        """Whether it is an object of the package that is called as a function is."""
        kind = type(value)
        return self._ours(kind) and any("__call__" in vars(each) for each in kind.__mro__[:-1])

    def _calls(self, path: str, value: object) -> dict[str, str]:
        """What is told of an object that is called: what its class says of a call."""
        call = type(value).__call__
        return {
            **self._callable(path, call, call, drop=True),
            **self._deprecated(call, path.rpartition(".")[0]),
        }

    def _submodule(self, owner: str, name: str, module: types.ModuleType) -> dict[str, str]:
        path = module.__name__
        attrs = {"kind": "module", **_openness(module)}
        if path == self.package or path.startswith(f"{self.package}."):
            self._module(path, module)
        else:
            attrs["attributes"] = OPEN
        if path != f"{owner}.{name}":
            attrs["target"] = path
        return attrs

    def _home(self, value: object, fallback: str) -> str:
        """The dotted name that something says of itself, if it is there under it."""
        module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
        if not module or not name or not self._ours(value) or "<" in name:
            return fallback
        found: object = sys.modules.get(module)
        for part in name.split("."):
            found = getattr(found, part, None)
        return f"{module}.{name}" if found is value else fallback

    def _class(self, path: str, cls: type) -> dict[str, str]:
        is_enum = issubclass(cls, enum.Enum)
        attrs = {"kind": "enum" if is_enum else "class"}
        if not self._ours(cls):
            return {**attrs, "attributes": OPEN, "keywords": OPEN}
        extra, is_open = _instance_names(cls)
        if is_open:
            attrs["attributes"] = OPEN
        attrs |= {"keywords": OPEN} if is_enum else self._constructor(path, cls)
        if path not in self._done:
            self._done.add(path)
            self._class_members(path, cls, extra)
        return attrs

    def _class_members(self, path: str, cls: type, extra: set[str]) -> None:
        for name in sorted({*dir(cls), *extra}):
            if name.startswith("__") and name.endswith("__"):
                continue
            holder = next((each for each in cls.__mro__ if name in vars(each)), None)
            static = vars(holder)[name] if holder is not None else None
            self._add("Attribute", path, name, self._class_member(path, cls, holder, name, static))

    def _class_member(
        self, path: str, cls: type, holder: type | None, name: str, static: object
    ) -> dict[str, str]:
        if holder is None:
            return {"kind": "field"}
        if issubclass(cls, enum.Enum) and name in cls.__members__:
            return {"kind": "member", **_value(cls.__members__[name].value)}
        if isinstance(static, property):
            return {"kind": "property", **self._deprecated(static.fget, path)}
        if isinstance(static, (classmethod, staticmethod)) or inspect.isroutine(static):
            return self._method(path, cls, holder, name, static)
        if isinstance(static, type):
            inner = self._home(static, f"{path}.{name}")
            attrs = self._class(inner, static)
            return {**attrs, "target": inner} if inner != f"{path}.{name}" else attrs
        return {"kind": "field", **_value(static)}

    def _method(self, path: str, cls: type, holder: type, name: str, static: object) -> dict[str, str]:
        function = static.__func__ if isinstance(static, (classmethod, staticmethod)) else static
        home = self._home(holder, path) if holder is not cls else path
        attrs = {"kind": "method", **self._deprecated(function, path)}
        if holder is not cls and home != path:
            attrs["target"] = f"{home}.{name}"
            if not self._ours(holder):
                return {**attrs, "keywords": OPEN}
        bound = not isinstance(static, staticmethod)
        return {**attrs, **self._callable(f"{home}.{name}", function, static, drop=bound, cls=holder)}

    def _constructor(self, path: str, cls: type) -> dict[str, str]:
        if type(cls).__call__ is not type.__call__:
            return {"keywords": OPEN}
        maker = cls.__init__ if cls.__init__ is not object.__init__ else cls.__new__  # type: ignore[misc]
        return self._callable(path, maker, cls)

    def _callable(
        self, path: str, function: object, given: object, *, drop: bool = False, cls: type | None = None
    ) -> dict[str, str]:
        """The keywords of a function; they are told once, under its own dotted name."""
        target = given if isinstance(given, type) else function
        attrs: dict[str, str] = {}
        try:
            signature = inspect.signature(target)  # type: ignore[arg-type]
            outer = inspect.signature(target, follow_wrapped=False)  # type: ignore[arg-type]
        except (ValueError, TypeError, NameError, AttributeError):
            return {"keywords": OPEN}
        hints = _hints(function)
        parameters = list(signature.parameters.values())[1 if drop else 0 :]
        rest = (*parameters, *(() if _passes_on(target) else outer.parameters.values()))
        if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in rest):
            attrs["keywords"] = OPEN
        shown = str(signature.replace(parameters=parameters))
        if len(shown) <= 2 * _LONG:
            attrs["signature"] = shown
        returned = self._returned(hints.get("return"), cls)
        if returned:
            attrs["returns"] = returned
        if path not in self._keyed:
            self._keyed.add(path)
            for each in parameters:
                if each.kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY):
                    self._keyword(path, each, hints.get(each.name))
        return attrs

    def _keyword(self, path: str, parameter: inspect.Parameter, hint: object) -> None:
        attrs: dict[str, str] = {}
        if parameter.annotation is not inspect.Parameter.empty:
            kind = parameter.annotation
            attrs["type"] = kind if isinstance(kind, str) else inspect.formatannotation(kind)
        if parameter.default is not inspect.Parameter.empty:
            attrs["default"] = _short(parameter.default)
        self._add("Keyword", path, parameter.name, attrs)
        for text in _choices(hint):
            self._add("Choice", f"{path}({parameter.name})", text, {})

    def _returned(self, hint: object, cls: type | None) -> str:
        """The class whose instance is returned: one of the package, and with no other below it."""
        found = cls if getattr(hint, "_name", "") == "Self" or isinstance(hint, typing.TypeVar) else hint
        if not isinstance(found, type) or not self._ours(found) or issubclass(found, enum.Enum):
            return ""
        return self._home(found, "") if not type.__subclasses__(found) else ""

    def _deprecated(self, value: object, owner: str) -> dict[str, str]:
        said = _deprecation(value)
        if said is None:
            return {}
        attrs = {"deprecated": " ".join(said.split())}
        match = _INSTEAD.search(said)
        if match is not None:
            name = match[1].rstrip(".").rpartition(".")[2]
            holder: object = sys.modules.get(owner)
            if holder is None:
                module, _, last = owner.rpartition(".")
                holder = getattr(sys.modules.get(module), last, None)
            if hasattr(holder, name):
                attrs["replacement"] = name
        return attrs


def _version(package: str, root: types.ModuleType) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        said = getattr(root, "__version__", "")
        return said if isinstance(said, str) else ""


def _openness(module: types.ModuleType) -> dict[str, str]:
    """Whether a module may have more than it shows."""
    plain = type(module) is types.ModuleType and "__getattr__" not in vars(module)
    return {} if plain else {"attributes": OPEN}


def _members(module: types.ModuleType) -> dict[str, object]:
    found: dict[str, object] = {}
    for name in sorted(set(dir(module)) | set(vars(module))):
        if not (name.startswith("__") and name.endswith("__")):
            try:
                found[name] = getattr(module, name)
            except Exception:  # noqa: BLE001, S112  (what a package computes may fail in any way)
                continue
    return found


def _submodules(module: types.ModuleType) -> list[str]:
    path = getattr(module, "__path__", None)
    return sorted(each.name for each in pkgutil.iter_modules(path)) if path is not None else []


def _loaded(path: str) -> types.ModuleType | None:
    """A submodule, imported where it is public: its package does not import it by itself."""
    last = path.rpartition(".")[2]
    if not last.startswith("_") and last not in _UNASKED:
        try:
            import_module(path)
        except BaseException:  # noqa: BLE001  (it may want what is not there, or end the program)
            return None
    return sys.modules.get(path)


def _passes_on(function: object) -> bool:
    """Whether a wrapper hands every keyword that it is given to what it wraps, and takes none for itself."""
    code = getattr(function, "__code__", None) if hasattr(function, "__wrapped__") else None
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code))) if code is not None else None
    except (OSError, TypeError, SyntaxError, ValueError):
        return False
    outer = tree.body[0] if tree is not None and tree.body else None
    if (
        not isinstance(outer, ast.FunctionDef)
        or outer.args.kwarg is None
        or outer.args.kwonlyargs
        or outer.args.args
    ):
        return False
    name, inner = outer.args.kwarg.arg, _names_of_wrapped(function)
    uses = [node for node in ast.walk(outer) if isinstance(node, ast.Name) and node.id == name]
    harmless = {id(use) for node in ast.walk(outer) for use in _only_read(node, inner)}
    return bool(uses) and all(id(use) in harmless for use in uses)


def _names_of_wrapped(function: object) -> set[str]:
    """What a wrapper calls the function that it wraps."""
    code, wrapped = getattr(function, "__code__", None), getattr(function, "__wrapped__", None)
    cells = getattr(function, "__closure__", None) or ()
    held = zip(getattr(code, "co_freevars", ()), cells)  # noqa: B905  (not in Python 3.9, whose packages may be probed)
    return {name for name, cell in held if cell.cell_contents is wrapped}


def _only_read(node: ast.AST, inner: set[str]) -> Iterator[ast.AST]:
    """Dictionaries that a node reads, or hands to the wrapped function."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in inner:
        yield from (key.value for key in node.keywords if key.arg is None)
    elif isinstance(node, ast.Compare):
        yield from node.comparators
    elif isinstance(node, ast.Subscript):
        yield from [node.value] if isinstance(node.ctx, ast.Load) else []
    elif isinstance(node, ast.Attribute) and node.attr in ("get", "items", "keys", "values"):
        yield node.value


def _hints(function: object) -> dict[str, object]:
    try:
        return typing.get_type_hints(function)
    except Exception:  # noqa: BLE001  (an annotation is any expression)
        return {}


def _choices(hint: object) -> list[str]:
    """The texts that an annotation lists: `Literal["a", "b"]`, perhaps with None."""
    if typing.get_origin(hint) is typing.Literal:
        texts = typing.get_args(hint)
    elif typing.get_origin(hint) in (typing.Union, getattr(types, "UnionType", None)):
        arguments = [each for each in typing.get_args(hint) if each is not type(None)]
        return _choices(arguments[0]) if len(arguments) == 1 else []
    else:
        return []
    return (
        [each for each in texts if isinstance(each, str)]
        if all(isinstance(each, str) for each in texts)
        else []
    )


def _short(value: object) -> str:
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  (a package's own repr)
        return "…"
    return text if len(text) <= _LONG and "\n" not in text and " at 0x" not in text else "…"


def _value(value: object) -> dict[str, str]:
    return {"value": _short(value)} if isinstance(value, _PLAIN_TYPES) else {}


def _instance_names(cls: type) -> tuple[set[str], bool]:
    """What instances have besides what their class shows, and whether there may be more."""
    found: set[str] = set()
    is_open = type(cls).__name__ not in _METACLASSES and hasattr(type(cls), "__getattr__")
    for each in cls.__mro__[:-1]:
        own = vars(each)
        slots = own.get("__slots__", ())
        found |= {slots} if isinstance(slots, str) else {str(name) for name in slots}
        annotated = own.get("__annotations__")
        found |= set(annotated) if isinstance(annotated, dict) else set()
        is_open = is_open or (
            ("__getattr__" in own or "__getattribute__" in own)
            and each.__module__ not in ("enum", "typing", "abc")
        )
        if each.__flags__ & _HEAP and each.__module__ not in ("enum", "typing", "abc", "builtins"):
            names, dynamic = _assigned(each)
            found |= names
            is_open = is_open or dynamic
    return {name for name in found if name.isidentifier()}, is_open


_HEAP = 1 << 9
"""CPython's mark of a class that a `class` statement made."""


def _assigned(cls: type) -> tuple[set[str], bool]:
    """The attributes that a class' methods assign to their first parameter."""
    try:
        source = textwrap.dedent(inspect.getsource(cls))
        tree = ast.parse(source)
    except (OSError, TypeError, SyntaxError, ValueError):
        # A class that some function made (a named tuple) has no source, and no methods that assign.
        return set(), "__init__" in vars(cls) and not hasattr(cls, "__dataclass_fields__")
    found: set[str] = set()
    for method in ast.walk(tree):
        if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)) and method.args.args:
            # What `__new__` makes has whatever name it likes there.
            owner = method.args.args[0].arg if method.name != "__new__" else ""
            found |= {name for node in ast.walk(method) for name in _stored(node, owner)}
    return found, _DYNAMIC.search(source) is not None


def _stored(node: ast.AST, owner: str) -> Iterator[str]:
    if not (isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)):
        return
    if isinstance(node.value, ast.Name) and owner in ("", node.value.id):
        yield node.attr


def _deprecation(value: object) -> str | None:
    """What something says of being on its way out; None: nothing."""
    said = getattr(value, "__deprecated__", None)
    if isinstance(said, str):
        return said
    if not (isinstance(value, type) or inspect.isroutine(value)):
        return None
    doc = getattr(value, "__doc__", None)
    match = re.search(r"\.\. deprecated::([^\n]*(?:\n[ \t]+[^\n]+)*)", doc) if isinstance(doc, str) else None
    if match is not None:
        return match[1].strip()
    if not inspect.isfunction(value):
        return None
    said = _warned(value)
    return said if said is not None else _decorated(value)


def _decorated(function: object) -> str | None:
    """What a decorator called `deprecated` is given: a text, or what is on its way out and then what is written instead."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))  # type: ignore[arg-type]
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    for each in getattr(tree.body[0], "decorator_list", ()) if tree.body else ():
        if isinstance(each, ast.Call) and ast.unparse(each.func).rpartition(".")[2] == "deprecated":
            texts = [
                given.value
                for given in each.args
                if isinstance(given, ast.Constant) and isinstance(given.value, str)
            ]
            return f"{texts[0]}: use {texts[1]}" if len(texts) > 1 else "".join(texts)
    return None


def _warned(function: object) -> str | None:
    """The text of the DeprecationWarning that every call of a function gives."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))  # type: ignore[arg-type]
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    body = tree.body[0].body if tree.body and isinstance(tree.body[0], ast.FunctionDef) else []
    for each in body:
        call = each.value if isinstance(each, ast.Expr) else None
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("warn") and call.args:
            kinds = [ast.unparse(given) for given in (*call.args[1:], *(key.value for key in call.keywords))]
            if any("DeprecationWarning" in kind or "FutureWarning" in kind for kind in kinds):
                text = call.args[0]
                return text.value if isinstance(text, ast.Constant) and isinstance(text.value, str) else ""
    return None


def main(package: str, output: str, *folders: str) -> None:
    """Write what a package has.

    Args:
        package: Its name.
        output: The file to write.
        folders: Where else to look for it.
    """
    sys.path[:0] = folders
    sys.stdout = sys.stderr  # what a package prints when it is imported is no part of the answer
    found = Probe(package).run()
    Path(output).write_text(json.dumps(found), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
