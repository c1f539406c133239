"""Docker is down, or the team's directory cannot be written to: what is possible is said as a command, which works as it is
typed; nothing is half done; and a snapshot that lacks a part says so, until the next that does not."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

import takeback as tb
from support.cli import takeback
from support.mounts import mounted
from support.together.doorway import Doorway
from support.together.world import PARTS, Memory, Place, World, memory

pytestmark = [
    pytest.mark.service("docker"),
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),  # the SDK's, where it cannot connect
]

PARTIAL, UNAVAILABLE = 3, 15


def both(four: World) -> Memory:
    """Saved before and after work; the memory as it is now."""
    mine = memory(0)
    with four.place.line(mine) as line:
        line.save("before")
        mine |= four.work(1)
        line.save("after")
    return mine


def named(place: Place) -> list[str]:
    return ["--container", place.container, "--team", place.team, "--data-dir", str(place.data)]


def offered(said: str) -> list[str]:
    """The command that is offered instead, as it is to be typed."""
    found = re.search(r"takeback (restore [^\n`]*--only [^\n`]*)", said)
    assert found, said
    return shlex.split(found[1])


def rest(error: tb.TakebackError) -> set[str]:
    """The parts that can be had all the same."""
    found = re.search(r"--only (\S+)", said_by(error))
    assert found, said_by(error)
    return {*found[1].split(",")}


def said_by(error: tb.TakebackError) -> str:
    return "\n".join((error.message, *error.hints))


def test_without_docker_a_save_is_partial_and_the_next_with_it_is_whole(four: World, door: Doorway) -> None:
    mine = both(four)
    with four.place.line(mine) as line:
        door.shut()
        mine |= four.work(2)
        partial = line.save("without")
        assert partial.partial
        assert list(partial.missed) == ["container"]
        assert "Docker" in partial.missed["container"]
        assert line.value(partial, "memory") == mine
        assert line.read(partial, "src/main.py") == b"print(2)\n"
        assert line.save().id == partial.id, "missing the same once more is nothing new"
        door.open()
        whole = line.save("with")
        assert not whole.partial
        assert not whole.missed
        assert line.read(whole, "/etc/app/settings.ini", part="container") == b"mode=2\n"
        assert whole.parts.keys() == {*PARTS}


def test_without_docker_a_restore_does_nothing_and_offers_the_rest(four: World, door: Doorway) -> None:
    mine = both(four)
    before = four.seen()
    with four.place.line(mine) as line:
        door.shut()
        for refused in (lambda: line.plan("before"), lambda: line.undo(), lambda: line.restore("before")):
            with pytest.raises(tb.Unavailable) as failed:
                refused()
            assert "Docker" in said_by(failed.value)
            assert rest(failed.value) == {"memory", "team", "workspace"}
        assert four.seen() == before
        assert mine == memory(1)
        report = line.restore("before", only=["memory", "team", "workspace"])
        assert report.verified
        assert mine == memory(0)
        assert (four.place.project / "src/main.py").read_text() == "print(0)\n"
        assert "mode=1" in four.sh("cat /etc/app/settings.ini")
        door.open()
        line.restore("before")
        assert "mode=1" not in four.sh("cat /etc/app/settings.ini")


def test_on_the_command_line_the_rest_is_offered_as_a_command_that_works(four: World, door: Doorway) -> None:
    mine = both(four)
    before, project = four.seen(), four.place.project
    door.shut()
    saved = takeback("save", "-m", "without", *named(four.place), cwd=project)
    assert saved.returncode == PARTIAL, saved
    assert b"container" in saved.stdout + saved.stderr
    refused = takeback("restore", "before", "--yes", *named(four.place), cwd=project)
    assert refused.returncode == UNAVAILABLE, refused
    assert four.seen() == before
    command = offered(refused.stderr.decode())
    done = takeback(*command, "--yes", cwd=project)
    assert done.returncode == PARTIAL, (command, done)  # the memory is a program's, and is pending
    assert (project / "src/main.py").read_text() == "print(0)\n"
    assert not any("more" in path for path in map(str, four.team.tasks.list_tasks())), "the team is not as it was"
    assert "mode=1" in four.sh("cat /etc/app/settings.ini")
    with four.place.line(mine) as line:
        line.sync()
    assert mine == memory(0)
    door.open()
    whole = takeback("save", *named(four.place), cwd=project)
    assert whole.returncode == 0, whole


def test_a_team_that_cannot_be_written_to_stops_nothing_but_itself(four: World, door: Doorway) -> None:
    place = four.place
    with mounted(place.data, "--bind", str(_moved(place.data))):
        mine = both(four)
        before = four.seen()
        subprocess.run(["mount", "-o", "remount,ro,bind", str(place.data)], check=True)
        with place.line(mine) as line, pytest.raises(tb.Unavailable) as failed:
            line.restore("before")
        assert "Read-only" in said_by(failed.value)
        assert (four.seen(), mine) == (before, memory(1))
        refused = takeback("restore", "before", "--yes", *named(place), cwd=place.project)
        assert refused.returncode == UNAVAILABLE, refused
        assert four.seen() == before
        done = takeback(*offered(refused.stderr.decode()), "--yes", cwd=place.project)
        assert done.returncode == PARTIAL, done
        assert (place.project / "src/main.py").read_text() == "print(0)\n"
        assert "mode=1" not in four.sh("cat /etc/app/settings.ini")
        assert four.team.files() == before.team
        subprocess.run(["mount", "-o", "remount,rw,bind", str(place.data)], check=True)
        with place.line(mine) as line:
            line.restore("before")
            assert (mine, line.save().partial) == (memory(0), False)


def test_a_team_whose_whole_directory_is_gone_comes_back_with_the_rest(four: World, door: Doorway) -> None:
    mine = memory(0)
    with four.place.line(mine) as line:
        line.save("before")
        before = four.seen()
        mine |= four.work(1)
        _moved(four.place.data)
        assert line.restore("before").verified
        assert (four.seen(), mine) == (before, memory(0))
        line.undo()
        assert (four.team.files(), mine) == ({}, memory(1))


def _moved(path: Path) -> Path:
    """The directory is somewhere else now."""
    return path.rename(path.with_name(path.name + "-moved"))
