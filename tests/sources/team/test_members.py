"""Which members run: real processes, noted by the real clawteam, and notes that somebody else has been at."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from clawteam.spawn import registry
from clawteam.transport.p2p import P2PTransport

from support.processes import in_child
from takeback.sources.team import processes
from takeback.sources.team.members import Running, running


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLAWTEAM_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def program() -> Iterator[subprocess.Popen[bytes]]:
    """A process that waits until it is ended."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.communicate()


@pytest.fixture
def tmux(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server of its own; its socket's path must be short."""
    directory = tempfile.mkdtemp(prefix="tmux-", dir="/tmp")
    monkeypatch.setenv("TMUX_TMPDIR", directory)
    monkeypatch.delenv("TMUX", raising=False)
    yield
    subprocess.run(["tmux", "kill-server"], stderr=subprocess.DEVNULL)
    shutil.rmtree(directory)


def _window(session: str, name: str, command: str) -> int:
    """A new window of tmux in which a program runs, by its name and arguments; the pid of its pane."""
    new = ["new-session", "-d", "-s", session, "-n", name, "-P", "-F", "#{pane_pid}", f"exec {command}"]
    done = subprocess.run(["tmux", "-f", "/dev/null", *new], check=True, capture_output=True, text=True)
    pid = int(done.stdout)
    while not Path(f"/proc/{pid}/cmdline").read_bytes().startswith(command.split()[0].encode() + b"\0"):
        time.sleep(0.01)  # it is still tmux, or the shell
    return pid


def _written(data: Path, text: str | bytes) -> Path:
    path = data / "teams" / "alpha" / "spawn_registry.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def _older(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


def test_a_spawned_process_runs_until_it_has_ended(data: Path, program: subprocess.Popen[bytes]) -> None:
    registry.register_agent("alpha", "alice", "subprocess", pid=program.pid, command=["/opt/claude", "--print"])
    assert registry.is_agent_alive("alpha", "alice") is True
    assert running(str(data), "alpha") == (Running("alice", f"pid {program.pid} (claude)"),)
    program.kill()
    program.wait()
    assert registry.is_agent_alive("alpha", "alice") is False
    assert running(str(data), "alpha") == ()


def test_a_process_that_has_ended_but_that_nobody_waited_for_does_not_run(data: Path) -> None:
    program = subprocess.Popen([sys.executable, "-c", ""])
    registry.register_agent("alpha", "alice", "subprocess", pid=program.pid, command=["claude"])
    os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOWAIT)  # it is a zombie now
    assert running(str(data), "alpha") == ()
    program.wait()


def test_a_process_of_somebody_else_runs(data: Path) -> None:
    def asked() -> str | None:
        if os.geteuid() == 0:
            os.setuid(65534)
        with pytest.raises(PermissionError):
            os.kill(1, 0)
        return processes.running(1, time.time_ns(), "claude")

    assert in_child(asked) == (0, "claude")


def test_a_number_that_another_process_got_later_does_not_count(data: Path, program: subprocess.Popen[bytes]) -> None:
    registry.register_agent("alpha", "alice", "subprocess", pid=program.pid, command=["claude"])
    _older(data / "teams" / "alpha" / "spawn_registry.json", 3600)
    assert running(str(data), "alpha") == ()


def test_a_process_with_the_command_that_was_noted_counts_whatever_the_clock_says(
    data: Path, program: subprocess.Popen[bytes]
) -> None:
    registry.register_agent("alpha", "alice", "subprocess", pid=program.pid, command=[sys.executable, "-c"])
    _older(data / "teams" / "alpha" / "spawn_registry.json", 3600)
    assert [member.name for member in running(str(data), "alpha")] == ["alice"]


def test_members_of_other_teams_and_of_teams_that_are_not_there_are_nobody(
    data: Path, program: subprocess.Popen[bytes]
) -> None:
    registry.register_agent("beta", "bob", "subprocess", pid=program.pid, command=["claude"])
    assert running(str(data), "alpha") == ()
    assert running(str(data / "nowhere"), "alpha") == ()


