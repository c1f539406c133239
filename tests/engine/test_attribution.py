from __future__ import annotations

from support.agent import World


def test_undo_of_a_turn_keeps_the_restore_that_a_person_did_meanwhile(world: World) -> None:
    world.edit({"agent.txt": "before", "person.txt": "good"})
    good = world.line.save("good")
    world.write("person.txt", "bad")
    with world.line.turn("work"):
        world.write("agent.txt", "after")
        world.line.restore(good.id, paths=["person.txt"])
        world.write("new.txt", "of the agent")
    world.line.undo(world.move("work").id)
    assert world.files() == {"agent.txt": b"before", "person.txt": b"good"}
