"""How entries are added to, found in and taken out of a text, for each kind of configuration.

A format is a module with the functions of `Format`, and ``EMPTY``: the text of a new file before anything is added.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from takeback.adapters.install.agent import Edited, Entry, Found, Key, Ours, Stripped


class Format(Protocol):
    EMPTY: str

    def find(self, text: str, ours: Ours) -> list[Found]: ...

    def is_complete(self, text: str, ours: Ours, entries: Sequence[Entry]) -> bool: ...

    def add(self, text: str, entries: Sequence[Entry]) -> Edited: ...

    def strip(self, text: str, ours: Ours, made: Sequence[Key] | None) -> Stripped: ...

    def value_without(self, text: str, ours: Ours) -> Any: ...


def format_named(name: str) -> Format:
    return cast(Format, import_module(f"takeback.adapters.install.formats.{name}"))
