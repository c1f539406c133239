"""A team in a data directory of its own, made and read by the real ClawTeam: through its API in this process, whose
environment names the directory, or through its command where that is the point."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from clawteam.spawn.sessions import SessionStore
from clawteam.team.costs import CostStore
from clawteam.team.mailbox import MailboxManager
from clawteam.team.manager import TeamManager
from clawteam.team.models import TaskStatus
from clawteam.team.plan import PlanManager
from clawteam.team.tasks import TaskStore
from clawteam.transport.file import FileTransport

from support.trees import Node, read_tree

VARIABLE = "CLAWTEAM_DATA_DIR"
MEMBERS = ("lead", "ada", "bob")
GUEST = ("eve", "guest")
"""A member of another user: her inbox is called after both."""
ALL = 1 << 30
"""ClawTeam looks at ten messages unless it is told otherwise."""

_NEVER_BACK = (".lock", ".tmp")
_LIVE = ("spawn_registry.json", "peers")


class RealTeam:
    """What a test has of a team. `make` has to be called, or the directory be one that holds it."""

    def __init__(self, data: Path, name: str = "alpha") -> None:
        assert os.environ.get(VARIABLE) == str(data), "the API works where the environment says"
        self.data, self.name = data, name

    # what ClawTeam has of it

    @property
    def tasks(self) -> Any:
        return TaskStore(self.name)

    @property
    def costs(self) -> Any:
        return CostStore(self.name)

    @property
    def sessions(self) -> Any:
        return SessionStore(self.name)

    @property
    def mail(self) -> Any:
        """Made anew each time: making one makes the directory of events, which a cleanup takes away."""
        return MailboxManager(self.name, FileTransport(self.name))

    @property
    def plans(self) -> Any:
        return PlanManager(self.name, self.mail)

    @cached_property
    def lock(self) -> Path:
        return self.data / "tasks" / self.name / ".tasks.lock"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """The lock of the tasks is held, as by another process of ClawTeam's."""
        with self.lock.open("a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def path(self, relative: str) -> Path:
        """A path of the team's: ``{}`` stands for its name."""
        return self.data / relative.format(self.name)

    def run(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """ClawTeam's own command, as a process."""
        return subprocess.run(
            [sys.executable, "-m", "clawteam", "--data-dir", str(self.data), *arguments],
            check=check,
            capture_output=True,
            text=True,
            timeout=60,
        )

    # what happens in it

    def found(self) -> None:
        """The team and its members, and nothing else."""
        TeamManager.create_team(self.name, MEMBERS[0], "id-lead", description="builds things")
        for member in MEMBERS[1:]:
            TeamManager.add_member(self.name, member, f"id-{member}")
        TeamManager.add_member(self.name, GUEST[0], f"id-{GUEST[0]}", user=GUEST[1])

    def make(self) -> None:
        """Something of everything that a team can have."""
        self.found()
        tasks, mail = self.tasks, self.mail
        design = tasks.create("design", owner="lead")
        build = tasks.create("build", owner="ada", blocked_by=[design.id])
        tasks.create("test", owner="bob", blocked_by=[build.id, design.id], metadata={"über": "ünï\n"})
        tasks.update(tasks.create("write", owner="ada").id, status=TaskStatus.in_progress, caller="ada")
        tasks.update(design.id, status=TaskStatus.completed)
        for number in range(3):
            mail.send("lead", "ada", f"first {number}")
        mail.send("ada", "lead", "an answer")
        mail.send("lead", "eve", "for a guest")
        mail.broadcast("bob", "for all")
        self.be_claimed("bob", "read and not done with")
        self.be_dead("ada", b"{ no JSON")
        plan = self.plans.submit_plan("ada", "lead", "# Plan\n1. build\n", "a plan")
        self.plans.approve_plan("lead", plan, "ada")
        for cents in (1.5, 2.25):
            self.costs.report("ada", "some", "model", 100, 20, cents)
        self.sessions.save("ada", "session-1", build.id, {"step": 1})
        self.sessions.save("bob", "session-2", "", {"step": [1, 2]})
        self.write("teams/{}/runtime_state.json", {"agents": {"ada": {"pending": 2}}})
        self.write("harness/{}/contract.json", {"phase": "build"})

    def work_on(self, number: int = 0) -> None:
        """More of it: as agents go on."""
        tasks = self.tasks
        task = tasks.create(f"more {number}", owner="bob")
        tasks.create(f"after more {number}", blocked_by=[task.id])
        tasks.update(task.id, status=TaskStatus.completed)
        self.mail.send("bob", "ada", f"more {number}")
        self.mail.receive("lead", limit=1)
        self.costs.report("bob", "some", "model", 7, 3, 0.5)
        self.sessions.save("bob", "session-2", task.id, {"step": number})

    def be_claimed(self, member: str, content: str) -> None:
        """A message that a member has claimed, and then it died: nobody holds its lock."""
        mail, before = self.mail, set(self._mail(member))
        mail.send("lead", member, content)
        (path,) = set(self._mail(member)) - before
        path.rename(path.with_suffix(".consumed"))

    def be_dead(self, member: str, data: bytes) -> None:
        """A message that nobody could read: ClawTeam puts it away when it is received."""
        kept = [(path, path.read_bytes()) for path in self._mail(member)]
        for path, _ in kept:
            path.unlink()
        FileTransport(self.name).deliver(member, data)
        self.mail.receive(member)
        for path, content in kept:
            path.write_bytes(content)

    def write(self, relative: str, value: object) -> None:
        """What a later ClawTeam than the installed one keeps as well."""
        path = self.path(relative)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value, indent=2))

    def _mail(self, member: str) -> list[Path]:
        return sorted(self.path(f"teams/{{}}/inboxes/{member}").glob("msg-*"))

    # what there is

    def state(self) -> dict[str, Any]:
        """All that ClawTeam says of the team. It looks at mail without taking it, in the order in which it would be read."""
        transport = FileTransport(self.name)
        config = TeamManager.get_team(self.name)
        return {
            "config": config and _plain(config),
            "tasks": [_plain(task) for task in self.tasks.list_tasks()],
            "mail": {
                inbox: [json.loads(each) for each in transport.fetch(inbox, limit=ALL, consume=False)]
                for inbox in sorted(transport.list_recipients())
            },
            "events": [_plain(event) for event in self.mail.get_event_log(limit=ALL)],
            "costs": [_plain(event) for event in self.costs.list_events()],
            "spent": _plain(self.costs.summary()),
            "sessions": [_plain(session) for session in self.sessions.list_sessions()],
        }

    def everything(self) -> dict[str, Node]:
        """Every byte and mode below the data directory."""
        return {os.fsdecode(path): node for path, node in read_tree(self.data).items()}

    def files(self) -> dict[str, Node]:
        return files_in(self.data, self.name)


def files_in(data: Path, team: str) -> dict[str, Node]:
    """Every byte and mode of what is a snapshot's: no locks, nothing half written, nothing of what lives now."""
    tree = {os.fsdecode(path): node for path, node in read_tree(data).items()}
    return {path: node for path, node in tree.items() if node.kind != "dir" and _is_kept(team, path)}


def _is_kept(team: str, path: str) -> bool:
    area, *names = path.split("/")
    if area == "snapshots" or not names or names[0] != team:
        return False
    last = names[-1]
    return not (last.endswith(_NEVER_BACK) or last.startswith(".tmp-") or names[1] in _LIVE)


def _plain(value: Any) -> Any:
    return json.loads(value.model_dump_json(by_alias=True))
