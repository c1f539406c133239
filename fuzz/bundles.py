"""ClawTeam's bundles, which become the files of a team."""

from __future__ import annotations

import json
import os
from typing import Any

from takeback.adapters.clawteam import bundles
from takeback.adapters.clawteam.unpacking import covers, directories

TEAM = "alpha"


def bundle(data: bytes) -> None:
    """What is accepted becomes files inside the team's own places, under names that are one each."""
    read = bundles.parse(data, TEAM)
    inside = covers(TEAM)
    for path in (*read.files, *directories(read.raw, TEAM)):
        assert os.path.normpath(path) == path and path.isprintable() and ".." not in path.split("/"), path
        assert any(path == place or path.startswith(f"{place}/") for place in inside), path
        assert all(len(os.fsencode(name)) < 256 and not name.startswith(".") for name in path.split("/")), path
        assert path.count("/") <= 4, path
    held = ("tasks", "events", "sessions", "costs")
    many = 1 + sum(len(read.raw.get(name, [])) for name in held) + sum(map(len, read.raw.get("inboxes", {}).values()))
    assert len(read.files) == many
    assert bundles.parse(json.dumps(read.raw).encode(), TEAM).files == read.files


def made(**more: Any) -> dict[str, Any]:
    """A bundle in order, with something of everything in it."""
    time = "2026-03-01T12:00:07.5+00:00"
    message = {"type": "message", "from": "lead", "to": "ada", "content": "hello", "timestamp": time}
    raw: dict[str, Any] = {
        "meta": {"id": "20260301T120007-go", "teamName": TEAM, "tag": "go", "createdAt": time},
        "config": {"name": TEAM, "members": [{"name": "lead"}, {"name": "ada", "user": "eve"}], "budgetCents": 0.5},
        "tasks": [
            {"id": "1a", "subject": "build"},
            {"id": "2b", "subject": "test", "blockedBy": ["1a"], "metadata": {}},
        ],
        "events": [message, {"type": "idle"}],
        "sessions": [{"agentName": "ada", "teamName": TEAM, "state": {"step": 1}}],
        "costs": [{"id": "c1", "agentName": "ada", "costCents": 1.5, "inputTokens": 3, "reportedAt": time}],
        "inboxes": {"ada": [message, message], "eve_ada": []},
    }
    counted = {"memberCount": 2, "taskCount": 2, "eventCount": 2, "sessionCount": 1, "costEventCount": 1}
    raw["meta"] |= counted
    return {**raw, **more}


TARGETS = {
    "bundle": (
        bundle,
        [
            json.dumps(made(), indent=2).encode(),
            json.dumps(made(inboxes={"../../x": []})).encode(),
            json.dumps(made(tasks=[{"id": "/etc/passwd", "subject": ""}])).encode(),
            json.dumps(made(takeback={"left_out": ["plans/alpha/a.md"]})).encode(),
            b'{"meta": {"id": "x", "teamName": "alpha"}, "config": {"name": "alpha"}, "events": [{"timestamp": "\\ud800"}]}',
            b'{"meta": {"id": "x", "teamName": "alpha"}, "config": {"name": "alpha", "budgetCents": 1e999}}',
            b'{"meta":' + b"[" * 5000,
        ],
    ),
}