@pytest.mark.service("tmux")
def test_a_pane_with_a_program_runs_and_one_of_a_like_name_does_not_stand_for_it(data: Path, tmux: None) -> None:
    _window("clawteam-alpha", "alice", "sleep 1000")
    registry.register_agent("alpha", "alice", "tmux", tmux_target="clawteam-alpha:alice", command=["claude"])
    registry.register_agent("alpha", "ali", "tmux", tmux_target="clawteam-alpha:ali", command=["claude"])
    assert running(str(data), "alpha") == (Running("alice", "tmux clawteam-alpha:alice (sleep)"),)
    subprocess.run(["tmux", "kill-window", "-t", "clawteam-alpha:alice"], check=True)
    assert running(str(data), "alpha") == ()


@pytest.mark.service("tmux")
def test_a_pane_in_which_only_a_shell_is_left_runs_only_if_its_process_is_the_members(data: Path, tmux: None) -> None:
    pid = _window("clawteam-alpha", "alice", "bash --norc")
    registry.register_agent("alpha", "alice", "tmux", tmux_target="clawteam-alpha:alice", command=["claude"])
    assert registry.is_agent_alive("alpha", "alice") is False
    assert running(str(data), "alpha") == ()
    registry.register_agent("alpha", "alice", "tmux", tmux_target="clawteam-alpha:alice", pid=pid, command=["claude"])
    assert registry.is_agent_alive("alpha", "alice") is True
    assert running(str(data), "alpha") == (Running("alice", f"pid {pid} (claude)"),)


def test_without_tmux_the_process_is_asked(
    data: Path, program: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for name, pid in (("alice", program.pid), ("bob", 0)):
        target = f"clawteam-alpha:{name}"
        registry.register_agent("alpha", name, "tmux", tmux_target=target, pid=pid, command=["claude"])
    assert running(str(data), "alpha") == (Running("alice", f"pid {program.pid} (claude)"),)


def test_a_tmux_that_never_answers_is_not_waited_for(
    data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tool = tmp_path / "bin" / "tmux"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\nexec /bin/sleep 1000\n")
    tool.chmod(0o700)
    monkeypatch.setenv("PATH", str(tool.parent))
    monkeypatch.setattr(processes, "_PATIENCE", 0.05)
    registry.register_agent("alpha", "alice", "tmux", tmux_target="clawteam-alpha:alice", command=["claude"])
    assert running(str(data), "alpha") == ()


def test_nothing_that_was_noted_becomes_an_argument_or_a_command(
    data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tool = tmp_path / "bin" / "tmux"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" >> {tmp_path}/asked\necho '0 x:y top'\n")
    tool.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    for at, target in enumerate(["-Lother", f"$(touch {tmp_path}/ran)", "x:y; kill-server", "x:y"]):
        registry.register_agent("alpha", f"m{at}", "tmux", tmux_target=target, command=["claude"])
    assert running(str(data), "alpha") == (Running("m3", "tmux x:y (top)"),)
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[:3] == ["list-panes", "-a", "-F"]
    assert len(asked) == 4
    assert not (tmp_path / "ran").exists()


def _listen(data: Path, agent: str, **changed: object) -> Path:
    """As an agent that listens for messages notes itself; without a socket."""
    peer = P2PTransport("alpha")
    peer._bind_agent, peer._port = agent, 5555
    peer._register_peer()
    path = data / "teams" / "alpha" / "peers" / f"{agent}.json"
    if changed:
        path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))
    return path


def test_a_peer_of_this_machine_runs_while_its_process_does(data: Path, program: subprocess.Popen[bytes]) -> None:
    _listen(data, "alice", pid=program.pid)
    [member] = running(str(data), "alpha")
    assert member.name == "alice"
    assert member.how.startswith(f"peer on port 5555, pid {program.pid} (")
    program.kill()
    program.wait()
    assert running(str(data), "alpha") == ()


def test_the_number_of_a_peer_that_another_process_got_later_does_not_count(
    data: Path, program: subprocess.Popen[bytes]
) -> None:
    path = _listen(data, "alice", pid=program.pid, leaseExpiresAtMs=1)
    _older(path, 3600)
    assert running(str(data), "alpha") == ()


