"""Any OpenAI-compatible server that takes a GBNF grammar, as a filler of holes.

What is sent is the text before the hole, what is declared around it, and the hole's grammar with the names in it. Nothing is
sent anywhere else: redirects are not followed. Keys, and what a URL holds besides host and path, are in no message.
"""

from __future__ import annotations

import random
import time
from base64 import b64encode
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

import msgspec

from gproj_lsp.decode.base import HoleText
from gproj_lsp.decode.models.exchange import (
    MOST,
    Address,
    Answer,
    LateError,
    UnansweredError,
    address,
    exchange,
)
from gproj_lsp.decode.models.servers import SERVERS, Server, server_of
from gproj_lsp.errors import Cancelled, ModelError

if TYPE_CHECKING:
    from gproj_lsp.decode.base import HoleTask, Stop

__all__ = ["AUTO", "RemoteFiller"]

AUTO = "auto"
"""Of a server whose kind is to be found out."""
_ATTEMPTS = 3
_PAUSE = 0.5
"""Seconds before the second attempt; twice as long before the third, and up to half as long again by chance."""
_BUSY = 429
_SHOWN = 200
"""Characters of a server's own words that a complaint repeats."""


class _Choice(msgspec.Struct):
    text: str
    finish_reason: object = None


class _Usage(msgspec.Struct):
    completion_tokens: object = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


class _Model(msgspec.Struct):
    id: str
    owned_by: str | None = None


class _Models(msgspec.Struct):
    data: list[_Model]


class _Complaint(msgspec.Struct):
    """The shapes in which servers say what is wrong."""

    error: object = None
    message: object = None
    detail: object = None


class RemoteFiller:
    """One model on one server; see `HoleFiller` for the contract."""

    def __init__(  # noqa: PLR0913  (as many as there are settings)
        self,
        url: str,
        *,
        key: str = "",
        model: str = "",
        server: str = AUTO,
        seconds: float = 60.0,
        capacity: int = 4096,
    ) -> None:
        """A server; it is not asked anything yet.

        Args:
            url: Where completions are found, as in `https://host:8000/v1`.
            key: Sent as a bearer token; empty: none.
            model: As the server names it; empty: the only one it has.
            server: Its kind, as in `SERVERS`; `AUTO`: as it tells by what it says of its models.
            seconds: How long one hole may take, all attempts included.
            capacity: How many tokens its context holds.

        Raises:
            ModelError: The URL can't be read, or the key can't be sent.
        """
        self._to = address(url)
        self._secrets = _secrets(key, self._to)
        self._headers = _headers(key, self._to.user, str(self._to))
        self._model = model
        self._server = server_of(server)
        self._seconds = seconds
        self.capacity = capacity

    @property
    def name(self) -> str:
        """The URL without its secrets, and the model where one is named."""
        return f"{self._to}, {self._clean(self._model)}" if self._model else str(self._to)

    def write(self, task: HoleTask, stop: Stop | None = None) -> HoleText:
        """Have one text written.

        Raises:
            Cancelled: `stop` said so; the connection is broken off.
            ModelError: There was no usable answer, after several attempts where that may help.
        """
        until = time.monotonic() + self._seconds
        server = self._known(until, stop)
        request = {
            "prompt": task.before,
            "max_tokens": task.budget,
            "temperature": task.temperature,
            "top_p": task.top_p,
            "stream": False,
            **({"model": self._model} if self._model else {}),
            **({"seed": task.seed} if task.seed is not None else {}),
            **server.placed(task.gbnf),
        }
        answer = self._answered("/completions", msgspec.json.encode(request), until, stop)
        return self._text(answer)

    def _text(self, answer: Answer) -> HoleText:
        try:
            found = msgspec.json.decode(answer.body, type=_Completion)
            choice = found.choices[0]
        except (msgspec.DecodeError, IndexError, RecursionError) as error:
            raise self._error("what came back is no completion") from error
        said = found.usage.completion_tokens if found.usage else 0
        tokens = said if isinstance(said, int) and 0 < said < MOST else 0
        return HoleText(choice.text, tokens, choice.finish_reason == "length")

    def _known(self, until: float, stop: Stop | None) -> Server:
        """What kind of server it is; asks for its models where that, or the model's name, is not known."""
        if self._server and (self._model or self._server.name == "llama.cpp"):
            return self._server
        models = self._models(until, stop)
        if not self._model:
            self._model = self._only(models)
        if self._server is None:
            owners = [model.owned_by or "" for model in models if model.id == self._model]
            self._server = next((found for owner in owners if (found := server_of(owner=owner))), None)
        if self._server is None:
            kinds = ", ".join(server.name for server in SERVERS)
            raise self._error(
                "the server does not tell how it takes a grammar", mend=f"set remote.server to one of {kinds}"
            )
        return self._server

    def _models(self, until: float, stop: Stop | None) -> list[_Model]:
        answer = self._answered("/models", None, until, stop)
        try:
            return msgspec.json.decode(answer.body, type=_Models).data
        except (msgspec.DecodeError, RecursionError) as error:
            raise self._error(
                "the server does not list its models", mend="set remote.model and remote.server"
            ) from error

    def _only(self, models: list[_Model]) -> str:
        if len(models) == 1:
            return models[0].id
        names = self._clean(", ".join(model.id for model in models)) or "none"
        raise self._error("the server has not just one model", mend=f"set remote.model; it has {names}")

    def _answered(self, path: str, body: bytes | None, until: float, stop: Stop | None) -> Answer:
        """The answer to a request that went well; asks again where the server is only busy or out of reach for a moment."""
        for attempt in range(1, _ATTEMPTS + 1):
            last = attempt == _ATTEMPTS
            pause = _PAUSE * 2 ** (attempt - 1) * random.uniform(1, 1.5)  # noqa: S311  (so that many do not come at once)
            try:
                answer = self._exchanged(path, body, until, stop)
            except UnansweredError as error:
                if last or not error.passing or time.monotonic() + pause > until:
                    raise self._unanswered(error) from error
            else:
                if answer.status == 200 and answer.whole:
                    return answer
                pause = max(pause, _asked_to_wait(answer))
                if last or not _may_pass(answer) or time.monotonic() + pause > until:
                    raise self._refused(answer)
            _wait(pause, stop)
        raise AssertionError

    def _exchanged(self, path: str, body: bytes | None, until: float, stop: Stop | None) -> Answer:
        left = until - time.monotonic()
        if left <= 0:
            raise LateError
        return exchange(self._to, path, self._headers, body, seconds=left, stop=stop)

    def _unanswered(self, error: UnansweredError) -> ModelError:
        if isinstance(error, LateError):
            return self._error(f"no answer within {self._seconds:g} s", mend="raise remote.timeout")
        mend = "is it running, and is `model` its address?"
        return self._error(f"the server does not answer: {error.reason}", mend=mend)

    def _refused(self, answer: Answer) -> ModelError:
        status = answer.status
        said = self._said(answer)
        if status == 200:
            return self._error(f"the answer is longer than {MOST >> 20} MiB")
        if 300 <= status < 400:
            return self._error(
                f"the server redirects to {_target(answer)}; nothing is sent there",
                mend="if that is right, set `model` to it",
            )
        if status in (401, 403):
            return self._error(
                f"the server refuses the key ({status}){said}",
                mend="name the environment variable that holds it by remote.key",
            )
        if status == 404:
            return self._error(
                f"there is no such model, or nothing that completes text (404){said}",
                mend="correct `model`, which usually ends with /v1, or remote.model",
            )
        if status == _BUSY or status >= 500:
            return self._error(f"the server is busy or broken ({status}){said}", mend="try again later")
        return self._error(
            f"the server refuses the request ({status}){said}",
            mend="see remote.server, remote.model and remote.context",
        )

    def _said(self, answer: Answer) -> str:
        """The server's own words, as far as there are any."""
        try:
            found = msgspec.json.decode(answer.body, type=_Complaint)
        except (msgspec.DecodeError, RecursionError):
            return ""
        words: object = found.error or found.message or found.detail
        if isinstance(words, dict):
            words = words.get("message")
        return f": {self._clean(words)}" if isinstance(words, str) and words else ""

    def _clean(self, words: str) -> str:
        """Somebody else's words in a message of ours: in one line, not long, and without what is secret."""
        for secret in self._secrets:
            words = words.replace(secret, "***")
        line = "".join(char if char.isprintable() else " " for char in words[: 4 * _SHOWN])
        line = " ".join(line.split())
        return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"

    def _error(
        self, message: str, *, mend: str = "is `model` the address of a model's server?"
    ) -> ModelError:
        return ModelError(message, place=self.name, mend=mend)


