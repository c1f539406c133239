"""Forks of everything at once: files, a real container with a volume, an agent's memory, a real team and its members'
worktrees; and what such a fork has come to, promoted."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from support.agent import look
from support.containers.boxes import Boxes
from support.owners import Memory
from support.processes import KILLED, in_child
from support.teams.real import RealTeam, files_in
from support.teams.workspaces import AGENTS, Crew
from takeback.engine import forknotes
from takeback.locate.members import add_members

pytestmark = [pytest.mark.service("docker"), pytest.mark.service("git")]


class Everything:
    """Something of each kind, and the timeline of it all."""

    def __init__(self, base: Path, boxes: Boxes, team: RealTeam) -> None:
        self.base, self.boxes, self.team = base, boxes, team
        self.crew = Crew(base, team)
        self.root = base / "project"
        self.root.mkdir()
        (self.root / "app.py").write_text("one\n")
        self.box = boxes.run("box", volumes={boxes.volume("data"): {"bind": "/data", "mode": "rw"}})
        boxes.sh(self.box, "echo one >/srv/file; echo one >/data/file")
        self.memory = Memory([b"one"])
        self.store = tb.open(str(base / "store"))
        self.line = self.timeline()

    def timeline(self) -> tb.Timeline:
        sources: list[Any] = [
            tb.Workspace(self.root),
            tb.Container(self.box),
            tb.State("memory", self.memory),
            tb.Team(self.team.name, self.team.data),
        ]
        line = self.store.timeline("main", sources=sources)
        assert add_members(line) == []
        return line

    def own(self, *names: str) -> None:
        """What forks make in the engine, to be removed in the end."""
        for name in names:
            self.boxes.own("volume", f"{self.box}-{name}-{self.boxes.name('data')}")
            self.boxes.own("container", f"{self.box}-{name}")

    def now(self) -> dict[str, Any]:
        return {
            "files": look(self.root),
            "container": self.boxes.sh(self.box, "cat /srv/file /data/file; ls /srv /data"),
            "memory": list(self.memory.notes),
            "team": self.team.files(),
            "worktrees": self.crew.trees(),
            "things": {(each.kind, each.name) for each in self.boxes.engine.things() if self.boxes.word in each.name},
        }


@pytest.fixture
def all_of_it(tmp_path: Path, boxes: Boxes, team: RealTeam) -> Iterator[Everything]:
    made = Everything(tmp_path, boxes, team)
    yield made
    made.store.close()


def work_in(fork: Path, box: str, boxes: Boxes) -> None:
    """An agent does something to all parts of a fork."""
    (fork / "app.py").write_text("two\n")
    boxes.sh(box, "echo two >/srv/file; echo two >/data/file; echo new >/data/new")
    beside = Path(f"{fork}.clawteam")
    (beside / "workspaces" / "alpha" / "ada" / "app.py").write_text("print('two')\n")
    task = next((beside / "tasks" / "alpha").glob("task-*.json"))
    task.write_text(json.dumps({**json.loads(task.read_text()), "description": "two"}))


def test_a_fork_of_everything_goes_its_own_way_and_is_promoted_and_undone(all_of_it: Everything) -> None:
    here, boxes = all_of_it, all_of_it.boxes
    here.line.save("good")
    here.own("attempt")
    before = here.now()
    place = here.base / "attempt"
    fork = here.line.fork("good", "attempt", place)
    copy = f"{here.box}-attempt"
    assert {**here.now(), "things": 0} == {**before, "things": 0}
    assert look(place) == before["files"]
    assert boxes.sh(copy, "cat /srv/file /data/file") == "one\none\n"
    assert set(fork.sources) == {"workspace", "container", "team", *(f"workspace-{agent}" for agent in AGENTS)}
    assert fork.show("@").parts["memory"].pending
    registry = json.loads((Path(f"{place}.clawteam") / "workspaces/alpha/workspace-registry.json").read_text())
    paths = {each["worktree_path"] for each in registry["workspaces"]}
    assert paths == {f"{place}.clawteam/workspaces/alpha/{agent}" for agent in AGENTS}

    work_in(place, copy, boxes)
    theirs = Memory([])
    there = here.store.timeline("attempt", sources=[tb.State("memory", theirs)], root=str(place))
    there.save()
    theirs.notes.append(b"two")
    there.save()
    assert {**here.now(), "things": 0} == {**before, "things": 0}

    plan = here.line.plan_promote("attempt")
    assert {effect.part for effect in plan.effects} == {"workspace", "container", "memory", "team", "workspace-ada"}
    report = here.line.promote("attempt")
    assert report.verified and not report.conflicts and not report.kept, (report.conflicts, report.kept)
    after = here.now()
    assert after["container"].startswith("two\ntwo\n") and "new" in after["container"]
    assert after["memory"] == [b"one", b"two"] and after["files"] == look(place)
    assert here.crew.tree("ada")["app.py"][1] == b"print('two')\n"
    told = sorted(path for path, node in after["team"].items() if before["team"].get(path) != node)
    assert told[1:] == ["workspaces/alpha/ada/app.py"] and told[0].startswith("tasks/alpha/task-")
    assert here.line.promote("attempt").changed == ()

    here.line.undo()
    assert {**here.now(), "things": 0} == {**before, "things": 0}

    mounted = boxes.engine.api.inspect_container(here.box)["Mounts"]
    here.line.apply(here.line.plan("attempt@", only=["container", "team"]))
    assert here.now()["container"] == after["container"]
    assert here.team.files() == {**after["team"], **{path: before["team"][path] for path in told[1:]}}
    assert boxes.engine.api.inspect_container(here.box)["Mounts"] == mounted
    here.line.undo()
    assert {**here.now(), "things": 0} == {**before, "things": 0}


def test_what_was_changed_here_in_every_part_is_kept(all_of_it: Everything) -> None:
    here, boxes = all_of_it, all_of_it.boxes
    here.line.save()
    here.own("attempt")
    place = here.base / "attempt"
    here.line.fork("@", "attempt", place)
    work_in(place, f"{here.box}-attempt", boxes)
    (here.root / "app.py").write_text("ours\n")
    boxes.sh(here.box, "echo ours >/data/file")
    (here.crew["ada"] / "app.py").write_text("print('ours')\n")
    task = (
        here.team.data / "tasks" / "alpha" / next((Path(f"{place}.clawteam") / "tasks/alpha").glob("task-*.json")).name
    )
    task.write_text(json.dumps({**json.loads(task.read_text()), "description": "ours"}))
    report = here.line.promote("attempt")
    assert {item.part for item in report.conflicts} == {"workspace", "container", "team", "workspace-ada"}
    assert (here.root / "app.py").read_text() == "ours\n"
    assert boxes.sh(here.box, "cat /srv/file /data/file /data/new") == "two\nours\nnew\n"
    assert "ours" in task.read_text() and "ours" in (here.crew["ada"] / "app.py").read_text()


def test_several_forks_each_with_all_of_its_own_are_compared(all_of_it: Everything) -> None:
    here, boxes = all_of_it, all_of_it.boxes
    here.line.save()
    here.own("try-1", "try-2")
    one, two = here.line.forks("@", "try", 2, here.base / "tries")
    assert (one.name, two.name) == ("try-1", "try-2")
    assert one.root == str(here.base / "tries" / "try-1")
    work_in(Path(one.root), f"{here.box}-try-1", boxes)
    one.save()
    assert boxes.sh(f"{here.box}-try-2", "cat /srv/file") == "one\n"
    diff = here.line.diff("try-2@", "try-1@")
    assert "app.py" in {change.path for change in diff.files if change.part == "workspace"}
    assert {
        change.path for change in diff.container if not change.is_directory and "attributes" not in change.path
    } == {
        "filesystem/srv/file",
        f"volumes/{here.box}-try-2-{boxes.name('data')}/file",
        f"volumes/{here.box}-try-2-{boxes.name('data')}/new",
    }
    assert [change.path.startswith("tasks/") for change in diff.team if not change.is_directory] == [True]


def test_a_fork_without_some_parts(all_of_it: Everything) -> None:
    here = all_of_it
    here.line.save()
    fork = here.line.fork("@", "attempt", here.base / "attempt", without=["container", "team", "memory"])
    assert set(fork.show("@").parts) == {
        "workspace",
        *(f"{what}-{agent}" for agent in AGENTS for what in ("workspace", "transcript")),
    }
    with pytest.raises(tb.NotFound, match="has no part 'typo'"):
        here.line.fork("@", "again", here.base / "again", without=["typo"])


def test_a_container_of_that_name_is_refused_before_anything_is_made(all_of_it: Everything) -> None:
    here = all_of_it
    here.line.save()
    taken = here.boxes.create("box-try-2")
    assert taken == f"{here.box}-try-2"
    before = here.now()
    with pytest.raises(tb.Conflict, match="already"):
        here.line.forks("@", "try", 3, here.base / "tries")
    assert here.now() == before and not (here.base / "tries").exists()
    with pytest.raises(tb.InvalidInput, match="no container can be called"):
        here.line.fork("@", "a name/that no container has", here.base / "odd")
    assert here.now() == before and not (here.base / "odd").exists()


def test_what_fails_at_the_end_takes_everything_with_it(all_of_it: Everything, monkeypatch: pytest.MonkeyPatch) -> None:
    here = all_of_it
    here.line.save()
    before = here.now()
    rows = here.store.timelines()

    class Fails:
        directory = forknotes.default_directory()

        def enter(self, origin: object, fork: object) -> None:
            raise OSError("no space left")

        def leave(self, root: str, name: str) -> None:
            left.append(root)

    left: list[str] = []
    here.line._line.registers = Fails()
    with pytest.raises(OSError, match="no space"):
        here.line.forks("@", "try", 2, here.base / "tries")
    assert here.now() == before and not (here.base / "tries").exists() and here.store.timelines() == rows
    assert left == [str(here.base / "tries" / name) for name in ("try-1", "try-2")]


def test_a_fork_that_is_killed_anywhere_is_removed_by_the_next_try(
    all_of_it: Everything, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = all_of_it
    here.line.save()
    here.own("attempt")
    place = here.base / "a" / "attempt"
    before = here.now()
    add, killed = forknotes.Note.add, 0
    for number in range(1, 100):

        def dies(note: forknotes.Note, thing: forknotes.Thing, last: int = number) -> None:
            if len(note.things) + 1 == last:
                os.kill(os.getpid(), signal.SIGKILL)
            add(note, thing)

        def work(dies: Any = dies) -> None:
            forknotes.Note.add = dies  # type: ignore[method-assign]
            here.timeline().fork("@", "attempt", place)

        code, _ = in_child(work)
        if code != KILLED:
            break
        killed += 1
        assert here.line.head is not None
        with here.store.blobs.reader() as reader:
            from takeback.engine.fork import tidy

            said = tidy(here.line._line, reader)
        left = {each for each in here.now()["things"] if each not in before["things"]}
        assert all("volume" in each[0] for each in left), (number, left)
        assert not place.exists() and not Path(f"{place}.clawteam").exists(), (number, said)
        for _, name in left:  # nobody knows whose it is: it is said
            assert any(name in text for text in said)
            here.boxes.engine.api.remove_volume(name)
        assert {**here.now(), "things": 0} == {**before, "things": 0}
    assert killed >= 8, killed
    print(f"killed at {killed} steps")
    shutil.rmtree(here.base / "a", ignore_errors=True)


def test_what_somebody_put_into_a_killed_fork_stays(all_of_it: Everything) -> None:
    here = all_of_it
    here.line.save()
    here.own("attempt")
    place = here.base / "attempt"

    def work() -> None:
        def dies(*_: object) -> None:
            os.kill(os.getpid(), signal.SIGKILL)

        import takeback.engine.fork as forking

        forking._record = dies  # type: ignore[assignment]
        here.timeline().fork("@", "attempt", place)

    assert in_child(work)[0] == KILLED
    assert files_in(Path(f"{place}.clawteam"), "alpha")
    (place / "mine").write_text("somebody's")
    there = look(place)
    with pytest.raises(tb.InvalidInput, match="not empty"):
        here.line.fork("@", "attempt", place)
    assert look(place) == there and (place / "mine").read_text() == "somebody's"
    shutil.rmtree(place)
    fork = here.line.fork("@", "attempt", place)
    assert fork.show("@").parts.keys() == here.line.show("@").parts.keys()
