"""``store.json``: what a store says about itself. It is written last when a store is made, and never changed."""

from __future__ import annotations

import os
import time
from typing import Any, NamedTuple

from takeback.errors import Integrity, Unavailable
from takeback.store.durable import NotPlain, read_plain_file

FORMAT = 1
NAME = "store.json"
_LIMIT = 64 << 10


class Header(NamedTuple):
    id: str
    chunker_seed: int
    created_ns: int
    key: None = None
    """How the key is wrapped; None in a store that is not encrypted."""


def new_header() -> Header:
    return Header(os.urandom(16).hex(), int.from_bytes(os.urandom(8), "little") >> 1, time.time_ns())


def encode_header(header: Header) -> bytes:
    import json

    value = {
        "format": FORMAT,
        "id": header.id,
        "chunker_seed": header.chunker_seed,
        "created_ns": header.created_ns,
        "key": header.key,
    }
    return json.dumps(value, indent=2).encode() + b"\n"


def decode_header(data: bytes, where: str) -> Header:
    """What `encode_header` wrote; Integrity for other bytes, Unavailable for a store of a later format."""
    from takeback.model.jsontext import parse_json

    try:
        value = parse_json(data, NAME)
    except Integrity as error:
        raise _damaged(where, "it is not JSON") from error
    number = value.get("format") if isinstance(value, dict) else None
    if type(number) is not int or number < 1:
        raise _damaged(where, "it names no format")
    if number > FORMAT:
        raise Unavailable(
            f"the store at {where} was written by a newer takeback (format {number}; this one reads up to {FORMAT}).",
            hints=["upgrade takeback: pip install --upgrade takeback"],
        )
    return _checked(value, where)


def _checked(value: dict[str, Any], where: str) -> Header:
    id, seed, created = value.get("id"), value.get("chunker_seed"), value.get("created_ns")
    if not isinstance(id, str) or len(id) != 32 or not set(id) <= set("0123456789abcdef"):
        raise _damaged(where, "its id is not one")
    if type(seed) is not int or not 0 <= seed < 1 << 63 or type(created) is not int:
        raise _damaged(where, "a field is missing or wrong")
    if value.get("key") is not None:
        raise Unavailable(
            f"the store at {where} is encrypted, which this takeback cannot read.", hints=["upgrade takeback"]
        )
    return Header(id, seed, created)


def read_header(directory: str) -> Header:
    """FileNotFoundError if there is none."""
    try:
        data = read_plain_file(os.path.join(directory, NAME), _LIMIT)
    except NotPlain as error:
        raise _damaged(directory, "it is no file of its own, or a giant one") from error
    return decode_header(data, directory)


def _damaged(where: str, why: str) -> Integrity:
    return Integrity(
        f"{where}/{NAME} is damaged: {why}.",
        hints=["`takeback store repair` shows what can be brought back, and does it"],
    )
