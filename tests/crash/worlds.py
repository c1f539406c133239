"""The worlds that operations are tried in, each made in an empty directory."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path
from typing import Any

import takeback as tb
from support.agent import World
from support.hooks.voices import Call, ClaudeCode, Raw
from support.processes import KILLED, in_child
from support.scenes import BEFORE, turn
from support.stores import noise, pack_files
from support.trees import make_tree
from takeback.adapters.hooks.agents import AGENTS
from takeback.adapters.hooks.event import Event
from takeback.adapters.hooks.reading import read
from takeback.adapters.hooks.recording import record
from takeback.sources.workspace.place.entries import Entries

EXPORT, SECOND, ELSEWHERE = "export", "second store", "elsewhere"
SECRET = noise(1000, "a secret")
CALL = Call(command="make", id="call")


def no_store(base: Path) -> None:
    make_tree(base / "project", BEFORE)


def edited(base: Path) -> None:
    world = _saved(base)
    turn(world)
    world.store.close()


def after_a_turn(base: Path) -> None:
    world = _saved(base)
    with world.line.turn("work"):
        turn(world)
    world.line.label("@", "as the agent left it")
    world.store.close()


def undone(base: Path) -> None:
    after_a_turn(base)
    world = World(base)
    world.line.undo()
    world.store.close()


def undo_was_killed(base: Path) -> None:
    """In its middle: what had to go is gone, and what was changed is not yet back."""
    after_a_turn(base)

    def die(*_: Any, **__: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def undo() -> None:
        Entries.swap = die  # type: ignore[method-assign]
        World(base).line.undo()

    assert in_child(undo)[0] == KILLED


def prompted(base: Path) -> None:
    """An agent's turn has begun, and a person has edited since."""
    world = _saved(base)
    agent = hooked_agent(world)
    record(agent.agent, heard(agent, agent.prompt("fix")))
    turn(world)
    world.store.close()


def acting(base: Path) -> None:
    """An agent's command has run; that it ended has not been told."""
    world = _saved(base)
    agent = hooked_agent(world)
    record(agent.agent, heard(agent, agent.prompt("fix")))
    record(agent.agent, heard(agent, agent.before(CALL)))
    turn(world)
    world.store.close()


def hooked_agent(world: World) -> ClaudeCode:
    """An agent whose hooks save in a world, whoever's environment this process has."""
    os.environ |= {"TAKEBACK_STORE": str(world.store_path), "TAKEBACK_UPKEEP": "off"}
    return ClaudeCode("s", str(world.root), str(world.base / "home"))


def heard(agent: ClaudeCode, raws: list[Raw]) -> Event:
    event = read(AGENTS[agent.agent], raws[0])
    assert event is not None
    return event


def sealed(base: Path) -> None:
    """A turn changed what is in directories that nobody may write to."""
    world = World(base)
    make_tree(world.root, {"sealed/a": "1", "sealed/b": "1", "sealed/deep/c": "1", "other/d": "1"})
    with world.line.turn("work"):
        world.edit({"sealed/a": "2", "sealed/b": None, "sealed/deep/c": "2", "sealed/new/x": "2"})
        for path, mode in (("sealed/deep", 0o500), ("sealed", 0o555), ("other", 0o511)):
            world.chmod(path, mode)
    world.store.close()


def moved(base: Path) -> None:
    """The project was at another place when it was saved."""
    world = World(base, directory=ELSEWHERE)
    make_tree(world.root, BEFORE)
    world.line.save("before")
    world.turn("work", {"changed": "by the agent"})
    world.store.close()
    world.root.rename(base / "project")


def with_large_files(base: Path) -> None:
    world = _saved(base)
    world.write("large", noise(1_500_000, "chunked"))
    for number in range(3):
        world.write(f"noise {number}", noise(200_000, number))
    world.store.close()


def with_large_files_saved(base: Path) -> None:
    with_large_files(base)
    world = World(base)
    world.line.save()
    world.store.close()


def with_history(base: Path) -> None:
    """Packs and hot rows, of snapshots that go and of those that stay."""
    world = _saved(base)
    for number in range(5):
        world.write("own", noise(300_000, number))
        world.turn(f"turn {number}", {"a.txt": f"{number}\n"})
    world.line.pin("@-3")
    world.line.label("@-4", "to go")
    world.store.close()


def pruned(base: Path) -> None:
    with_history(base)
    world = World(base)
    world.store.prune(tb.Policy(keep_last=2))
    world.store.close()


def with_a_secret(base: Path) -> None:
    """In a pack, in hot rows, and no longer among the files."""
    world = World(base)
    world.write("kept", noise(300_000, "kept"))
    world.write("secret", SECRET)
    world.line.save()
    world.store.maintain()
    world.write("a.txt", "1\n")
    world.write("copy", SECRET)
    world.line.save()
    world.remove("secret")
    world.remove("copy")
    world.line.save()
    world.store.close()


def with_an_export(base: Path) -> None:
    """Of another root, whose store is gone."""
    _saved(base).store.close()
    root = base / ELSEWHERE
    with tb.open(base / "other") as store:
        for number in range(3):
            make_tree(root, {"a.txt": f"{number}\n".encode(), "own": noise(300_000, number)})
            store.timeline("main", sources=[tb.Workspace(root)]).save()
        store.export(base / EXPORT)
    shutil.rmtree(base / "other")


def without_catalogue(base: Path) -> None:
    with_history(base)
    world = World(base)
    world.store.maintain()
    world.store.close()
    for suffix in ("", "-wal", "-shm"):
        (base / f"store/catalogue.db{suffix}").unlink(missing_ok=True)


def with_a_torn_pack(base: Path) -> None:
    """The list of what it holds is damaged; the catalogue knows that, too."""
    with_history(base)
    file = max(pack_files(base / "store"), key=lambda file: file.stat().st_size)
    data = bytearray(file.read_bytes())
    data[-60] ^= 1
    file.chmod(0o600)
    file.write_bytes(data)
    file.chmod(0o400)


def _saved(base: Path) -> World:
    world = World(base)
    make_tree(world.root, BEFORE)
    world.line.save("before")
    return world
