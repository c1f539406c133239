"""A story for a test. Both need ``@pytest.mark.service("git")``; the environment leads to it while the test runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.stage import Story


@pytest.fixture
def own_story(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Story:
    """One of the test's own, to change; telling it takes a second or two."""
    from support.stage import story

    return _entered(story(tmp_path / "story"), monkeypatch)


@pytest.fixture(scope="session")
def _told(tmp_path_factory: pytest.TempPathFactory) -> Story:
    from support.stage import story

    return story(tmp_path_factory.mktemp("told") / "story")


@pytest.fixture
def told_story(_told: Story, monkeypatch: pytest.MonkeyPatch) -> Story:
    """The one that all tests of a worker share: to look at, never to change."""
    return _entered(_told, monkeypatch)


def _entered(staged: Story, monkeypatch: pytest.MonkeyPatch) -> Story:
    for name, value in staged.env.items():
        monkeypatch.setenv(name, value)
    return staged
