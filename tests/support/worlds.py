"""Worlds to work in. What a test leaves behind must verify, unless it damaged the store on purpose."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.agent import MakeWorld, World
from support.git import commit_all, init_repository


@pytest.fixture
def make_world(tmp_path: Path) -> Iterator[MakeWorld]:
    made: list[World] = []

    def make(**options: Any) -> World:
        base = tmp_path / f"world{len(made)}"
        base.mkdir()
        made.append(World(base, **options))
        return made[-1]

    yield make
    for world in made:
        if world.store_path.exists():
            assert not world.store.verify(read_data=True).problems


@pytest.fixture
def world(make_world: MakeWorld) -> World:
    return make_world()


@pytest.fixture
def repository(make_world: MakeWorld) -> World:
    """A world whose project is a git repository with one commit."""
    world = make_world()
    init_repository(world.root)
    world.write("README.md", "A project\n")
    commit_all(world.root)
    return world
