"""What LangGraph's names become: a thread's timeline, and the label by which a checkpoint's snapshot is found.

Names come from callers and may hold anything, so they are quoted as in an address; the usual ones stay as they are. ``@``
stays too: an import that diverged lies beside the thread ``T`` as ``T@…``, and can be read as a thread of that name.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import quote, unquote

PREFIX = "langgraph/"
CHECKPOINT = "checkpoint "
"""The label of the newest snapshot of a checkpoint begins so."""
WRITES = "writes "
"""And that of writes whose checkpoint has not been put yet."""


_USUAL = re.compile(r"[A-Za-z0-9_.@:|-]*").fullmatch


class Key(NamedTuple):
    """A checkpoint of a thread."""

    namespace: str
    id: str


def timeline_name(thread: str) -> str:
    return PREFIX + _quoted(thread)


def thread_of(timeline: str) -> str | None:
    """The thread whose timeline this is; None if it is nobody's."""
    if not timeline.startswith(PREFIX):
        return None
    return unquote(timeline[len(PREFIX) :], errors="surrogatepass")


def label(kind: str, key: Key) -> str:
    space = f" {_quoted(key.namespace)}" if key.namespace else ""
    return f"{kind}{_quoted(key.id)}{space}"


def key_of(kind: str, name: str) -> Key:
    """The checkpoint that a label names, unless it is a person's: only the snapshot itself can tell."""
    id, _, namespace = name[len(kind) :].partition(" ")
    if "%" not in name:
        return Key(namespace, id)
    return Key(unquote(namespace, errors="surrogatepass"), unquote(id, errors="surrogatepass"))


def _quoted(text: str) -> str:
    if _USUAL(text):
        return text
    return quote(text, safe="@:|", errors="surrogatepass")
