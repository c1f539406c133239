"""JSON that may have been written by an enemy: whatever is wrong with it is Integrity, and nothing else is raised."""

from __future__ import annotations

import json
from typing import Any

from takeback.errors import Integrity


def parse_json(data: bytes | str, what: str) -> Any:
    """The value of a stored text; ``what`` names it in the message."""
    try:
        return json.loads(data)
    except (ValueError, TypeError, RecursionError) as error:
        raise Integrity(f"{what} cannot be read: it is no JSON") from error


def parse_object(data: bytes | str, what: str) -> dict[str, Any]:
    """The same, where only an object makes sense."""
    value = parse_json(data, what)
    if not isinstance(value, dict):
        raise Integrity(f"{what} cannot be read: it is no object")
    return value
