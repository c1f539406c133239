"""A story for a test. Both need ``@pytest.mark.service("git")``; the environment leads to it while the test runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.template import Template

if TYPE_CHECKING:
    from support.stage import Story


@pytest.fixture(scope="session")
def _tale(tmp_path_factory: pytest.TempPathFactory) -> tuple[Story, Template]:
    """One that is told once, because that takes a second or two, and put back for each test."""
    from support.stage import story

    place = tmp_path_factory.mktemp("own")
    told = story(place / "story")
    return told, Template(place / "kept", place / "story")


@pytest.fixture
def own_story(_tale: tuple[Story, Template], monkeypatch: pytest.MonkeyPatch) -> Story:
    """One of the test's own, to change."""
    staged, template = _tale
    template.reset()
    return _entered(staged, monkeypatch)


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
