"""The pictures in README are made by a script, and can be made again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

from support.stage import shots

pytestmark = [pytest.mark.service("chromium"), pytest.mark.service("git")]

ROOT = Path(__file__).resolve().parents[2]
MOST = 300 * 1024
COLOURS = 40
"""A picture of something has more."""


def sizes(directory: Path) -> dict[str, tuple[int, int]]:
    found = {}
    for path in directory.glob("*.png"):
        with Image.open(path) as picture:
            assert len(picture.convert("RGB").getcolors(1 << 24) or ()) > COLOURS, f"{path.name} shows nothing"
            found[path.name] = picture.size
        assert path.stat().st_size < MOST, f"{path.name} is too large for a page"
    return found


def test_the_script_makes_the_pictures_that_the_pages_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here not as sharp as there, because that takes four times as long."""
    sharp = shots.SHARPNESS
    monkeypatch.setattr(shots, "SHARPNESS", 1)
    made = {path.name for path in shots.shoot(tmp_path / "images", stage=tmp_path / "robin")}
    new, kept = sizes(tmp_path / "images"), sizes(ROOT / "docs/images")
    assert new.keys() == made
    sharper = {name: (sharp * width, sharp * height) for name, (width, height) in new.items()}
    assert sharper == kept, "scripts/screenshots makes them anew"
    for name in made:
        if name.startswith("web-"):
            width, height = shots.PHONE if "phone" in name else shots.WINDOW
            assert new[name] == (width, height)


@pytest.mark.parametrize("page", ["README.md", "docs/ui.md", "docs/web.md"])
def test_every_picture_of_a_page_is_there(page: str) -> None:
    path = ROOT / page
    shown = re.findall(r"(?:src=\"|\]\()([^\")]+\.png)", path.read_text()) if path.exists() else []
    assert shown or page != "README.md"
    assert not [each for each in shown if not (path.parent / each).is_file()]
