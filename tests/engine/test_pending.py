from __future__ import annotations

from support.agent import World
from support.owners import Owner


def test_undo_of_the_second_of_two_restores_still_asks_the_owner(world: World) -> None:
    world.write("a.txt", "1")
    owner = Owner(world)
    owner.turn("first", b"one")
    first = world.line.save()
    owner.turn("second", b"two")
    world.line.restore(first.id, only=["memory"])
    world.line.restore("root", only=["memory"])
    assert world.line.undo().pending == ("memory",)
    assert owner.recorded() == [b"one"] and owner.notes == [b"one", b"two"]
    owner.line.save()
    assert owner.notes == [b"one"]
