"""What is said to the person: a line that goes by itself, and an error with its hints. Never markup, never a traceback."""

from __future__ import annotations

from typing import Literal

from textual.dom import DOMNode

from takeback.errors import TakebackError
from takeback.views.text import visible

Severity = Literal["information", "warning", "error"]
_READING = 12.0
"""Characters that are read in a second, slowly."""
_LEAST = 4.0
"""Seconds for which even a word is to be seen."""


def say(node: DOMNode, text: str, *, title: str = "", severity: Severity = "information") -> None:
    """Say something. What was said before goes, so that nobody reads what does not hold any more."""
    app = node.app
    app.clear_notifications()
    seconds = max(_LEAST, len(text) / _READING)
    app.notify(visible(text, keep="\n"), title=visible(title), severity=severity, timeout=seconds, markup=False)


def tell(node: DOMNode, error: TakebackError) -> None:
    """Say what went wrong, and what can be done."""
    say(node, "\n".join([error.message, *(f"→ {hint}" for hint in error.hints)]), severity="error")


def refuse(node: DOMNode, why: str, *hints: str) -> None:
    """Say why a key does nothing now."""
    say(node, "\n".join([why, *(f"→ {hint}" for hint in hints)]), severity="warning")
