"""A team comes back byte for byte under its own locks, and the real ClawTeam goes on with it."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import pytest
from clawteam.spawn.registry import register_agent
from clawteam.team.manager import TeamManager
from clawteam.team.models import TaskStatus

import takeback as tb
from support.teams.real import ALL, RealTeam
from takeback.model.plan import Effect
from takeback.sources.protocol import Staged
from takeback.store.reader import Reader


@pytest.fixture
def store(tmp_path: Path) -> Iterator[tb.Store]:
    with tb.open(tmp_path / "store") as opened:
        yield opened


@pytest.fixture
def line(store: tb.Store, team: RealTeam) -> tb.Timeline:
    return with_options(store, team)


def with_options(store: tb.Store, team: RealTeam, **options: Any) -> tb.Timeline:
    return store.timeline(team.name, sources=[tb.Team(team.name, team.data, **options)])


def contents(mail: list[dict[str, Any]]) -> list[str]:
    return [each.get("content", each["type"]) for each in mail]


def test_undo_of_a_task_that_members_changed_since_is_a_conflict_and_changes_nothing(
    line: tb.Timeline, team: RealTeam
) -> None:
    (task,) = (each.id for each in team.tasks.list_tasks() if each.subject == "write")  # no other task waits for it
    line.save()
    team.tasks.update(task, status=TaskStatus.completed)
    line.save()
    team.tasks.update(task, status=TaskStatus.pending)
    files = team.files()
    (move,) = (each for each in line.log().moves if each.closing is not None)
    with pytest.raises(tb.Conflict, match=f"task-{task}.json: the same lines were changed since"):
        line.undo(move.id)
    assert team.files() == files


def test_names_bytes_modes_and_the_order_of_mail_come_back(line: tb.Timeline, team: RealTeam) -> None:
    odd = next(iter(team.path("tasks/{}").glob("task-*.json")))
    odd.chmod(0o600)
    files, state, inode = team.files(), team.state(), team.lock.stat().st_ino
    line.save("before")
    team.work_on()
    odd.chmod(0o644)
    next(iter(team.path("teams/{}/events").glob("evt-*"))).unlink()
    team.mail.receive("ada", limit=2)
    assert team.state() != state
    report = line.restore("before")
    assert report.verified
    assert team.files() == files
    assert team.state() == state
    assert team.lock.stat().st_ino == inode


def test_nothing_beside_the_team_is_touched(line: tb.Timeline, team: RealTeam) -> None:
    other = RealTeam(team.data, "beta")
    other.make()
    line.save("before")
    team.work_on()
    other.work_on()
    register_agent(team.name, "ada", "subprocess", pid=0)
    team.path("teams/{}/peers").mkdir()
    team.path("teams/{}/peers/ada.json").write_text("{}")
    beside = {path: node for path, node in team.everything().items() if path not in team.files()}
    line.restore("before")
    now = team.everything()
    assert {path: now.get(path) for path in beside} == beside


def test_mail_is_read_in_the_order_in_which_it_came_and_what_comes_later_is_read_later(
    line: tb.Timeline, team: RealTeam
) -> None:
    line.save("before")
    there = contents(team.state()["mail"]["ada"])
    team.mail.receive("ada", limit=ALL)
    line.restore("before")
    team.mail.send("lead", "ada", "after the restore")
    assert [each.content or each.type.value for each in team.mail.receive("ada", limit=ALL)] == [
        *there,
        "after the restore",
    ]


def test_a_message_that_was_claimed_by_who_died_can_be_claimed_again(line: tb.Timeline, team: RealTeam) -> None:
    line.save("before")
    assert [each.content for each in team.mail.receive("bob", limit=ALL)] == ["read and not done with"]
    line.restore("before")
    assert [each.content for each in team.mail.receive("bob", limit=ALL)] == ["read and not done with"]


def test_clawteam_goes_on_with_what_came_back(line: tb.Timeline, team: RealTeam) -> None:
    line.save("before")
    team.work_on()
    line.restore("before")
    spent, tasks = team.state()["spent"]["totalCostCents"], len(team.state()["tasks"])
    waiting = next(task for task in team.tasks.list_tasks() if task.subject == "test")
    (on,) = waiting.blocked_by
    team.tasks.update(on, status=TaskStatus.completed)
    assert team.tasks.get(waiting.id).status is TaskStatus.pending
    team.tasks.create("afterwards", blocked_by=[waiting.id])
    team.costs.report("ada", cost_cents=1.0)
    assert team.costs.summary().total_cost_cents == spent + 1.0
    team.sessions.save("ada", "session-3")
    assert team.sessions.load("ada").session_id == "session-3"
    said = team.run("--json", "task", "list", team.name).stdout
    assert said.count('"subject"') == tasks + 1


def test_after_clawteam_has_cleaned_the_team_away_it_is_made_again(line: tb.Timeline, team: RealTeam) -> None:
    line.save("before")
    files, state = team.files(), team.state()
    team.run("team", "cleanup", team.name, "--force")
    assert TeamManager.get_team(team.name) is None
    line.restore("before")
    assert team.files() == files
    assert team.state() == state
    team.tasks.create("goes on")


def test_a_restore_is_taken_back_and_redone(line: tb.Timeline, team: RealTeam) -> None:
    line.save("before")
    before = team.files()
    team.work_on()
    after = team.files()
    line.restore("before")
    line.undo()
    assert team.files() == after
    line.redo()
    assert team.files() == before


def test_mail_that_came_since_goes_with_the_restore_and_is_in_the_safety_snapshot(
    line: tb.Timeline, team: RealTeam
) -> None:
    line.save("before")
    team.mail.send("lead", "bob", "came later")
    later = contents(team.state()["mail"]["bob"])
    plan = line.plan("before")
    assert [path for path in (effect.path for effect in plan.effects) if "/inboxes/bob/" in path]
    report = line.apply(plan)
    assert "came later" not in contents(team.state()["mail"]["bob"])
    line.restore(report.safety)
    assert contents(team.state()["mail"]["bob"]) == later


def test_merge_keeps_mail_that_came_since_and_restores_all_else(store: tb.Store, team: RealTeam) -> None:
    line = with_options(store, team, merge=True)
    line.save("before")
    state = team.state()
    team.work_on()
    report = line.restore("before")
    now = team.state()
    assert contents(now["mail"]["ada"]) == [*contents(state["mail"]["ada"]), "more 0"]
    assert {name: now[name] for name in now if name != "mail"} == {
        name: state[name] for name in state if name != "mail"
    }
    assert [each.reason for each in report.kept] == ["newer mail, kept"]


def test_mail_that_is_delivered_between_plan_and_apply_stays(line: tb.Timeline, team: RealTeam) -> None:
    line.save("before")
    team.work_on()
    plan = line.plan("before")
    team.mail.send("lead", "bob", "in between")
    line.apply(plan)
    assert "in between" in contents(team.state()["mail"]["bob"])


def test_mail_that_its_owner_takes_as_soon_as_it_is_back_is_no_reason_to_fail(store: tb.Store, team: RealTeam) -> None:
    with_options(store, team).save("before")
    expected = contents(team.state()["mail"]["ada"])
    team.mail.receive("ada", limit=ALL)
    team.work_on()

    taken: list[str] = []

    class Eager(tb.Team):
        """Its member is faster than whoever looks whether all is in place."""

        def unfinished(self, effects: Sequence[Effect]) -> tuple[Effect, ...]:
            taken.extend(message.content or message.type for message in team.mail.receive("ada", limit=ALL))
            return super().unfinished(effects)

    report = store.timeline(team.name, sources=[Eager(team.name, team.data)]).restore("before")
    assert taken == expected
    assert {each.reason for each in report.kept} == {"it was back, and a member has taken it"}
    assert len(report.kept) == len(expected)
    line = with_options(store, team)
    assert line.save().id == report.snapshot, "what is recorded is what is there"
    line.undo()
    assert contents(team.state()["mail"]["ada"]) == ["more 0"]


def test_mail_that_is_claimed_again_as_soon_as_it_is_back_is_no_reason_to_fail(store: tb.Store, team: RealTeam) -> None:
    with_options(store, team).save("before")
    message = min(team.path("teams/{}/inboxes/ada").glob("msg-*.json"))
    claimed = message.rename(message.with_suffix(".consumed"))
    team.work_on()

    class Eager(tb.Team):
        """Its member has a message in its hands again before anybody looks."""

        def unfinished(self, effects: Sequence[Effect]) -> tuple[Effect, ...]:
            message.rename(claimed)
            return super().unfinished(effects)

    report = store.timeline(team.name, sources=[Eager(team.name, team.data)]).restore("before")
    assert {team.data / each.path for each in report.kept} == {message, claimed}
    assert with_options(store, team).save().id == report.snapshot, "what is recorded is what is there"


def test_members_that_run_are_named_and_nothing_is_done_without_force(store: tb.Store, team: RealTeam) -> None:
    line = with_options(store, team)
    line.save("before")
    before = team.files()
    team.work_on()
    after = team.files()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as member:
        register_agent(team.name, "ada", "subprocess", pid=member.pid, command=[sys.executable])
        assert any("ada" in note for note in line.plan("before").notes)
        with pytest.raises(tb.Locked, match="ada"):
            line.restore("before")
        assert team.files() == after
        with_options(store, team, force=True).restore("before")
        assert team.files() == before
        assert member.poll() is None
        member.communicate()
    line.undo()
    assert team.files() == after


HOLD = """
import sys
from clawteam.team.tasks import TaskStore
store = TaskStore(sys.argv[1])
with store._write_lock():
    print("held", flush=True)
    sys.stdin.read()
    store._save_unlocked(store.list_tasks()[0].model_copy(update={"subject": "late"}))
