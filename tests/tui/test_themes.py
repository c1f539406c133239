from __future__ import annotations

import pytest
from textual.color import Color
from textual.theme import Theme

from takeback.tui.themes import DARK, LIGHT, MEANINGS, THEMES, fitting


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_every_meaning_can_be_read_on_every_ground(theme: Theme) -> None:
    grounds = [
        theme.background,
        theme.surface,
        theme.panel,
        theme.variables["selected"],
        theme.variables["selected-away"],
    ]
    inks = {name: theme.variables[name] for name in MEANINGS if name != "rule"}
    inks |= {
        name: getattr(theme, name)
        for name in ("foreground", "primary", "secondary", "accent", "warning", "error", "success")
    }
    for name, ink in inks.items():
        for ground in grounds:
            assert ground is not None
            assert _contrast(ink, ground) >= 4.5, (name, ink, ground)


def test_a_terminal_that_says_it_is_light_gets_the_light_one() -> None:
    assert fitting({"COLORFGBG": "0;15"}) is LIGHT
    assert fitting({"COLORFGBG": "15;0"}) is DARK
    assert fitting({"COLORFGBG": "0;default;15"}) is LIGHT
    assert fitting({}) is DARK


def _contrast(one: str, other: str) -> float:
    """As WCAG 2 defines it."""
    darker, lighter = sorted(_luminance(Color.parse(each)) for each in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Color) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (colour.r / 255, colour.g / 255, colour.b / 255)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
