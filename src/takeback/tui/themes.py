"""The two looks, for dark and for light terminals. What a colour means has a name of its own, which style.tcss and
`takeback.tui.showing` use; every one of them can be read on both backgrounds, which a test measures."""

from __future__ import annotations

import os
from collections.abc import Mapping

from textual.theme import Theme

MEANINGS = ("quiet", "rule", "plus", "minus", "id", "name", "label", "files", "memory", "container", "team")

DARK = Theme(
    name="takeback-dark",
    dark=True,
    primary="#7aa8ff",
    secondary="#c7a0ff",
    accent="#ffb454",
    warning="#ffb454",
    error="#ff7a88",
    success="#7edb95",
    foreground="#d9dce6",
    background="#10131a",
    surface="#161a23",
    panel="#1f2531",
    variables={
        "quiet": "#9aa3b5",
        "rule": "#2c3444",
        "selected": "#22314a",
        "selected-away": "#1d2430",
        "plus": "#7edb95",
        "minus": "#ff7a88",
        "id": "#e6c07b",
        "name": "#6fd3e0",
        "label": "#c7a0ff",
        "files": "#7aa8ff",
        "memory": "#e59bd4",
        "container": "#6fd3e0",
        "team": "#e6c07b",
        "block-cursor-text-style": "bold",
        "footer-key-foreground": "#ffb454",
    },
)

LIGHT = Theme(
    name="takeback-light",
    dark=False,
    primary="#1d55c4",
    secondary="#7530c9",
    accent="#a14a00",
    warning="#855600",
    error="#bb1e36",
    success="#13702f",
    foreground="#22252d",
    background="#fdfcf9",
    surface="#f5f3ee",
    panel="#e9e6de",
    variables={
        "quiet": "#585d69",
        "rule": "#d5d1c6",
        "selected": "#d3e1fb",
        "selected-away": "#ebe8e0",
        "plus": "#13702f",
        "minus": "#bb1e36",
        "id": "#7a5200",
        "name": "#006a78",
        "label": "#7530c9",
        "files": "#1d55c4",
        "memory": "#a2287f",
        "container": "#006a78",
        "team": "#7a5200",
        "block-cursor-text-style": "bold",
        "footer-key-foreground": "#a14a00",
    },
)

THEMES = (DARK, LIGHT)
_LIGHT_BACKGROUNDS = {"7", "15"}


def fitting(environment: Mapping[str, str] = os.environ) -> Theme:
    """The one for this terminal: dark, unless it says that its background is light (``COLORFGBG``, as many set it)."""
    return LIGHT if environment.get("COLORFGBG", "").rpartition(";")[2] in _LIGHT_BACKGROUNDS else DARK
