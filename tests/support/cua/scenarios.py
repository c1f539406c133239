"""Scenarios of a real agent, played for tests: a server with the agent's own Python, because importing the agent takes seconds.

Each connection has a process of its own, forked when everything is imported; its first line is `READY`. Each line that it gets is one
scenario, ``{"scenario": "acts", "container": NAME, "store": DIRECTORY, "engine": ADDRESS}``; the answer is a line with what the
agent said, what it raised, and the snapshots that there are then. The server ends when the last connection is closed.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import IO, Any

from support.cua.offline import Computer, Script, Tool, agent, called, clicked, pressed, said, typed
from takeback.adapters.cua import (
    DockerSnapshotProvider,
    SnapshotCallback,
    SnapshotConfig,
    SnapshotManager,
    SnapshotTrigger,
)

PATIENCE = 90.0
READY = "ready"
_A_MOMENT = 0.2
ALL = ["manual", "run_start", "run_end", "before_action", "after_action", "on_error"]
Scenario = Callable[["World"], Coroutine[Any, Any, None]]


class World:
    """A container, a store, and what the agent said."""

    def __init__(self, container: str, store: str) -> None:
        self.container, self.store = container, store
        self.said: list[Any] = []
        self.told: dict[str, Any] = {}

    def callback(self, triggers: list[str] | None = None, **more: Any) -> SnapshotCallback:
        named = {key: more.pop(key) for key in ("container_resolver", "container") if key in more}
        wanted = [SnapshotTrigger(each) for each in triggers or ALL]
        config = SnapshotConfig(triggers=wanted, storage_path=self.store, max_snapshots_per_container=50, **more)
        return SnapshotCallback(config=config, **named)

    async def run(self, callback: SnapshotCallback, task: str, script: Script, **more: Any) -> None:
        computer = more.pop("computer", None) or Computer(self.container)
        running = agent(computer, [callback], script, more.pop("tools", ()))
        async for result in running.run(task, **more):
            self.said += result["output"]

    async def until(self, callback: SnapshotCallback, trigger: str) -> None:
        """Wait for a snapshot that nobody tells of."""
        async with asyncio.timeout(PATIENCE):
            while not any(each.trigger == trigger for each in await callback.snapshot_manager.list_snapshots()):
                await asyncio.sleep(0.02)

    async def report(self) -> dict[str, Any]:
        manager = SnapshotManager(config=SnapshotConfig(storage_path=self.store))
        found = await manager.list_snapshots()
        messages = {each.snapshot_id: await manager.get_messages(each.snapshot_id) for each in found}
        manager.storage.close()
        listed = [{**each.model_dump("json"), "messages": messages[each.snapshot_id]} for each in reversed(found)]
        return {"snapshots": listed, "said": self.said, **self.told}


async def acts(world: World) -> None:
    """Types twice, presses a key that there is not, calls a function, and is done."""
    script = [[typed("echo one > /one")], [typed("echo two > /two")], [pressed()], [called("note")], [said("done")]]
    callback = world.callback()
    await world.run(callback, "make two files", script, tools=[Tool(lambda: "noted")])
    world.told["after"] = {**callback.get_current_context(), "snapshot_config": None}


async def twice(world: World) -> None:
    """Two runs, with what is made by default; something goes on in the container between two actions."""
    callback = world.callback(["run_start", "run_end"])
    await world.run(callback, "first", [[typed("echo first > /file")]])
    await world.run(callback, "second", [[typed("echo second > /file")], [typed("mkdir /more")]])


async def between(world: World) -> None:
    """Something that an action started ends after the action, and before the next."""
    callback = world.callback()

    def later() -> str:
        container = Computer(world.container)._container
        assert container.exec_run(["sh", "-c", "echo late > /late"])[0] == 0
        return "noted"

    class Late(SnapshotCallback):
        async def on_llm_start(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
            await asyncio.to_thread(later)
            return await super().on_llm_start(messages)

    late = Late(callback.snapshot_manager)
    await world.run(late, "start something", [[typed("echo soon > /soon")], [typed("true")]])


async def leaves(world: World) -> None:
    """Whoever listens stops listening after the first word."""
    callback = world.callback()
    running = agent(Computer(world.container), [callback], [[typed("echo one > /one")]])
    async for result in running.run("start something"):
        world.said += result["output"]
        break
    await world.until(callback, "on_error")


async def raises(world: World) -> None:
    """An action raises, and the program with it."""
    await world.run(world.callback(), "click somewhere", [[typed("echo one > /one")], [clicked()]])


async def begins_again(world: World) -> None:
    """A run that is held and never gone on with; then another with the same callback."""
    callback = world.callback()
    held = agent(Computer(world.container), [callback], [[typed("echo one > /one")]]).run("held")
    world.said.append(await anext(held))
    await world.run(callback, "another", [[typed("echo two > /two")]])
    await held.aclose()


async def periodically(world: World) -> None:
    """A long action, during which nothing else is told."""
    callback = world.callback(["run_start", "run_end", "periodic"], periodic_interval_seconds=0.1)

    class Waits(SnapshotCallback):
        async def on_computer_call_end(self, item: dict[str, Any], result: list[dict[str, Any]]) -> None:
            await world.until(callback, "periodic")

    await world.run(Waits(callback.snapshot_manager), "wait", [[typed("echo one > /one")]])


async def by_hand(world: World) -> None:
    """In the middle of a run a snapshot is asked for, and afterwards the latest is restored beside it."""
    callback = world.callback(["run_start", "run_end"])

    class Asks(SnapshotCallback):
        async def on_function_call_start(self, item: dict[str, Any]) -> None:
            world.told["manual"] = await self.create_manual_snapshot("by hand")
            world.told["context"] = {**self.get_current_context(), "snapshot_config": None}

    asks = Asks(callback.snapshot_manager)
    script = [[typed("echo one > /one")], [called("note")]]
    await world.run(asks, "note it", script, tools=[Tool(lambda: "noted")], run_id="my-run")
    world.told["restored"] = await asks.restore_latest_snapshot("again")
    await asks.close()


async def without_docker(world: World) -> None:
    """The engine is away for the callback: the agent goes on."""
    import docker

    away = docker.APIClient(base_url="unix:///nowhere/docker.sock", version="1.41")
    manager = SnapshotManager(DockerSnapshotProvider(away), config=SnapshotConfig(storage_path=world.store))
    await world.run(SnapshotCallback(manager), "carry on", [[typed("echo one > /one")], [said("done")]])


async def without_container(world: World) -> None:
    """A computer that says nothing of a container."""
    computer = Computer(world.container)
    plain = dict(computer)
    await world.run(world.callback(), "carry on", [[typed("echo one > /one")], [said("done")]], computer=plain)


async def with_resolver(world: World) -> None:
    """The container is told by a function, and by a name."""
    asked: list[Any] = []

    async def resolve(kwargs: dict[str, Any]) -> str:
        asked.append(kwargs["model"])
        return world.container

    plain = dict(Computer(world.container))
    await world.run(world.callback(["run_start"], container_resolver=resolve), "one", [], computer=plain)
    await world.run(world.callback(["run_start"], container=world.container), "two", [], computer=plain)
    world.told["asked"] = len(asked)


async def dies(world: World) -> None:
    """The process ends at once, in the middle of an action."""
    await world.run(world.callback(), "never ends", [[called("note")]], tools=[Tool(lambda: os._exit(9))])


def play(connection: IO[str]) -> None:
    """Play what a test asks for until it closes the connection."""
    print(READY, file=connection, flush=True)
    for line in connection:
        asked = json.loads(line)
        os.environ |= {"DOCKER_HOST": asked["engine"], "TAKEBACK_PAUSED": f"{asked['temporary']}/paused"}
        tempfile.tempdir = asked["temporary"]
        world = World(asked["container"], asked["store"])
        work: Scenario = globals()[asked["scenario"]]
        raised = None
        try:
            asyncio.run(work(world))
        except Exception as error:
            raised = repr(error)
        answer = {**asyncio.run(world.report()), "raised": raised}
        print(json.dumps(answer), file=connection, flush=True)


def main(address: str) -> None:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen()
    listener.settimeout(_A_MOMENT)
    players: set[int] = set()
    until = time.monotonic() + PATIENCE
    while players or time.monotonic() < until:
        with suppress(TimeoutError):
            connection, _ = listener.accept()
            if not (player := os.fork()):
                listener.close()
                connection.setblocking(True)
                play(connection.makefile("rw"))
                os._exit(0)
            players.add(player)
            until = 0.0
            connection.close()
        players -= {player for player in players if os.waitpid(player, os.WNOHANG)[0]}


if __name__ == "__main__":
    main(sys.argv[1])
