"""Server-sent events, which all of the protocols stream their answers in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping


def data(*objects: Mapping[str, object]) -> bytes:
    """Events without a name."""
    return b"".join(b"data: " + json.dumps(item).encode() + b"\n\n" for item in objects)


def named(objects: Iterable[Mapping[str, object]]) -> bytes:
    """Events named for their ``type``."""
    return b"".join(f"event: {item['type']}\n".encode() + data(item) for item in objects)
