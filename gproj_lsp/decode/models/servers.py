"""How servers take a grammar: OpenAI's protocol has no field for one, so each put it somewhere of its own."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SERVERS", "Server", "server_of"]


@dataclass(frozen=True)
class Server:
    """One kind of server.

    Attributes:
        name: As the setting `remote.server` names it.
        field: Where in a completion request the grammar goes, outermost key first.
        owners: What it says in `owned_by` of the models it lists.
        beside: What must stand beside the grammar.
    """

    name: str
    field: tuple[str, ...]
    owners: frozenset[str] = frozenset()
    beside: tuple[tuple[str, str], ...] = ()

    def placed(self, gbnf: str) -> dict[str, object]:
        """The part of a request that holds the grammar."""
        *outer, last = self.field
        found: dict[str, object] = {**dict(self.beside), last: gbnf}
        for key in reversed(outer):
            found = {key: found}
        return found


SERVERS = (
    # llama-server says "llamacpp", the server of llama-cpp-python "me".
    Server("llama.cpp", ("grammar",), frozenset({"llamacpp", "me"})),
    Server("vllm", ("structured_outputs", "grammar"), frozenset({"vllm"})),
    Server("vllm-before-0.12", ("guided_grammar",)),
    Server("sglang", ("ebnf",), frozenset({"sglang"})),
    Server("fireworks", ("response_format", "grammar"), frozenset({"fireworks"}), (("type", "grammar"),)),
)
"""Every kind that is known.

Sources: llama.cpp tools/server/README; vLLM "Structured Outputs", which tells what was removed in 0.12; SGLang "Structured
Outputs"; Fireworks "Grammar-based structured output".
"""


def server_of(name: str = "", *, owner: str = "") -> Server | None:
    """The kind of a name, or of what a server says of its models; None where neither is known."""
    return next((server for server in SERVERS if server.name == name or owner in server.owners), None)
