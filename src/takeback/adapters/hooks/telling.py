"""What is recorded of a prompt or a tool call: enough to recognise it, however long it was, and no secret that shows as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_TITLE = 100
_PROMPT = 1000
_VALUE = 400
_VALUES = 8
_MANY = 100
_NUMBER = 1 << 53
"""What is beyond, or no number at all, is not what JSON's readers agree about."""
_CONTENTS = frozenset("content contents new_string old_string newString oldString file_text edits text patch".split())


def title_of(prompt: str) -> str:
    """The first line of a prompt that says something; of a notice that Claude Code gives itself, what it is about."""
    if prompt.startswith("<task-notification>"):
        prompt = prompt.partition("<summary>")[2].partition("</summary>")[0] or prompt
    first = next((line for line in prompt[: 10 * _PROMPT].splitlines() if line.strip()), "")
    return shortened(" ".join(first.split()), _TITLE)


def prompt_of(prompt: str) -> str:
    return shortened(prompt, _PROMPT)


def call_of(tool: str, input: Mapping[str, Any], paths: Sequence[str], root: str) -> str:
    """A tool call in a line: what it writes, or what it runs."""
    if paths:
        inside = [path.removeprefix(f"{root}/") for path in paths]
        more = f" and {len(inside) - 1} more" if len(inside) > 1 else ""
        return shortened(f"{tool}: {inside[0]}{more}", _TITLE)
    for key in ("command", "cmd", "description"):
        value = input.get(key)
        if isinstance(value, list):
            value = " ".join(each for each in value[:_VALUES] if isinstance(each, str))
        if isinstance(value, str) and value.strip():
            return shortened(f"{tool}: {title_of(mask(value[: 10 * _PROMPT]))}", _TITLE)
    return shortened(tool, _TITLE)


def input_of(input: Mapping[str, Any]) -> dict[str, Any]:
    """A tool's input with long values cut, and only the first of many. What is written into files is in the files."""
    return {
        str(key)[:_TITLE]: _size_of(value) if key in _CONTENTS or _is_patch(value) else _small(value)
        for key, value in list(input.items())[:_VALUES]
    }


def _is_patch(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip().startswith("*** Begin Patch")


def _size_of(value: Any) -> str:
    return f"({len(value):,} characters)" if isinstance(value, str) else "(…)"


def _small(value: Any) -> Any:
    if isinstance(value, str):
        return shortened(mask(value[: 10 * _VALUE]), _VALUE)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value if -_NUMBER < value < _NUMBER else shortened(str(value), _VALUE)
    if not isinstance(value, list | dict) or len(value) >= _MANY:
        return "…"
    try:
        return shortened(str(value), _VALUE)
    except RecursionError:
        return "…"


def mask(text: str) -> str:
    """A text without what shows as a secret."""
    from takeback.adapters.hooks.effects import showing  # prompts do not need it

    return showing.mask(text)


def shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
