"""A team as ClawTeam keeps one, made up: the same files with the same fields, written without the time that its own interface
takes for each; and ClawTeam's own snapshots of it, the peer."""

from __future__ import annotations

import json
import os
import random
from functools import cached_property
from pathlib import Path
from typing import Any

WORDS = (
    "review the parser write tests for migration of every table then ask who owns cache and report what broke".split()
)
MEMBERS = ("lead", "ada", "bob", "eve")
_DAY = "2026-01-02T03:04:05.678901+00:00"
_MS = 1_767_323_045_000
_COSTS = 200
_LETTERS = 25
"""In each inbox."""


class Team:
    """A team with so many tasks and events; ClawTeam finds it through the environment."""

    name = "alpha"

    def __init__(self, data: Path, tasks: int, events: int) -> None:
        self.data = data
        self._chance = random.Random(tasks)
        self._tasks = [self._id() for _ in range(tasks)]
        os.environ["CLAWTEAM_DATA_DIR"] = str(data)
        self._write("teams/alpha/config.json", _config())
        for number, name in enumerate(self._tasks):
            self._write(f"tasks/alpha/task-{name}.json", self._task(number))
        for number in range(events):
            self._write(f"teams/alpha/events/evt-{_MS + number}-{self._id()}.json", self._letter(number))
        for number in range(_LETTERS * len(MEMBERS)):
            place = f"teams/alpha/inboxes/{MEMBERS[number % len(MEMBERS)]}"
            self._write(f"{place}/msg-{_MS + number}-{self._id()}.json", self._letter(number))
        for number in range(_COSTS):
            self._write(f"costs/alpha/cost-{_DAY.replace(':', '-').replace('+', 'p')}-{self._id()}.json", _cost(number))
        for name in MEMBERS:
            self._write(f"sessions/alpha/{name}.json", _session(name))
        self._check(tasks, events)

    @cached_property
    def theirs(self) -> Any:
        """ClawTeam's own manager of snapshots."""
        from clawteam.team.snapshot import SnapshotManager

        return SnapshotManager(self.name)

    def change(self, number: int) -> None:
        """What a team does in a moment, through ClawTeam itself: a task, a letter, a session."""
        from clawteam.spawn.sessions import SessionStore
        from clawteam.team.mailbox import MailboxManager
        from clawteam.team.tasks import TaskStore

        TaskStore(self.name).create(f"{self._text(4)} {number}", self._text(20))
        MailboxManager(self.name).send("ada", "bob", self._text(12))
        SessionStore(self.name).save("ada", "session", "", {"step": number})

    def _check(self, tasks: int, events: int) -> None:
        """ClawTeam reads all of it."""
        found = self.theirs.create("as made")
        if (found.task_count, found.event_count, found.cost_event_count) != (tasks, events, _COSTS):
            raise RuntimeError(f"ClawTeam does not read what was made for it: {found}")
        self.theirs.delete(found.id)

    def _write(self, path: str, value: dict[str, Any]) -> None:
        place = self.data / path
        try:
            place.write_text(json.dumps(value, indent=2))
        except FileNotFoundError:
            place.parent.mkdir(parents=True)
            place.write_text(json.dumps(value, indent=2))

    def _task(self, number: int) -> dict[str, Any]:
        before = self._tasks[max(0, number - 3) : number] if number % 4 == 0 else []
        return {
            "id": self._tasks[number],
            "subject": self._text(6),
            "description": self._text(30),
            "status": "blocked" if before else self._chance.choice(["pending", "in_progress", "completed"]),
            "priority": "medium",
            "owner": MEMBERS[number % len(MEMBERS)],
            "lockedBy": "",
            "lockedAt": "",
            "blocks": [],
            "blockedBy": before,
            "startedAt": "",
            "createdAt": _DAY,
            "updatedAt": _DAY,
            "metadata": {},
        }

    def _letter(self, number: int) -> dict[str, Any]:
        return {
            "type": "message",
            "from": MEMBERS[number % len(MEMBERS)],
            "to": MEMBERS[(number + 1) % len(MEMBERS)],
            "content": self._text(20),
            "requestId": self._id() + "0000",
            "timestamp": _DAY,
        }

    def _id(self) -> str:
        return f"{self._chance.getrandbits(32):08x}"

    def _text(self, words: int) -> str:
        return " ".join(self._chance.choices(WORDS, k=words))


def _config() -> dict[str, Any]:
    members = [
        {"name": name, "user": "", "agentId": f"id-{name}", "agentType": "general-purpose", "joinedAt": _DAY}
        for name in MEMBERS
    ]
    return {
        "name": Team.name,
        "description": "",
        "leadAgentId": "id-lead",
        "createdAt": _DAY,
        "members": members,
        "budgetCents": 0.0,
    }


def _cost(number: int) -> dict[str, Any]:
    return {
        "id": f"{number:08x}",
        "agentName": MEMBERS[number % len(MEMBERS)],
        "provider": "some",
        "model": "model",
        "inputTokens": number,
        "outputTokens": 7,
        "costCents": 0.25,
        "reportedAt": _DAY,
    }


def _session(name: str) -> dict[str, Any]:
    return {
        "agentName": name,
        "teamName": Team.name,
        "sessionId": "session",
        "lastTaskId": "",
        "savedAt": _DAY,
        "state": {},
    }