def _headers(key: str, user: str, shown: str) -> dict[str, str]:
    """Raises ModelError where a secret can't be sent; it is not repeated."""
    secret = f"Bearer {key}" if key else f"Basic {_encoded(user)}" if user else ""
    if not (secret.isascii() and secret.isprintable()):
        mend = "it must be printable ASCII without a line's end"
        raise ModelError("the key that remote.key names can't be sent", place=shown, mend=mend)
    headers = {"Content-Type": "application/json", "User-Agent": "gproj-lsp"}
    return {**headers, "Authorization": secret} if secret else headers


def _secrets(key: str, to: Address) -> tuple[str, ...]:
    """What no message may hold, longest first; what is shorter than four characters hides nothing and would garble words."""
    values = (value for _, value in parse_qsl(to.query))
    found = {key, to.query, to.user, _encoded(to.user), *to.user.split(":"), *values}
    return tuple(sorted((secret for secret in found if len(secret) > 3), key=len, reverse=True))


def _encoded(user: str) -> str:
    return b64encode(user.encode()).decode()


def _may_pass(answer: Answer) -> bool:
    return answer.status == _BUSY or answer.status >= 500


def _asked_to_wait(answer: Answer) -> float:
    """Seconds that a server wants to be left alone."""
    said = answer.headers.get("retry-after", "")
    return float(said) if said.isascii() and said.isdigit() and len(said) < 6 else 0.0


def _target(answer: Answer) -> str:
    """Where a redirect leads, without what may be secret."""
    try:
        return str(address(answer.headers.get("location", "")))
    except ModelError:
        return "another place"


def _wait(seconds: float, stop: Stop | None) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if stop and stop():
            raise Cancelled("decoding was cancelled")
        time.sleep(min(left, 0.02))
