"""The default serializer: LangGraph's own, with nothing that stored bytes could make it import or call.

LangGraph's default is permissive: a crafted msgpack extension names any function and has it called, and its older JSON
form revives whatever an ``lc`` dictionary names. Here only the types that LangGraph calls safe come back as what they
were (messages, documents, dates and the like), and those that the caller allows; of any other the plain data comes back,
and LangGraph logs which type to allow. JSON and pickle, which this saver never writes, are refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from takeback.errors import Integrity

_WRITTEN = frozenset({"null", "bytes", "bytearray", "msgpack"})


class StrictSerializer(JsonPlusSerializer):
    """`JsonPlusSerializer` for stores that may come from an enemy; ``allowed`` are classes, or pairs of module and name."""

    def __init__(self, allowed: Iterable[type | tuple[str, ...]] = ()) -> None:
        super().__init__(pickle_fallback=False, allowed_json_modules=None, allowed_msgpack_modules=tuple(allowed))

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        if data[0] not in _WRITTEN:
            raise Integrity(
                f"a checkpoint holds a value in the form {str(data[0])[:40]!r}, which is not read here",
                hints=["if it was written with a serializer of your own, give the saver the same: serde=…"],
            )
        return super().loads_typed(data)
