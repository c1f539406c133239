"""Who gives a command: an agent in a call of its own, a run inside a run, or a person."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import takeback as tb
from takeback import locate

TAKEBACK = [sys.executable, "-P", "-m", "takeback"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    for name in ("a.txt", "b.txt"):
        (root / name).write_text(f"{name} at first\n")
    return root


def line(project: Path) -> tb.Timeline:
    return locate.here(project)


def takeback(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*TAKEBACK, *words], cwd=project, capture_output=True, text=True)


def test_a_run_inside_a_run_is_taken_back_without_a_question_of_whose(project: Path) -> None:
    inner = " ".join([*TAKEBACK, "run", "-m", "inner", "--", "sh", "-c", "'echo inner > a.txt'"])
    done = takeback(project, "run", "-m", "outer", "--", "sh", "-c", f"{inner}; echo outer > b.txt")
    assert done.returncode == 0, done.stderr
    runs = {move.title: move.id for move in line(project).log().moves if move.level == "run"}
    assert set(runs) == {"outer", "inner"}
    report = line(project).undo(runs["inner"])
    assert (report.shared, report.undecided) == ((), ())
    assert (project / "a.txt").read_text() == "a.txt at first\n"
    assert (project / "b.txt").read_text() == "outer\n"
    line(project).redo()
    report = line(project).undo(runs["outer"])
    assert (report.shared, report.undecided) == ((), ())
    assert (project / "a.txt").read_text() == "a.txt at first\n"
    assert (project / "b.txt").read_text() == "b.txt at first\n"


AGENT = """
import json, subprocess, sys
def say(name, **more):
    raw = {"session_id": "s", "cwd": ".", "hook_event_name": name, **more}
    raw["cwd"] = __import__("os").getcwd()
    subprocess.run([sys.executable, "-P", "-m", "takeback", "hook", "claude-code"], input=json.dumps(raw).encode(), check=True)
bash = {"tool_name": "Bash", "tool_input": {"command": "x"}, "tool_use_id": "t1"}
say("SessionStart")
say("UserPromptSubmit", prompt="restore")
"""


def test_a_restore_that_an_agent_runs_in_a_call_of_its_own_is_its_doing(project: Path) -> None:
    line(project).save("first")
    (project / "a.txt").write_text("a person's, later\n")
    script = AGENT + (
        'say("PreToolUse", **bash)\n'
        'subprocess.run([sys.executable, "-P", "-m", "takeback", "restore", "first", "--yes"], check=True)\n'
        'say("PostToolUse", **bash, duration_ms=100000)\n'
        'say("Stop")\n'
    )
    subprocess.run([sys.executable, "-c", script], cwd=project, check=True, capture_output=True)
    assert (project / "a.txt").read_text() == "a.txt at first\n"
    turn = next(move for move in line(project).log().moves if move.level == "turn")
    line(project).undo(turn.id)
    assert (project / "a.txt").read_text() == "a person's, later\n"


def test_a_restore_that_a_person_types_into_her_agent_is_her_own(project: Path) -> None:
    line(project).save("first")
    (project / "a.txt").write_text("a person's, later\n")
    script = AGENT + (
        'say("PreToolUse", **bash)\n'
        'open("b.txt", "w").write("written")\n'
        'say("PostToolUse", **bash, duration_ms=100)\n'
        'say("Stop")\n'
        'subprocess.run([sys.executable, "-P", "-m", "takeback", "restore", "first", "a.txt", "--yes"], check=True)\n'
        'say("UserPromptSubmit", prompt="next")\n'
        'say("Stop")\n'
    )
    subprocess.run([sys.executable, "-c", script], cwd=project, check=True, capture_output=True)
    turn = next(move for move in line(project).log().moves if move.level == "turn")
    line(project).undo(turn.id)
    assert (project / "a.txt").read_text() == "a.txt at first\n", "the restore stands"
    assert (project / "b.txt").read_text() == "b.txt at first\n"


def test_an_agent_cannot_agree_for_a_person_and_a_person_in_her_agent_can(project: Path) -> None:
    trust = 'done = subprocess.run([sys.executable, "-P", "-m", "takeback", "trust", "--yes"], capture_output=True)\n'
    script = AGENT + (
        'say("PreToolUse", **bash)\n'
        'open("takeback.toml", "w").write("snapshots = false")\n'
        f"{trust}assert done.returncode == 2 and b'cannot agree for you' in done.stderr, done\n"
        'say("PostToolUse", **bash, duration_ms=100000)\n'
        f"{trust}assert done.returncode == 0, done\n"
        'say("Stop")\n'
    )
    subprocess.run([sys.executable, "-c", script], cwd=project, check=True)
    assert locate.place(str(project))["snapshots"] is False


def test_what_is_undecided_is_listed_first_and_the_exit_code_says_so(project: Path) -> None:
    script = AGENT + 'say("PreToolUse", **bash)\nopen("a.txt", "w").write("whose?\\n")\nimport os\nos.unlink("b.txt")\n'
    subprocess.run([sys.executable, "-c", script], cwd=project, check=True, capture_output=True)
    done = takeback(project, "undo", "--yes")
    assert done.returncode == tb.Partial.exit_code
    assert done.stdout.splitlines()[:2] == ["left alone, because nothing tells when “Bash: x” ended", "  a.txt"]
    assert "--shared` takes back what is left here, too" in done.stdout
    assert (project / "a.txt").read_text() == "whose?\n" and (project / "b.txt").exists()
    move = next(move for move in line(project).log().moves if move.level == "turn")
    assert takeback(project, "undo", move.id, "--shared", "--yes").returncode == 0
    assert (project / "a.txt").read_text() == "a.txt at first\n"


def test_the_json_of_an_undo_has_what_is_undecided(project: Path) -> None:
    script = AGENT + 'say("PreToolUse", **bash)\nopen("a.txt", "w").write("whose?\\n")\nimport os\nos.unlink("b.txt")\n'
    subprocess.run([sys.executable, "-c", script], cwd=project, check=True, capture_output=True)
    plan = json.loads(takeback(project, "undo", "--dry-run", "--json").stdout)
    assert plan["undecided"] == [{"command": "Bash: x", "reason": "no end", "paths": ["a.txt", "b.txt"]}]
    assert (plan["shared"], plan["brought_back"]) == (["a.txt"], ["b.txt"])


def test_a_path_can_be_kept(project: Path) -> None:
    assert takeback(project, "run", "--", "sh", "-c", "echo x > a.txt; echo x > b.txt").returncode == 0
    done = takeback(project, "undo", "--yes", "--keep", "b.txt")
    assert done.returncode == 0 and "b.txt: you asked to keep it" in done.stdout
    assert (project / "a.txt").read_text() == "a.txt at first\n" and (project / "b.txt").read_text() == "x\n"
