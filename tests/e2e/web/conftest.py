"""One shop, one server and one browser for the tests of a worker: each leaves the shop's files as it found them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from support.browser import Windows
from support.pageview import Page
from support.serving import Served, serving
from support.stage import Story, story


@dataclass(frozen=True)
class Shop:
    story: Story
    served: Served


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    staged = story(tmp_path_factory.mktemp("shop") / "story")
    with serving(staged.root, staged.env) as served:
        yield Shop(staged, served)


@pytest.fixture
def page(shop: Shop, windows: Windows) -> Page:
    """The timeline, in a window of the test's own."""
    return Page(windows(viewport={"width": 1280, "height": 800}), shop.served).opened()