def test_a_peer_of_another_machine_runs_while_its_lease_holds(data: Path) -> None:
    _listen(data, "alice", host="far.example", pid=1)
    assert running(str(data), "alpha") == (Running("alice", "peer on port 5555 of far.example"),)
    _listen(data, "alice", host="far.example", pid=1, leaseExpiresAtMs=int(time.time() * 1000) - 1)
    assert running(str(data), "alpha") == ()
    _listen(data, "alice", host="far.example", pid=1, leaseExpiresAtMs=None, heartbeatAtMs=None)
    assert running(str(data), "alpha") == ()


def test_a_member_that_was_spawned_and_listens_is_one(data: Path, program: subprocess.Popen[bytes]) -> None:
    registry.register_agent("alpha", "alice", "subprocess", pid=program.pid, command=["claude"])
    _listen(data, "alice", pid=program.pid)
    assert running(str(data), "alpha") == (Running("alice", f"pid {program.pid} (claude)"),)


HOSTILE = [
    "",
    "{",
    "[]",
    "null",
    "[" * 100_000,
    '{"alice": null, "bob": [], "eve": "x"}',
    '{"alice": {"pid": "1", "tmux_target": 7, "command": "claude"}}',
    '{"alice": {"pid": true}, "bob": {"pid": -1}, "eve": {"pid": 0}, "mallory": {"pid": 1.0}}',
    '{"alice": {"pid": ' + "9" * 4000 + "}}",
    '{"alice": {"pid": ' + "9" * 9000 + "}}",
    '{"alice": {"pid": 4294967297}}',
    '{"alice": {"pid": NaN, "command": [null]}}',
    b"\xff\xfe\x00",
    b"\x00" * 64,
    " " * (5 << 20) + "{}",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_notes_that_make_no_sense_are_nobody(data: Path, text: str | bytes) -> None:
    path = _written(data, text)
    peers = data / "teams" / "alpha" / "peers"
    peers.mkdir()
    shutil.copy(path, peers / "alice.json")
    assert running(str(data), "alpha") == ()


@pytest.mark.parametrize("lease", ["1e400", '"soon"', "[]", "9" * 5000, "true"])
def test_leases_that_make_no_sense_do_not_hold(data: Path, lease: str) -> None:
    peers = data / "teams" / "alpha" / "peers"
    peers.mkdir(parents=True)
    (peers / "alice.json").write_text(f'{{"host": "far.example", "leaseExpiresAtMs": {lease}}}')
    assert running(str(data), "alpha") == ()


def test_links_fifos_sockets_and_directories_in_the_place_of_notes_are_nobody(
    data: Path, tmp_path: Path, program: subprocess.Popen[bytes]
) -> None:
    registry.register_agent("beta", "bob", "subprocess", pid=program.pid, command=["claude"])
    real = data / "teams" / "beta" / "spawn_registry.json"
    path = _written(data, "")
    path.unlink()
    path.symlink_to(real)
    assert running(str(data), "alpha") == ()
    path.unlink()
    os.mkfifo(path)
    assert running(str(data), "alpha") == ()
    path.unlink()
    path.mkdir()
    assert running(str(data), "alpha") == ()
    path.rmdir()
    peers = path.parent / "peers"
    os.mkfifo(peers)
    assert running(str(data), "alpha") == ()
    peers.unlink()
    path.parent.rmdir()
    path.parent.symlink_to(real.parent)
    assert running(str(data), "alpha") == ()


def test_a_name_with_control_characters_is_shown_without(data: Path, program: subprocess.Popen[bytes]) -> None:
    name = "al\x1b[31mice\n" + "x" * 500
    registry.register_agent("alpha", name, "subprocess", pid=program.pid, command=["cl\x07aude"])
    [member] = running(str(data), "alpha")
    assert member == Running("al?[31mice?" + "x" * 89, f"pid {program.pid} (cl?aude)")


def test_this_machine_is_known_by_its_name(data: Path, program: subprocess.Popen[bytes]) -> None:
    _listen(data, "alice", host=socket.gethostname(), pid=program.pid, leaseExpiresAtMs=1)
    assert [member.name for member in running(str(data), "alpha")] == ["alice"]
