"""A world with a history, and the app that looks at it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.agent import World
from support.tui import turn
from takeback import locate
from takeback.tui import telling
from takeback.tui.app import TakebackApp
from takeback.views.desk import Desk


@pytest.fixture(autouse=True)
def _said_until_something_else_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it takes a test to look."""
    monkeypatch.setattr(telling, "_LEAST", 3600.0)


@pytest.fixture
def desk(world: World) -> Iterator[Desk]:
    """Of a world with three turns after the first snapshot; ``notes.txt`` is a person's and not saved yet."""
    world.write("a.txt", "one\n")
    world.line.save("start")
    for number, title in enumerate(("first turn", "second turn", "third turn")):
        turn(world, title, {"a.txt": f"{number}\n", f"{number}.py": "x = 1\ny = 2\n"})
    world.write("notes.txt", "mine\n")
    with Desk(locate.place(str(world.root), store=str(world.store_path))) as desk:
        yield desk


@pytest.fixture
def start(world: World) -> Iterator[Desk]:
    """Of a world with one snapshot, ``start``, of the file ``a.txt``."""
    world.write("a.txt", "one\n")
    world.line.save("start")
    with Desk(locate.place(str(world.root), store=str(world.store_path))) as desk:
        yield desk


@pytest.fixture
def app(desk: Desk) -> TakebackApp:
    return TakebackApp(desk)
