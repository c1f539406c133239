"""A state that is one string holding the JSON text, as LangChain's `dumps` makes it: some files have that."""

from __future__ import annotations

import json
from typing import Any


def unpacked(state: Any) -> Any:
    """What the text says, if it is LangChain's; else the state as it is. Never asked of a file that takeback wrote."""
    if not isinstance(state, str) or '"lc"' not in state:
        return state
    try:
        inner = json.loads(state)
    except (ValueError, RecursionError):
        return state
    return inner if isinstance(inner, dict) and inner.get("lc") == 1 else state
