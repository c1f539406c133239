"""takeback as a program: what a script or a person's shell sees of it."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.cli import PROGRAM, modules_of, program
from support.privileges import run_as_ordinary_user


def test_save_break_undo(project: Path) -> None:
    (project / "a.txt").write_text("one\n")
    saved = program("save", "-m", "good", "--json", cwd=project)
    assert (saved.returncode, saved.stderr) == (0, b"")
    (project / "a.txt").write_text("broken\n")
    undone = program("undo", "--yes", "--json", cwd=project)
    assert (undone.returncode, undone.stderr) == (0, b"")
    assert json.loads(undone.stdout)["changed"] == ["a.txt"]
    assert (project / "a.txt").read_text() == "one\n"
    assert program("redo", "--yes", cwd=project).returncode == 0
    assert (project / "a.txt").read_text() == "broken\n"


def test_the_installed_command_is_the_same(project: Path) -> None:
    command = Path(sys.executable).with_name("takeback")
    done = subprocess.run([command, "--version"], capture_output=True, cwd=project)
    assert done.stdout == program("--version", cwd=project).stdout


def test_what_is_not_needed_is_not_loaded(project: Path) -> None:
    assert not {"click", "rich", "apsw"} & modules_of(["--version"], project)
    assert not {"rich", "asyncio", "difflib"} & modules_of(["save", "--json"], project)
    assert not {"rich", "asyncio"} & modules_of(["log"], project)
    assert not {"rich", "apsw"} & modules_of(["undo", "--help"], project)


def test_errors_have_no_traceback_and_their_own_exit_codes(project: Path) -> None:
    (project / "a.txt").write_text("one\n")
    assert program("save", cwd=project).returncode == 0
    for arguments, code in [
        (["show", "nonsense"], 10),
        (["undo", "--yes"], 10),
        (["undo"], 10),
        (["restore", "@"], 2),
        (["-C", "nowhere", "log"], 2),
        (["--store", "a.txt", "log"], 2),
        (["nonsense"], 2),
    ]:
        done = program(*arguments, cwd=project)
        assert done.returncode == code, arguments
        assert done.stderr.startswith(b"takeback: ")
        assert b"Traceback" not in done.stderr
        assert done.stdout == b""


def test_a_store_that_may_only_be_read(project: Path, tmp_path: Path) -> None:
    (project / "a.txt").write_text("one\n")
    program("save", "-m", "good", cwd=project)
    (project / "a.txt").write_text("two\n")
    for directory, _, files in os.walk(tmp_path / "store"):
        for name in files:
            Path(directory, name).chmod(0o400)
        os.chmod(directory, 0o500)
    try:
        shown = run_as_ordinary_user([*PROGRAM, "show", "good:a.txt"], cwd=project)
        assert (shown.returncode, shown.stdout) == (0, b"one\n")
        assert run_as_ordinary_user([*PROGRAM, "log"], cwd=project).returncode == 0
        assert run_as_ordinary_user([*PROGRAM], cwd=project).returncode == 0
        compared = run_as_ordinary_user([*PROGRAM, "diff"], cwd=project)
        assert b"-one\n+two\n" in compared.stdout, compared.stderr
        for arguments in (["undo", "--dry-run"], ["restore", "good", "--dry-run"]):
            planned = run_as_ordinary_user([*PROGRAM, *arguments], cwd=project)
            assert b"a.txt" in planned.stdout, planned.stderr
        for arguments in (["save"], ["undo", "--yes"], ["label", "@", "x"], ["pin", "@"], ["drop", "@", "--yes"]):
            done = run_as_ordinary_user([*PROGRAM, "--json", *arguments], cwd=project)
            assert done.returncode == 15, (arguments, done.stderr)
            error = json.loads(done.stderr)["error"]
            assert error["kind"] == "Unavailable"
            assert error["hints"]
        doctor = run_as_ordinary_user([*PROGRAM, "doctor", "--json"], cwd=project)
        assert doctor.returncode == 1
    finally:
        for directory, _, _ in os.walk(tmp_path / "store"):
            os.chmod(directory, 0o700)
    assert (project / "a.txt").read_text() == "two\n"


def test_a_pipe_that_is_closed_early_is_no_error(project: Path) -> None:
    for number in range(600):
        (project / f"{number} {'name' * 40}").write_text("")
    program("save", cwd=project)
    with subprocess.Popen(
        [*PROGRAM, "show", "@:"], cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as shown:
        assert shown.stdout is not None
        assert shown.stderr is not None
        shown.stdout.readline()
        shown.stdout.close()
        assert shown.stderr.read() == b""
        assert shown.wait() == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("arguments", [["log"], ["log", "--json"], ["show", "@:big"], ["--version"], ["--help"]])
def test_output_that_cannot_be_written_is_said(project: Path, arguments: list[str]) -> None:
    (project / "big").write_bytes(b"x" * 100_000)
    program("save", cwd=project)
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*PROGRAM, *arguments], cwd=project, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert b"cannot write the output: No space left on device" in done.stderr
    assert b"bug" not in done.stderr
    assert b"Exception ignored" not in done.stderr


def test_streams_that_are_closed(project: Path) -> None:
    def shell(redirection: str) -> subprocess.CompletedProcess[bytes]:
        script = f'exec "$0" -m takeback save {redirection}'
        return subprocess.run(["sh", "-c", script, sys.executable], cwd=project, capture_output=True)

    refused = shell(">&-")
    assert refused.returncode == 1
    assert refused.stderr == b"takeback: cannot write the output: stdout is closed\n"
    assert shell("<&- 2>&-").returncode == 0


def test_output_survives_a_terminal_without_unicode(project: Path) -> None:
    (project / "café").write_text("one\n")
    env = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    program("save", cwd=project, env=env)
    done = program("log", "--graph", cwd=project, env=env)
    assert done.returncode == 0
    assert done.stdout.isascii()


def test_names_of_any_bytes_are_accepted_as_arguments(project: Path) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    (project / name).write_text("one\n")
    program("save", cwd=project)
    assert program("show", f"@:{name}", cwd=project).stdout == b"one\n"
    (project / name).write_text("two\n")
    assert json.loads(program("restore", "@", name, "--yes", "--json", cwd=project).stdout)["changed"] == [name]


def test_a_directory_that_is_gone(project: Path) -> None:
    gone = project / "gone"
    gone.mkdir()
    script = f"import os, sys; os.rmdir({str(gone)!r}); from takeback.cli import main; sys.exit(main(['log']))"
    done = subprocess.run([sys.executable, "-c", script], cwd=gone, capture_output=True, text=True)
    assert done.returncode == 2
    assert "current directory is gone" in done.stderr


@pytest.mark.parametrize("inside", ["", "src"], ids=["the project", "a directory in it"])
@pytest.mark.parametrize("way", ["-C", "cwd"])
def test_a_project_that_was_removed_comes_back_as_the_hint_says(project: Path, way: str, inside: str) -> None:
    (project / "src").mkdir()
    (project / "src" / "a.txt").write_text("one\n")
    program("save", cwd=project)
    place = project / inside
    removes = shlex.join([*PROGRAM, "run", "--", "rm", "-rf", str(project)])
    if way == "-C":
        subprocess.run(["bash", "-c", removes], cwd=project, capture_output=True)
        done = program("-C", str(place), "status", cwd=project.parent)
    else:
        command = f"cd {shlex.quote(str(place))} && {removes}; exec {shlex.join(PROGRAM)} undo"
        done = subprocess.run(["bash", "-c", command], capture_output=True)
    assert not project.exists()
    assert done.returncode == 2
    hints = re.findall(rb"`(mkdir -p [^`]+ undo)`", done.stderr)
    assert len(set(hints)) == 1, done.stderr
    command = hints[0].decode().replace("takeback -C", f"{shlex.join(PROGRAM)} -C")
    done = subprocess.run(["bash", "-c", f"{command} --yes"], capture_output=True, cwd=project.parent)
    assert done.returncode == 0, done.stderr
    assert (project / "src" / "a.txt").read_text() == "one\n"


def test_a_directory_that_was_never_a_project_gets_no_such_hint(project: Path) -> None:
    program("save", cwd=project)
    done = program("-C", str(project.parent / "nowhere"), "undo", cwd=project)
    assert done.returncode == 2 and b"mkdir" not in done.stderr
    done = program("-C", str(project / "gone"), "undo", cwd=project)
    assert f"it was in {project}".encode() in done.stderr


def _offered(project: Path, words: str) -> list[str]:
    env = {"_TAKEBACK_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}
    done = program(cwd=project, env=env)
    assert done.stderr == b""
    return [line.partition(",")[2] for line in done.stdout.decode().split()]


def test_the_shell_gets_labels_ids_and_moves(project: Path) -> None:
    assert _offered(project, "takeback restore ") == []  # no store yet
    assert _offered(project, "takeback show ") == [""]  # but an agent's snapshot file may be shown, too
    (project / "a.txt").write_text("one\n")
    id = json.loads(program("save", "-m", "good", "--json", cwd=project).stdout)["id"][:8]
    ran = program("run", "--json", "--", "sh", "-c", "echo two > a.txt", cwd=project)
    move = json.loads(ran.stdout)["move"]["id"][:8]
    assert {"good", "@", "root", id} <= set(_offered(project, "takeback show "))
    assert _offered(project, "takeback restore go") == ["good"]
    assert _offered(project, f"takeback undo {move[:3]}") == [move]
    assert "good" in _offered(project, "takeback undo --since ")
    assert _offered(project, "takeback --store elsewhere restore ") == []
    undo = json.loads(program("undo", "--yes", "--json", cwd=project).stdout)["move"][:8]
    assert _offered(project, "takeback redo ") == [undo]


def test_the_shell_gets_completions(project: Path) -> None:
    env = {"_TAKEBACK_COMPLETE": "bash_complete", "COMP_WORDS": "takeback un", "COMP_CWORD": "1"}
    done = program(cwd=project, env=env)
    assert [line.partition(",")[2] for line in done.stdout.decode().split()] == ["undo", "uninstall", "unpin"]
    env = {"_TAKEBACK_COMPLETE": "bash_complete", "COMP_WORDS": "takeback undo --d", "COMP_CWORD": "2"}
    assert b"--dry-run" in program(cwd=project, env=env).stdout


def test_a_run_in_json_keeps_stdout_for_its_object(project: Path) -> None:
    done = program("run", "--json", "--", "sh", "-c", "echo out; echo err >&2; cat > f", cwd=project, stdin=b"typed")
    assert json.loads(done.stdout)["exit_code"] == 0
    assert done.stderr == b"out\nerr\n"
    assert (project / "f").read_bytes() == b"typed"


def test_a_run_passes_its_streams_through(project: Path) -> None:
    done = program("run", "--", "sh", "-c", "echo out; echo err >&2; cat > f; exit 3", cwd=project, stdin=b"typed")
    assert (done.returncode, done.stdout, done.stderr) == (3, b"out\n", b"err\n")
    assert (project / "f").read_bytes() == b"typed"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_takeback_reaches_the_command_and_the_run_is_closed(project: Path, number: signal.Signals) -> None:
    command = [*PROGRAM, "run", "-m", "work", "--", "sh", "-c", "echo x > started; exec sleep 60"]
    with subprocess.Popen(command, cwd=project) as process:
        deadline = time.monotonic() + 60
        while not (project / "started").exists():
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(number)
        assert process.wait(60) == 128 + number
    (move,) = json.loads(program("log", "--json", cwd=project).stdout)["moves"]
    assert move["title"] == "work"
    assert move["closed"] is not None


def test_the_demo(project: Path, tmp_path: Path) -> None:
    done = program("demo", cwd=project, env={"TMPDIR": str(tmp_path)})
    assert done.returncode == 0, done.stdout.decode()
    assert b"all checks hold" in done.stdout
    assert not list(tmp_path.glob("takeback-demo-*"))
