"""What belongs to a team's members: those that run, by the registries that ClawTeam keeps."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from takeback.sources.team import processes, records
from takeback.sources.team.records import shown

_MOST = 1000
"""So many members are looked at; no team has as many."""

_HERE = frozenset({"localhost", "127.0.0.1", "::1"})


class Running(NamedTuple):
    """A member whose program is there, and how that is known."""

    name: str
    how: str


def running(root: str, team: str) -> tuple[Running, ...]:
    """The members of a team, in the data directory ``root``, that seem to be running now.

    Where nobody can tell whether a process is still the one that was noted, it counts as running.
    """
    found: dict[str, str] = {}
    for name, how in (*_spawned(root, team), *_peers(root, team)):
        found.setdefault(shown(name), how)
    return tuple(Running(name, how) for name, how in sorted(found.items()))


def _spawned(root: str, team: str) -> Iterator[tuple[str, str]]:
    """Those that `clawteam spawn` has noted."""
    record = records.read(root, f"teams/{team}/spawn_registry.json")
    if record is None:
        return
    panes: list[processes.Pane] | None = None
    for name, info in list(record.data.items())[:_MOST]:
        if not isinstance(info, dict):
            continue
        target, word = _text(info.get("tmux_target")), _first_word(info.get("command"))
        if target and panes is None:
            panes = processes.panes()
        runs = next((runs for pane in panes or () if target and (runs := pane.runs_at(target))), "")
        if runs:
            yield name, f"tmux {shown(target)} ({shown(runs)})"
        elif (program := processes.running(info.get("pid"), record.written_ns, word)) is not None:
            yield name, _process(info["pid"], program)


def _peers(root: str, team: str) -> Iterator[tuple[str, str]]:
    """Those that listen for messages: here by their process, elsewhere by the lease that they renew."""
    directory = f"teams/{team}/peers"
    for name in records.names(root, directory, ".json", _MOST):
        record = records.read(root, f"{directory}/{name}.json")
        if record is None:
            continue
        info, port = record.data, record.data.get("port")
        at = f" on port {port}" if type(port) is int else ""
        host = _text(info.get("host"))
        if host not in _HERE and host != socket.gethostname():
            if _lease_holds(info):
                yield name, f"peer{at} of {shown(host)}"
            continue
        # While the lease holds, the file's time says nothing: whoever renews it is there.
        noted_ns = time.time_ns() if _lease_holds(info) else record.written_ns
        program = processes.running(info.get("pid"), noted_ns)
        if program is not None:
            yield name, f"peer{at}, {_process(info['pid'], program)}"


def _lease_holds(info: dict[str, Any]) -> bool:
    until, beat, length = (info.get(key) for key in ("leaseExpiresAtMs", "heartbeatAtMs", "leaseDurationMs"))
    if type(until) is not int and type(beat) is int and type(length) is int:
        until = beat + length
    return type(until) is int and until >= time.time_ns() // 1_000_000


def _process(pid: int, program: str) -> str:
    return f"pid {pid} ({shown(program)})" if program else f"pid {pid}"


def _first_word(command: object) -> str:
    return _text(command[0]) if isinstance(command, list) and command else ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
