"""Plain data, as JSON has it: what frameworks store, and what comes back without any class being allowed to."""

from __future__ import annotations

from typing import Any

from takeback.errors import InvalidInput


def plain(value: Any, path: str) -> Any:
    """A copy; InvalidInput, with the path to it, for anything else: it could not be read again."""
    kind = type(value)
    if value is None or kind in (str, int, float, bool):
        return value
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise InvalidInput(f"{path} has the key {key!r}, and plain data has only text for keys")
        return {plain(key, path): plain(each, f"{path}.{key}") for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each, f"{path}[{number}]") for number, each in enumerate(value)]
    if isinstance(value, str):
        return str.__str__(value)  # an enum's word, for one
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    raise InvalidInput(
        f"{path} is a {kind.__module__}.{kind.__qualname__}, which is no plain data",
        hints=["hand over what JSON can hold: dict, list, str, int, float, bool, None"],
    )


def copied(value: Any) -> Any:
    """A copy of what was plain on its way in: whoever gets it may change it."""
    if type(value) is dict:
        return {key: copied(each) for key, each in value.items()}
    if type(value) is list:
        return [copied(each) for each in value]
    return value
