"""A world, and the desk of a face that looks at it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.agent import World
from takeback import locate
from takeback.views.desk import Desk


@pytest.fixture
def desk(world: World) -> Iterator[Desk]:
    """Of a world with one snapshot, of the file ``a.txt``."""
    world.write("a.txt", "one\n")
    world.line.save("start")
    with Desk(locate.place(str(world.root), store=str(world.store_path))) as desk:
        yield desk
