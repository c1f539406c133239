"""Whatever fails at whatever point of a hook's work: the agent is answered as if all were well, and the next event of the
session is recorded."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from crash import worlds
from support import campaigns, counts, faults
from support.agent import World
from support.faults import Fault, Point
from support.faults.zygote import Zygote
from support.hooks.voices import Call
from support.template import Template
from takeback.adapters.hooks.receiving import Outcome, receive
from takeback.store import notices

RUNS = 6
"""How many `make test` makes."""
BAD = (Fault.FAIL, Fault.BREAK, Fault.FILL, Fault.TEAR)


def answer(base: Path, fault: Fault | None, at: int) -> tuple[Outcome, list[Point]]:
    """The end of a turn, recorded by this very process, because no other can be made."""

    def refuse() -> int:
        raise BlockingIOError("no more processes")

    agent = worlds.hooked_agent(World(base, opened=False))
    notices.gettempdir = lambda: str(base / "spare")  # type: ignore[attr-defined]
    os.fork = refuse
    data = json.dumps(agent.stop()[0]).encode()
    faults.arm(base, fault, at)
    try:
        outcome = receive(agent.agent, data)
    finally:
        faults.disarm()
    return outcome, faults.points()


def go_on(base: Path) -> str:
    """What is wrong with the next turn."""
    world = World(base, opened=False)
    agent = worlds.hooked_agent(world)
    call = Call(command="more")
    for raw in (*agent.prompt("next"), *agent.before(call)):
        assert receive(agent.agent, json.dumps(raw).encode()) == Outcome()
    world.write("more", "x")
    for raw in (*agent.after(call), *agent.stop()):
        assert receive(agent.agent, json.dumps(raw).encode()) == Outcome()
    turns = sorted(move.title for move in world.moves() if move.level == "turn" and not move.open)
    health = world.store.verify(read_data=True)
    world.undo()
    if turns != ["fix", "next"] or not health.ok or world.exists("more"):
        return f"the turns are {turns}, verify finds {health.problems}"
    return ""


@pytest.mark.campaign("crash-hook-answer")
def test_an_agent_is_answered_whatever_fails(zygote: Zygote, memory_path: Path, record_property: counts.Tell) -> None:
    base = memory_path / "world"
    (base / "spare").mkdir(parents=True)
    zygote.do(worlds.acting, base)
    template = Template(memory_path / "template", base)
    outcome, points = zygote.do(answer, base, None, 0)
    assert outcome == Outcome()
    chosen = faults.some(points, BAD, count=RUNS)
    wrong = []
    for fault, at in chosen:
        template.reset()
        done = zygote.call(answer, base, fault, at)
        trouble = done.trouble or ("" if done.result[0] == Outcome() else f"the agent was told {done.result[0]}")
        trouble = trouble or (after := zygote.call(go_on, base)).trouble or after.result
        if trouble:
            wrong.append(f"{fault}, at point {at} ({points[at - 1].text}): {trouble}")
    campaigns.count_runs(record_property, len(chosen))
    every = len(faults.runs(points, BAD))
    counts.tell(record_property, f"hook: {len(points)} points, {len(chosen)} of {every} failures answered with 0")
    assert not wrong, "\n".join(wrong[:10])