"""
CREATE = "import sys; from clawteam.team.tasks import TaskStore; TaskStore(sys.argv[1]).create('from outside')"


def test_a_restore_waits_for_who_holds_the_lock_of_the_tasks(line: tb.Timeline, team: RealTeam) -> None:
    """What that one writes in its last moment is in the safety snapshot."""
    line.save("before")
    before = team.files()
    team.tasks.create("more")
    with python(HOLD, team.name) as holder:
        assert holder.stdout is not None and holder.stdin is not None
        assert holder.stdout.readline() == "held\n"
        end = threading.Thread(target=close_when_waiting, args=(team.lock, holder.stdin))
        end.start()
        report = line.restore("before")
        end.join()
        assert holder.wait() == 0
    assert team.files() == before
    tasks = [
        line.read(report.safety, path, part="team")
        for path, _ in line.files(report.safety, part="team")
        if "/task-" in path
    ]
    assert any(b'"late"' in each for each in tasks)


def test_who_comes_in_the_middle_of_a_restore_waits_and_goes_on_in_the_restored_team(
    store: tb.Store, team: RealTeam
) -> None:
    others: list[subprocess.Popen[str]] = []

    class Meanwhile(tb.Team):
        def stage(self, reader: Reader, effects: Sequence[Effect], *, durable: bool = True) -> Staged:
            others.append(python(CREATE, team.name))
            until_waiting(team.lock)
            return super().stage(reader, effects, durable=durable)

    line = store.timeline(team.name, sources=[Meanwhile(team.name, team.data)])
    line.save("before")
    before = team.files()
    team.work_on()
    report = line.restore("before")
    assert report.verified
    (other,) = others
    with other:
        other.communicate()
    assert other.returncode == 0
    now = team.files()
    (made,) = now.keys() - before.keys()
    assert b"from outside" in now.pop(made).data
    assert now == before


def python(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def close_when_waiting(lock: Path, stream: IO[str]) -> None:
    until_waiting(lock)
    stream.close()


def until_waiting(lock: Path) -> None:
    """Until some process waits for a lock, as the kernel has it."""
    mark = f":{lock.stat().st_ino} "
    while not any("->" in each and mark in each for each in Path("/proc/locks").read_text().splitlines()):
        time.sleep(0.001)
