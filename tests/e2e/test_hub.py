"""Folders of models pulled at one commit, by the program, from a hub on loopback."""

from __future__ import annotations

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from program import gproj

pytest.importorskip("huggingface_hub")

COMMIT = "0123456789" * 4
REFERENCE = f"hf:owner/name@{COMMIT}"
FILES = {
    "config.json": b"{}",
    "tokenizer.json": b"{}",
    "model.safetensors": b"\x00" * 64,
    "modeling_evil.py": b"raise SystemExit",
    "pytorch_model.bin": b"a pickle",
}


class Hub(BaseHTTPRequestHandler):
    """As much of Hugging Face's hub as a download needs."""

    def do_HEAD(self):
        self.answer()

    def do_GET(self):
        data = self.answer()
        self.wfile.write(data)

    def answer(self):
        path = self.path.partition("?")[0]
        data = b""
        if path.startswith("/api/models/owner/name/tree/"):
            rows = [
                {"type": "file", "oid": digest(each), "size": len(each), "path": name}
                for name, each in FILES.items()
            ]
            data = json.dumps(rows).encode()
        elif path.startswith("/api/"):
            data = json.dumps(
                {"id": "owner/name", "sha": COMMIT, "siblings": [{"rfilename": name} for name in FILES]}
            ).encode()
        elif path.startswith(f"/owner/name/resolve/{COMMIT}/"):
            data = FILES[path.rpartition("/")[2]]
        self.send_response(200 if data else 404)
        for name, value in {
            "Content-Length": len(data),
            "ETag": f'"{digest(data)}"',
            "X-Repo-Commit": COMMIT,
        }.items():
            self.send_header(name, str(value))
        self.end_headers()
        return data

    def log_message(self, *_):
        pass


def digest(data):
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()


@pytest.fixture
def hub():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_pulled_folder_has_neither_code_nor_pickles_and_is_found_without_a_network(tmp_path, hub):
    home = {"HF_HOME": str(tmp_path / "home")}
    done = gproj(tmp_path, "model", "pull", REFERENCE, env={**home, "HF_ENDPOINT": hub})
    assert done.returncode == 0, done.stderr.decode()
    folder = Path(done.stdout.decode().strip())
    assert {path.name for path in folder.iterdir()} == {"config.json", "tokenizer.json", "model.safetensors"}
    found = gproj(tmp_path, "model", "path", REFERENCE, env={**home, "HF_ENDPOINT": "http://127.0.0.1:9"})
    assert found.stdout == done.stdout
    other = gproj(
        tmp_path, "model", "path", "hf:owner/other", env={**home, "HF_ENDPOINT": "http://127.0.0.1:9"}
    )
    assert other.returncode == 2
    assert b"gproj-lsp model pull hf:owner/other@COMMIT" in other.stderr
