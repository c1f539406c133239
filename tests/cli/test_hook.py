"""Whatever happens to a hook, the agent sees exit code 0 and the answer that it expects; what went wrong is told to the
person, once, in words."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.cli import takeback
from support.faults.zygote import Zygote
from support.hooks.forked import Hooks
from support.hooks.program import Program, child_of, command, eventually
from support.hooks.voices import VOICES, Call, Raw
from support.mounts import mounted
from support.privileges import drop_privileges
from support.trees import make_tree
from takeback.adapters.hooks.agents import AGENTS, PROBE

linux = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="it looks into /proc")


@pytest.fixture(scope="module")
def hooks() -> Iterator[Hooks]:
    with Zygote() as zygote:
        yield Hooks(zygote)


@pytest.fixture
def program(tmp_path: Path, home: Path, hooks: Hooks) -> Program:
    program = Program(tmp_path, home, hooks)
    program.world.write("a.txt", "there before\n")
    return program


def status(program: Program, **env: str) -> str:
    done = takeback("status", cwd=program.world.root, env={**program.env, **env})
    assert done.returncode == 0, done
    return done.stdout.decode()


def test_the_first_event_makes_the_store(program: Program) -> None:
    program.hooks = None
    program.turn("write it", "b.txt", "b")
    assert program.turns() == ["write it"]
    assert program.notices() == []
    program.world.undo()
    assert program.world.files() == {"a.txt": b"there before\n"}


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_hears_what_it_expects_and_nothing_else(agent: str, program: Program) -> None:
    voice = VOICES[agent]("s", program.world.root.as_posix(), str(program.world.base))
    for raw in (*voice.begin(), *voice.prompt("x"), *voice.look(), *voice.stop()):
        program(raw, agent)
    program({"hook_event_name": PROBE}, agent)
    program({"hook_event_name": "SomethingNew", "session_id": "s"}, agent)
    assert program.notices() == []


# what agents may say


@pytest.mark.parametrize("agent", ["claude-code", "gemini-cli"])
@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"null", b"[]", b"\xff\xfe\0", random.Random(1).randbytes(5000), b"[" * 200_000, b'{"a":' * 200_000],
)
def test_what_is_no_event_is_told_to_the_person(data: bytes, agent: str, program: Program) -> None:
    program(data, agent)
    (notice,) = program.notices()
    assert notice.where == f"hook {agent}"
    assert notice.message.startswith("an event was not recorded, because it is no JSON")
    assert notice.hints


def test_fifty_megabytes_of_input_are_recorded_in_little_memory(program: Program) -> None:
    def little() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

    def large(raw: Raw) -> bytes:
        """The event in the bytes that an agent would send."""
        text, more = "é".encode() * (25 << 20), b"x" * (50 << 20)
        return json.dumps(raw).encode().replace(b"LARGE", text).replace(b"LONG", more)

    call, command = Call(path=f"{program.world.root}/large.txt", text="LARGE"), Call(command="echo LONG")
    program.say(*program.voice.prompt("a large one"))
    for raw in program.voice.before(call):
        program(large(raw), preexec_fn=little)
    program.world.write("large.txt", "written")
    for raw in (*program.voice.after(call), *program.voice.before(command), *program.voice.after(command)):
        program(large(raw), preexec_fn=little)
    program.say(*program.voice.stop())
    assert program.notices() == []
    assert program.turns() == ["a large one"]
    assert sum(file.stat().st_size for file in program.store.rglob("*") if file.is_file()) < 2 << 20


# where it is called


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
@pytest.mark.parametrize("agent", ["claude-code", "gemini-cli"])
def test_closed_streams_do_not_matter(closed: tuple[int, ...], agent: str, program: Program) -> None:
    def close() -> None:
        for stream in closed:
            os.close(stream)

    program.say(*program.voice.begin())
    voice = VOICES[agent]("s", str(program.world.root), "/")
    done = program.called(voice.prompt("hello")[0], agent, preexec_fn=close)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == (b"" if 1 in closed else AGENTS[agent].reply)
    told = [notice.message for notice in program.notices()]
    assert [message[:25] for message in told] == (["an event was not recorded"] if 0 in closed else [])
    assert program.world.store.verify(read_data=True).ok


def test_a_reader_that_has_gone_does_not_matter(program: Program) -> None:
    read, write = os.pipe()
    os.close(read)
    done = program.called({"hook_event_name": PROBE}, "gemini-cli", capture_output=False, stdout=write, stderr=write)
    os.close(write)
    assert done.returncode == 0


def test_a_working_directory_that_is_gone_does_not_matter(program: Program) -> None:
    gone = program.world.base / "gone"
    gone.mkdir()
    script = f"rmdir {gone} && exec {' '.join(command('claude-code'))}"
    raw = json.dumps(program.voice.prompt("hello")[0]).encode()
    done = subprocess.run(["/bin/sh", "-c", script], cwd=gone, env=program.env, input=raw, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert program.notices() == []
    gone.mkdir()
    nowhere = json.dumps({**program.voice.prompt("hello")[0], "session_id": "two", "cwd": ""}).encode()
    done = subprocess.run(["/bin/sh", "-c", script], cwd=gone, env=program.env, input=nowhere, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    (notice,) = program.notices()
    assert "the agent was started is gone" in notice.message and notice.hints


def test_what_a_project_is_called_or_holds_is_not_run(program: Program) -> None:
    for name in ("takeback/__init__.py", "json.py", "blake3.py", "sitecustomize.py"):
        program.world.write(name, "raise SystemExit(2)\n")
    program(program.voice.prompt("hello")[0], cwd=program.world.root)
    assert program.notices() == []


def test_the_directory_of_an_agent_that_is_gone_is_told(program: Program) -> None:
    program({**program.voice.prompt("hello")[0], "cwd": str(program.world.base / "nowhere")})
    (notice,) = program.notices()
    assert "nowhere: it does not exist" in notice.message and notice.hints


def test_a_root_that_was_deleted_is_told_and_no_other_is_recorded_instead(program: Program, home: Path) -> None:
    program.turn("write it", "b.txt", "b")
    shutil.rmtree(program.world.root)
    program.voice.cwd = str(home)
    program.say(*program.voice.prompt("and now?"), *program.voice.stop(), *program.voice.leave())
    (notice,) = program.notices()
    assert "is gone, so its turns are not recorded" in notice.message and notice.hints
    program.world.root.mkdir()
    program.say(*program.voice.prompt("it is back"), *program.voice.stop())
    assert [row.root for row in program.world.store.timelines()] == [str(program.world.root)]


def test_a_home_directory_is_not_recorded_and_that_is_told_once(program: Program, home: Path) -> None:
    make_tree(home, {"private": "x"})
    program.voice.cwd = str(home)
    for number in range(4):
        call = Call(command=f"echo {number}")
        program.say(*program.voice.prompt("x"), *program.voice.before(call), *program.voice.after(call))
    (notice,) = program.notices()
    assert "holds your home directory, so its turns are not recorded" in notice.message
    assert program.world.store.timelines() == []
    assert "holds your home directory" in status(program)
    assert program.notices() == []


# what it finds


def test_a_store_that_is_a_file_is_left_alone(program: Program) -> None:
    program.store.write_text("mine")
    program.say(*program.voice.prompt("hello"), *program.voice.stop())
    assert program.store.read_text() == "mine"
    (notice,) = program.notices()
    assert str(program.store) in notice.message


def test_a_store_in_memory_is_told_to_be_none(program: Program) -> None:
    program(program.voice.prompt("hello")[0], env={"TAKEBACK_STORE": ":memory:"}, cwd=program.world.root)
    (notice,) = program.notices()
    assert "a store in memory ends with each hook" in notice.message
    assert sorted(program.world.files()) == ["a.txt"]


def test_a_full_disk_is_told_and_the_next_turn_is_recorded_when_there_is_room(program: Program) -> None:
    with mounted(program.store, "-t", "tmpfs", "-o", "size=2m", "tmpfs"):
        program.turn("first", "b.txt", "b")
        full = program.store / "full"
        with pytest.raises(OSError), full.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        program.turn("second", "c.txt", "c" * 100_000)
        assert program.notices()
        assert all("disk is full" in f"{notice.message} {notice.hints}" for notice in program.notices())
        full.unlink()
        assert "disk is full" in status(program)
        program.turn("third", "d.txt", "d")
        assert {"first", "third"} <= set(program.turns())
        assert program.world.store.verify(read_data=True).ok
        program.world.store.close()


def test_a_home_that_can_only_be_read_is_told_by_the_next_command(program: Program, home: Path) -> None:
    del program.env["TAKEBACK_STORE"]
    program.env["XDG_DATA_HOME"] = str(home / "data")
    home.chmod(0o555)
    try:
        for raw in (*program.voice.prompt("hello"), *program.voice.stop()):
            program(raw, preexec_fn=drop_privileges)
        (notice,) = program.notices()
        assert str(home / "data") in notice.message
        assert notice.message in status(program)
        assert program.notices() == []
    finally:
        home.chmod(0o755)


def user_configuration(text: str) -> None:
    file = Path(os.environ["XDG_CONFIG_HOME"], "takeback/config.toml")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.mark.parametrize("text", ["store = [", "nonsense = 1", 'strict = "perhaps"', "store = 1", "\0"])
def test_a_broken_user_configuration_is_told(text: str, program: Program, home: Path) -> None:
    del program.env["TAKEBACK_STORE"]
    program.store = home / ".local/share/takeback"
    user_configuration(text)
    program.say(*program.voice.prompt("hello"), *program.voice.stop())
    (notice,) = program.notices()
    assert "config.toml" in notice.message


@pytest.mark.parametrize("text", ["include = [", "store = '/elsewhere'\nstrict = true", 'snapshots = "perhaps"', "\0"])
def test_a_broken_project_file_stops_nothing(text: str, program: Program) -> None:
    program.world.write("takeback.toml", text)
    program.turn("write it", "b.txt", "b")
    assert program.turns() == ["write it"]
    assert program.notices() == []


def test_a_damaged_store_is_told(program: Program) -> None:
    program.turn("write it", "b.txt", "b")
    (program.store / "catalogue.db").write_bytes(b"no database" * 1000)
    for name in ("catalogue.db-wal", "catalogue.db-shm"):
        (program.store / name).unlink(missing_ok=True)
    program.say(*program.voice.prompt("again"), *program.voice.stop())
    (notice,) = program.notices()
    assert "bug" not in notice.message and notice.hints


def test_a_store_of_a_newer_takeback_is_left_alone(program: Program) -> None:
    program.turn("write it", "b.txt", "b")
    header = program.store / "store.json"
    header.write_text(json.dumps({**json.loads(header.read_text()), "format": 99}))
    before = header.read_bytes()
    program.say(*program.voice.prompt("again"), *program.voice.stop())
    (notice,) = program.notices()
    assert "newer takeback" in notice.message and notice.hints
    assert header.read_bytes() == before


# ends that come too soon


@linux
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_an_agent_that_loses_patience_loses_no_turn(number: signal.Signals, program: Program) -> None:
    call = Call(command="make b")
    program.say(*program.voice.prompt("work"), *program.voice.before(call))
    program.world.write("b.txt", "b")
    with program.busy() as until_it_waits:
        process = program.started(program.voice.after(call)[0])
        until_it_waits()
        process.send_signal(number)
        out, err = process.communicate()
        assert (out, err) == (b"", b"")
        assert process.returncode == (-number if number == signal.SIGKILL else 0)
    program.finished()
    program.say(*program.voice.stop())
    assert program.notices() == []
    assert program.turns() == ["work"]
    program.world.undo()
    assert sorted(program.world.files()) == ["a.txt"]


@linux
def test_an_agent_that_never_closes_the_pipe_is_answered_when_it_wants_the_end(program: Program) -> None:
    with subprocess.Popen(command("gemini-cli"), stdin=-1, stdout=-1, cwd="/", env=program.env) as process:
        assert process.stdout is not None
        eventually(lambda: catches(process.pid, signal.SIGHUP))
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read() == b"{}\n"
        assert process.wait() == 0


def catches(pid: int, number: signal.Signals) -> bool:
    caught = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("SigCgt"))
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)


@linux
def test_a_killed_save_is_told_and_the_agent_goes_on(program: Program) -> None:
    program.say(*program.voice.prompt("work"))
    with program.busy() as until_it_waits:
        process = program.started(program.voice.before(Call(command="make"))[0])
        child = child_of(process.pid)
        until_it_waits()
        os.kill(child, signal.SIGKILL)
        out, err = process.communicate()
    assert (process.returncode, out, err) == (0, b"", b"")
    (notice,) = program.notices()
    assert "killed before it could save" in notice.message and notice.hints
    program.turn("go on", "b.txt", "b")
    assert program.turns() == ["go on"]


def test_a_save_in_progress_is_waited_for(program: Program) -> None:
    program.say(*program.voice.prompt("work"))
    call = Call(path=f"{program.world.root}/b.txt", text="b")
    with program.busy() as until_it_waits:
        process = program.started(program.voice.before(call)[0])
        until_it_waits()
        assert process.poll() is None
    assert process.communicate() == (b"", b"") and process.returncode == 0
    program.world.write("b.txt", "b")
    program.say(*program.voice.after(call), *program.voice.stop())
    assert program.turns() == ["work"] and program.notices() == []


def test_the_end_of_a_session_waits_for_nobody_and_is_recorded_later(program: Program) -> None:
    """The agent is answered while the save is still held up, and so it would be by twenty thousand files."""
    call = Call(command="make many")
    program.say(*program.voice.prompt("work"), *program.voice.before(call))
    for number in range(200):
        program.world.write(f"many/{number}", f"{number}")
    with program.busy() as until_it_waits:
        for raw in program.voice.leave():
            program(raw)
        until_it_waits()
    program.finished()
    (turn,) = (move for move in program.world.moves() if move.level == "turn")
    assert not turn.open
    program.world.undo(shared=True)  # nothing has told that the command ended
    assert sorted(program.world.files()) == ["a.txt"]


# settings


def failing(program: Program) -> None:
    """From now on nothing can be saved."""
    header = program.store / "store.json"
    header.write_text(json.dumps({**json.loads(header.read_text()), "format": 99}))


def test_strict_stops_an_agent_before_it_does_something_and_never_when_it_ends(program: Program) -> None:
    call = Call(command="make")
    program.env["TAKEBACK_STRICT"] = "1"
    program.say(*program.voice.begin(), *program.voice.prompt("x"), *program.voice.before(call))
    failing(program)
    for raw in (*program.voice.prompt("x"), *program.voice.before(call)):
        done = program.called(raw)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.startswith(b"takeback: ") and b"newer takeback" in done.stderr
    program.say(*program.voice.after(call), *program.voice.stop(), *program.voice.leave(), *program.voice.begin())
    program(b"no event")


@linux
def test_strict_stops_an_agent_whose_step_was_killed(program: Program) -> None:
    program.env["TAKEBACK_STRICT"] = "1"
    program.say(*program.voice.prompt("work"))
    with program.busy() as until_it_waits:
        process = program.started(program.voice.before(Call(command="make"))[0])
        child = child_of(process.pid)
        until_it_waits()
        os.kill(child, signal.SIGKILL)
        out, err = process.communicate()
    assert (process.returncode, out) == (2, b"") and b"killed before it could save" in err


def test_a_project_cannot_be_strict_with_its_users(program: Program) -> None:
    program.world.write("takeback.toml", "strict = true\n")
    program.say(*program.voice.prompt("x"))
    failing(program)
    program.say(*program.voice.prompt("x"), *program.voice.before(Call(command="make")))


def by_the_user(program: Program) -> None:
    user_configuration("snapshots = false\n")


def by_the_project(program: Program) -> None:
    program.world.write("takeback.toml", "snapshots = false\n")


@pytest.mark.parametrize("switch", [by_the_user, by_the_project])
def test_snapshots_can_be_switched_off(switch: Callable[[Program], None], program: Program) -> None:
    switch(program)
    program.turn("write it", "b.txt", "b")
    assert program.world.store.timelines() == [] and program.notices() == []


def test_a_project_that_wants_snapshots_has_them_also_where_the_user_does_not(program: Program) -> None:
    by_the_user(program)
    program.world.write("takeback.toml", "snapshots = true\n")
    program.turn("write it", "b.txt", "b")
    assert program.turns() == ["write it"]


@pytest.mark.parametrize("first", ["true", "false"])
def test_what_an_agent_writes_into_the_project_s_file_changes_nothing(first: str, program: Program) -> None:
    program.world.write("takeback.toml", f"snapshots = {first}\n")
    program.turn("write it", "b.txt", "b")
    program.world.write("takeback.toml", f"snapshots = {'false' if first == 'true' else 'true'}\n")
    program.turn("again", "c.txt", "c")
    recorded = program.turns() if program.world.store.timelines() else []
    assert recorded == (["write it", "again"] if first == "true" else [])


@pytest.mark.parametrize(("value", "recorded"), [("1", False), ("true", False), ("0", True), ("", True)])
def test_an_environment_can_turn_hooks_off(value: str, recorded: bool, program: Program) -> None:
    program.hooks = None  # it is the command that looks at it
    program.env["TAKEBACK_OFF"] = value
    program.turn("write it", "b.txt", "b")
    program(b"no event" if not recorded else {"hook_event_name": PROBE}, "gemini-cli")
    assert program.store.exists() is recorded
    assert program.notices() == []


# many at once


def all_at_once(program: Program, raws: list[tuple[str, dict[str, Any]]]) -> None:
    """Start all of them, then let them read."""
    processes = [
        (agent, raw, subprocess.Popen(command(agent), stdin=-1, stdout=-1, stderr=-1, cwd="/", env=program.env))
        for agent, raw in raws
    ]
    for _, raw, process in processes:
        assert process.stdin is not None
        process.stdin.write(json.dumps(raw).encode())
        process.stdin.close()
        process.stdin = None
    for agent, _, process in processes:
        out, err = process.communicate()
        assert (process.returncode, out, err) == (0, AGENTS[agent].reply, b"")


def test_twenty_calls_of_tools_at_once_are_all_recorded(program: Program) -> None:
    """Also if they are the first that is heard of the session, or come after its turn has ended."""
    calls = [Call(command=f"make {number}") for number in range(20)]
    all_at_once(program, [("claude-code", program.voice.before(call)[0]) for call in calls])
    for number in range(20):
        program.world.write(f"made/{number}", f"{number}")
    all_at_once(program, [("claude-code", program.voice.after(call)[0]) for call in calls])
    program.say(*program.voice.stop())
    assert program.notices() == []
    assert program.turns() == ["a turn of claude-code"]
    program.world.undo()
    assert sorted(program.world.files()) == ["a.txt"]
    assert program.world.store.verify(read_data=True).ok


def test_calls_at_once_of_a_session_that_nobody_knows_are_one_turn(program: Program) -> None:
    program.say(*program.voice.begin())
    calls = [Call(command=f"make {number}") for number in range(6)]
    with program.busy() as until_it_waits:
        processes = [program.started(program.voice.before(call)[0]) for call in calls]
        until_it_waits()
    for process in processes:
        assert process.communicate() == (b"", b"") and process.returncode == 0
    for number in range(6):
        program.world.write(f"made/{number}", f"{number}")
    program.say(*(raw for call in calls for raw in program.voice.after(call)), *program.voice.stop())
    assert program.turns() == ["a turn of claude-code"] and program.notices() == []
    assert sum(move.level == "action" for move in program.world.moves()) == 6
    program.world.undo()
    assert sorted(program.world.files()) == ["a.txt"]


def test_all_agents_at_once_are_all_recorded(program: Program) -> None:
    voices = [VOICES[agent](f"of {agent}", str(program.world.root), "/nowhere") for agent in VOICES]
    calls = {voice: Call(path=f"{program.world.root}/{voice.agent}.txt", text="x") for voice in voices}
    all_at_once(program, [(voice.agent, voice.prompt(f"ask {voice.agent}")[0]) for voice in voices])
    all_at_once(program, [(voice.agent, voice.before(calls[voice])[0]) for voice in voices])
    for voice in voices:
        program.world.write(f"{voice.agent}.txt", "x")
    all_at_once(program, [(voice.agent, voice.after(calls[voice])[0]) for voice in voices])
    all_at_once(program, [(voice.agent, voice.stop()[0]) for voice in voices])
    assert program.notices() == []
    assert sorted(program.turns()) == sorted(f"ask {agent}" for agent in VOICES)
    codex = next(move for move in program.world.moves() if move.title == "ask codex")
    program.world.undo(codex.id)
    assert sorted(program.world.files()) == sorted(["a.txt", *(f"{agent}.txt" for agent in VOICES if agent != "codex")])
