"""A restore of four parts is killed, and whoever comes next does not have all of them: it is said what is needed; what is out
of reach is in nobody's way; and when it is back, all four parts are on one side."""

from __future__ import annotations

import re
import shlex
import subprocess

import pytest

import takeback as tb
from support import campaigns
from support.cli import takeback
from support.faults.zygote import Zygote
from support.together import trying
from support.together.doorway import Doorway
from support.together.trying import KILLED, SOURCE, Wrong
from support.together.world import Memory, Seen, World, memory

pytestmark = [
    pytest.mark.campaign("together-interrupted"),
    pytest.mark.service("docker"),
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),  # the SDK's, where it cannot connect
]

SAVED, PARTIAL, UNAVAILABLE = 0, 3, 15
APPLIED = {"container": 6, "memory": 7, "team": 8, "workspace": 9}
"""The step after which a part is in place, and those before it."""


Ends = dict[str, tuple[Seen, Memory]]


@pytest.fixture(params=["team", *campaigns.rest(("container", "memory", "workspace"))])
def killed(request: pytest.FixtureRequest, four: World, door: Doorway, zygote: Zygote) -> Ends:
    """A restore was killed when a part was in place; how everything was before it, and how it is to be."""
    mine = memory(0)
    with four.place.line(mine) as line:
        line.save("before")
        ends = {"before": (four.seen(), memory(0))}
        mine |= four.work(1)
        line.save("after")
        ends["after"] = (four.seen(), memory(1))
    wrong = Wrong(SOURCE, APPLIED[str(request.param)], KILLED)
    ended = zygote.call(trying.attempt, four.place, trying.back, memory(1), wrong)
    assert ended.result is None and not ended.trouble, ended
    return ends


def commands(said: bytes) -> list[list[str]]:
    """What is offered, as it is to be typed."""
    return [shlex.split(each) for each in re.findall(r"`takeback ([^`]+)`", said.decode())]


def run(four: World, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return takeback(*arguments, cwd=four.place.project)


def memory_in(four: World) -> Memory:
    """As the latest snapshot has it."""
    with tb.open(four.place.store) as store:
        mine: Memory = store.timeline("main", sources=[tb.Workspace(four.place.project)]).value("@", "memory")
        return mine


def settled(four: World) -> tuple[Seen, Memory]:
    """All parts, once the program that has the memory has come by: it begins with what was saved last."""
    mine = memory_in(four)
    with four.place.line(mine) as line:
        line.save()
    return four.seen(), mine


def test_who_was_not_told_of_the_container_and_the_team_is_told_how_to_finish_it(four: World, killed: Ends) -> None:
    before = four.seen()
    refused = run(four, "save")
    assert refused.returncode == UNAVAILABLE, refused
    assert four.seen() == before
    (command,) = commands(refused.stderr)
    done = run(four, *command)
    assert done.returncode in (SAVED, PARTIAL), (command, done)
    assert settled(four) in killed.values()
    assert run(four, "save").returncode == SAVED


def test_docker_that_is_down_keeps_nobody_from_working_and_the_container_follows_later(
    four: World, door: Doorway, killed: Ends
) -> None:
    door.shut()
    told = ["--container", four.place.container, "--team", four.place.team]
    assert run(four, "save", *told).returncode == PARTIAL
    mine, seen = memory_in(four), four.seen()
    (side,) = [
        end for end, (each, value) in killed.items() if (each.files, each.team, value) == (seen.files, seen.team, mine)
    ]
    (four.place.project / "more.txt").write_text("more\n")
    assert run(four, "save", *told).returncode == PARTIAL
    assert run(four, "undo", "--yes", "--only", "workspace").returncode == SAVED
    door.open()
    assert run(four, "save", *told).returncode == SAVED
    assert settled(four) == killed[side]
    assert not four.left()
