"""What stands in for what is not there: a hole where something could not be held, a record where a class is not known."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

Allowed = bool | Sequence[str]
"""Where holes may be: nowhere, anywhere, or at paths like ``agent.client`` and ``agent.tools[*].client``."""


class Hole:
    """Something that was not captured; ``type`` says what it was."""

    __slots__ = ("type",)

    def __init__(self, type: str) -> None:
        self.type = type

    def __repr__(self) -> str:
        return f"<not captured: {self.type}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hole) and other.type == self.type

    def __hash__(self) -> int:
        return hash((Hole, self.type))


class Record:
    """An object whose class is not at hand: the class's name, the attributes, and the content of what it extends."""

    __slots__ = ("content", "fields", "type")

    def __init__(self, type: str, fields: Mapping[str, Any], content: Any = None) -> None:
        self.type, self.fields, self.content = type, dict(fields), content

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.fields.items())
        return f"{self.type.rpartition(':')[2]}({inside})"


class Places:
    """Whether a path is one of those that are allowed."""

    def __init__(self, allowed: Allowed) -> None:
        if isinstance(allowed, str):
            allowed = [allowed]
        self._all = allowed if isinstance(allowed, bool) else False
        patterns = [] if isinstance(allowed, bool) else [re.escape(each).replace(r"\*", ".*") for each in allowed]
        self._some = re.compile("|".join(patterns)) if patterns else None

    def __contains__(self, path: object) -> bool:
        return self._all or (
            self._some is not None and isinstance(path, str) and self._some.fullmatch(path) is not None
        )
