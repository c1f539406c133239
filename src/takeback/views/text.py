"""Text for people: nothing that could move a cursor or hide something, short enough to fit, and times as we say them."""

from __future__ import annotations

import time
import unicodedata

WIDTH = 80
"""Columns that output for people fits into, unless a name alone is longer."""

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def visible(text: str, keep: str = "") -> str:
    """The text with everything that a terminal could obey, or not show, written as an escape."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        each if each in keep or unicodedata.category(each) not in _HIDDEN else _escape(each) for each in text
    )


def _escape(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"  # a byte of a name that is not UTF-8
    if code < 0x100:
        return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(character) or f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def columns(text: str) -> int:
    """How wide a visible text is."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text
    )


def clip(text: str, width: int) -> str:
    """The visible form of a text, cut to a width."""
    text = visible(" ".join(text.split()))
    if columns(text) <= width:
        return text
    while text and columns(text) > width - 1:
        text = text[:-1]
    return text.rstrip() + "…"


def pad(text: str, width: int) -> str:
    return text + " " * max(0, width - columns(text))


def count(number: int, noun: str, plural: str = "") -> str:
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def age(time_ns: int, now_ns: int | None = None) -> str:
    """How long ago: ``12 s ago``, ``3 h ago``, then the date."""
    seconds = ((now_ns if now_ns is not None else time.time_ns()) - time_ns) / 1e9
    if seconds < -1:
        return time.strftime("%Y-%m-%d", time.localtime(time_ns / 1e9))
    if seconds < 1:
        return "just now"
    for limit, unit, name in ((_MINUTE, 1, "s"), (_HOUR, _MINUTE, "min"), (_DAY, _HOUR, "h"), (14 * _DAY, _DAY, "d")):
        if seconds < limit:
            return f"{int(seconds // unit)} {name} ago"
    return time.strftime("%Y-%m-%d", time.localtime(time_ns / 1e9))


def moment(time_ns: int, now_ns: int | None = None) -> str:
    """When exactly: ``14:03:22`` today, before that with the date."""
    then, now = (time.localtime(each / 1e9) for each in (time_ns, now_ns if now_ns is not None else time.time_ns()))
    return time.strftime("%H:%M:%S" if then[:3] == now[:3] else "%Y-%m-%d %H:%M:%S", then)
