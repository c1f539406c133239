"""A person at the terminal of a real agent, who interrupts it, denies it something or loses it, and works on: what undo takes
back then, and what it leaves.

She changes a file that the agent has changed and one that it has not, makes one of her own, and deletes one. Whatever undo says
of them, none of her bytes may be missing.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import time
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest

from support.agents import installed
from support.agents.all import for_agent
from support.agents.gate import Gate
from support.agents.person import AT, AtClaudeCode, Person
from support.agents.scene import Scene
from support.agents.script import Call, Calls, Say, shell, write
from support.cli import takeback
from support.trees import Node

pytestmark = pytest.mark.service("tmux")

BOTH = pytest.mark.parametrize("agent", [for_agent("claude-code"), for_agent("codex")])
CLAUDE_CODE = pytest.mark.parametrize("agent", [for_agent("claude-code")])
CODEX = pytest.mark.parametrize("agent", [for_agent("codex")])
PATIENCE = 60.0

HERS = {"app.py": "hers = 1\n", "notes.txt": "hers, where the agent wrote\n", "mine.txt": "hers alone\n"}
"""What she writes: into a file that the agent leaves alone, one that it changes, and one of her own."""
DELETED = "run.sh"
WORK = "rm old/gone.txt; rmdir old; echo half > notes.txt; echo made > made.txt"
"""What the agent does in a command."""


def works(scene: Scene) -> None:
    """She changes files, makes one and deletes one."""
    for name, text in HERS.items():
        (scene.project / name).write_text(text)
    (scene.project / DELETED).unlink()


def undo(scene: Scene, *options: str, code: int) -> str:
    """`takeback undo --yes`; what it says."""
    done = takeback("undo", "--yes", *options, cwd=scene.project)
    text = done.stdout.decode()
    assert (done.returncode, done.stderr) == (code, b""), text + done.stderr.decode()
    assert all((scene.project / name).read_text() == hers for name, hers in HERS.items()) or "--shared" in options
    return text


def redo(scene: Scene) -> None:
    done = takeback("redo", "--yes", cwd=scene.project)
    assert done.returncode == 0, done.stdout + done.stderr


def left(text: str) -> set[str]:
    """The paths that undo says it left alone because they may be somebody else's."""
    return _listed(text, "left alone, because ")


def brought_back(text: str) -> set[str]:
    return _listed(text, "missing, so brought back, although ")


def _listed(text: str, begin: str) -> set[str]:
    found: set[str] = set()
    for group in re.findall(rf"^{begin}.*\n((?:  .*\n)+)", text, re.MULTILINE):
        found.update(line.strip() for line in group.splitlines())
    return found


def check_undecided(
    scene: Scene, begin: Mapping[str, Node], undecided: set[str], back: set[str], taken: Collection[str] = ()
) -> None:
    """Undo leaves what may be hers and says so first, brings back what is missing, and takes all if it is told to; redo is exact."""
    now = scene.look()
    text = undo(scene, code=3)
    assert text.startswith(("left alone, because ", "missing, so brought back, although ")), text
    assert (left(text), brought_back(text)) == (undecided, back), text
    kept = {path: node for path, node in now.items() if path not in taken}
    assert scene.look() == {**kept, **{path: begin[path] for path in back}}
    redo(scene)
    assert scene.look() == now, "redo is exact"
    undo_by_the_hint(scene, text)
    assert scene.look() == begin
    redo(scene)
    assert scene.look() == now, "redo is exact"


def wait_for(path: Path, text: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not path.exists() or path.read_text() != text:
        assert time.monotonic() < deadline, f"{path} is not {text!r}"
        time.sleep(0.02)


def wait_for_the_end(scene: Scene) -> None:
    """Wait until every move is closed."""
    deadline = time.monotonic() + PATIENCE
    while any(not move["closed"] for move in scene.cli.json("log")["moves"]):
        assert time.monotonic() < deadline, scene.cli("log").out
        time.sleep(0.05)


def sit(scene: Scene, *options: str) -> Person:
    return AT[scene.agent](scene.session(), *options)


def sit_freely(scene: Scene) -> Person:
    """At an agent that asks nothing."""
    return sit(scene, *AT[scene.agent].frees)


def undo_by_the_hint(scene: Scene, text: str) -> None:
    """What undo says takes the rest."""
    (rest,) = re.findall(r"hint: `takeback undo (\w+) --shared` takes back what is left here, too", text)
    undo(scene, rest, "--shared", code=0)


@BOTH
def test_what_she_does_after_esc_in_a_command_stays(agent: str, scene: Scene, tmp_path: Path) -> None:
    begin = scene.look()
    scene.install()
    gate = Gate(tmp_path / "gate")
    with sit_freely(scene) as person:
        person.prompts("first", shell(f"{WORK}; {gate.command}"))
        gate.wait_until_reached()
        person.interrupts()
        works(scene)
        check_undecided(scene, begin, {*HERS, "made.txt"}, {"old", "old/gone.txt", DELETED})
        gate.open()


@BOTH
def test_what_she_does_around_esc_at_a_question_stays(agent: str, scene: Scene) -> None:
    begin = scene.look()
    scene.install()
    with sit(scene) as person:
        person.prompts("first", person.asking(WORK))
        person.sees_the_question("made.txt")
        (scene.project / "app.py").write_text("while she is asked\n")
        person.interrupts()
        works(scene)
        check_undecided(scene, begin, set(HERS), {DELETED})
        person.prompts("second", person.asking("echo 2 > second.txt"))
        person.sees_the_question("second.txt")
        person.answers(person.yes)
        person.terminal.wait_for("Done.")
        wait_for_the_end(scene)
    now = scene.look()
    if agent == "claude-code":
        undo(scene, code=0)
        assert scene.look() == {path: node for path, node in now.items() if path != "second.txt"}
        redo(scene)
    else:  # nothing tells when she said yes
        done = takeback("undo", "--yes", cwd=scene.project)
        assert done.returncode == 3
        assert b"it is not certain" in done.stderr and b"second.txt" in done.stderr
    assert scene.look() == now


@CLAUDE_CODE
@pytest.mark.parametrize("with_words", [False, True], ids=["no", "no, with words"])
def test_of_a_command_that_is_denied_nothing_is_taken_back(agent: str, with_words: bool, scene: Scene) -> None:
    scene.install()
    with sit(scene) as person:
        person.prompts("first", person.asking(WORK), Say("I will not."))
        person.sees_the_question("made.txt")
        (scene.project / "app.py").write_text("while she is asked\n")
        if with_words:
            assert isinstance(person, AtClaudeCode)
            person.refuses("rather not")
            person.terminal.wait_for("I will not.")
        else:
            person.answers(person.no)
        works(scene)
        now = scene.look()
        person.prompts("second", write("second.txt", "2\n"))
        person.sees_the_question("second.txt")
        person.answers(person.yes)
        person.terminal.wait_for("Done.")
        wait_for_the_end(scene)
    text = undo(scene, code=0)
    assert scene.look() == now, text
    redo(scene)
    assert scene.look() == {**now, "second.txt": Node("file", 0o644, b"2\n")}


@CODEX
def test_of_a_command_that_is_denied_in_codex_nothing_is_taken_back(agent: str, scene: Scene) -> None:
    scene.install()
    with sit(scene) as person:
        person.prompts("first", person.asking(WORK))
        person.sees_the_question("made.txt")
        (scene.project / "app.py").write_text("while she is asked\n")
        person.answers(person.no)
        person.terminal.wait_for(person.interrupted)
        works(scene)
        now = scene.look()
        person.prompts("second", write("second.txt", "2\n"))
        person.terminal.wait_for("Done.")
        wait_for_the_end(scene)
    text = undo(scene, code=0)
    assert scene.look() == now, text
    redo(scene)
    assert scene.look() == {**now, "second.txt": Node("file", 0o644, b"2\n")}


@CLAUDE_CODE
@pytest.mark.parametrize("ends", [False, True], ids=["at work", "ended"])
def test_what_she_does_while_a_server_runs_stays(agent: str, ends: bool, scene: Scene, tmp_path: Path) -> None:
    begin = scene.look()
    scene.install()
    gates = [Gate(tmp_path / f"gate{number}") for number in range(2)]
    server = f"{gates[0].command}; {WORK}; {gates[1].command}; echo late > late.txt"
    arguments: dict[str, object] = {"command": server, "description": "Serves", "run_in_background": True}
    with sit_freely(scene) as person:
        person.prompts("first", write("new.txt", "new\n"), Calls((Call("Bash", arguments),)))
        gates[0].wait_until_reached()
        person.terminal.wait_for("Done.")
        gates[0].open()
        gates[1].wait_until_reached()
        works(scene)
        undecided = {*HERS, "made.txt"}
        if ends:
            person.driver.model.play([Say("It has ended.")])
            gates[1].open()
            person.terminal.wait_for("It has ended.")
            undecided.add("late.txt")
        check_undecided(scene, begin, undecided, {"old", "old/gone.txt", DELETED}, taken={"new.txt"})


@CODEX
def test_what_she_does_while_a_command_runs_on_after_esc_stays(agent: str, scene: Scene, tmp_path: Path) -> None:
    begin = scene.look()
    scene.install()
    gate = Gate(tmp_path / "gate")
    with sit_freely(scene) as person:
        person.prompts("first", shell(f"{WORK}; {gate.command}; unlink made.txt; echo late > late.txt"))
        gate.wait_until_reached()
        person.terminal.wait_for("1 background terminal running")  # until then Esc ends it
        person.interrupts()
        works(scene)
        gate.open()
        wait_for(scene.project / "late.txt", "late\n")
        check_undecided(scene, begin, {*HERS, "late.txt"}, {"old", "old/gone.txt", DELETED})


@BOTH
def test_what_she_does_after_the_agent_was_killed_stays(agent: str, scene: Scene, tmp_path: Path) -> None:
    begin = scene.look()
    scene.install()
    gate = Gate(tmp_path / "gate")
    with sit_freely(scene) as person:
        person.prompts("first", shell(f"{WORK}; {gate.command}; echo late > late.txt"))
        gate.wait_until_reached()
        person.kills()
        works(scene)
        if agent == "claude-code":  # its command lives on
            gate.open()
            wait_for(scene.project / "late.txt", "late\n")
        late = {"late.txt"} if agent == "claude-code" else set()
        check_undecided(scene, begin, {*HERS, "made.txt", *late}, {"old", "old/gone.txt", DELETED})


@CLAUDE_CODE
def test_what_a_command_writes_that_esc_does_not_end_at_once_is_undecided(
    agent: str, scene: Scene, tmp_path: Path
) -> None:
    begin = scene.look()
    scene.install()
    stubborn, ready = tmp_path / "stubborn", tmp_path / "ready"
    loop = "trap '' TERM INT HUP; i=0; while :; do i=$((i+1)); echo $i > made.txt; sleep 0.05; done"
    with sit_freely(scene) as person:
        person.prompts("first", shell(f"echo $$ > {stubborn}; echo > {ready}; {loop}"))
        wait_for(ready, "\n")
        person.interrupts()
        works(scene)
        wait_for_the_end_of(int(stubborn.read_text()))
        check_undecided(scene, begin, {*HERS, "made.txt"}, {DELETED})


@CLAUDE_CODE
def test_a_command_that_she_types_herself_makes_no_turn(agent: str, scene: Scene) -> None:
    scene.install()
    with sit_freely(scene) as person:
        person.prompts("first", write("first.txt", "1\n"))
        person.terminal.wait_for("Done.")
        begin = scene.turns()
        person.runs("echo hers > bang.txt")
        assert person.leaves() == 0
    assert scene.turns() == begin == ["first"]
    takeback("undo", "--yes", cwd=scene.project)
    assert (scene.project / "bang.txt").read_text() == "hers\n"
    assert not (scene.project / "first.txt").exists()


@BOTH
def test_undo_that_she_types_inside_the_agent(agent: str, scene: Scene) -> None:
    begin = scene.look()
    scene.install()
    path = os.pathsep.join([str(Path(sys.executable).parent), installed.search_path()])
    (scene.home / ".profile").write_text(f"PATH={shlex.quote(path)}\n")  # Codex runs commands in a login shell
    with AT[agent](scene.session(PATH=path), *AT[agent].frees) as person:
        person.prompts("first", write("first.txt", "1\n"))
        person.terminal.wait_for("Done.")
        wait_for_the_end(scene)
        now = scene.look()
        person.runs("takeback undo")
        person.terminal.wait_for("`takeback undo --yes`")
        assert scene.look() == now
        person.runs("takeback undo --yes")
        person.terminal.wait_for("read back and verified")
        assert scene.look() == begin
    redo(scene)
    assert scene.look() == now


@pytest.mark.parametrize("agent", [for_agent("opencode", soak=True)])
def test_opencode_tells_which_questions_were_answered_and_how(agent: str, scene: Scene, tmp_path: Path) -> None:
    settings = scene.home / ".config" / "opencode" / "opencode.json"
    settings.write_text(json.dumps({**json.loads(settings.read_bytes()), "permission": {"bash": "ask"}}))
    scene.install()
    gate = Gate(tmp_path / "gate")
    with sit(scene) as person:
        person.prompts("approve", shell("echo approved > approved.txt"))
        person.sees_the_question("approved.txt")
        (scene.project / "app.py").write_text(HERS["app.py"])
        person.answers(person.yes)
        person.terminal.wait_for("Done.")
        wait_for_the_end(scene)
        person.prompts("reject", shell("echo rejected > rejected.txt"))
        person.sees_the_question("rejected.txt")
        (scene.project / "mine.txt").write_text(HERS["mine.txt"])
        person.answers(person.no)
        wait_for_the_end(scene)
        person.prompts("escape", shell(f"echo escaped > escaped.txt; {gate.command}"))
        person.sees_the_question("escaped.txt")
        person.answers(person.yes)
        gate.wait_until_reached()
        person.interrupts()
        wait_for_the_end(scene)
        works(scene)
        gate.open()
    now = scene.look()
    moves = {move["title"]: move["id"] for move in scene.cli.json("log")["moves"] if move["level"] == "turn"}
    undo(scene, code=0)
    assert scene.look() == {path: node for path, node in now.items() if path != "escaped.txt"}
    redo(scene)
    assert takeback("undo", moves["approve"], "--yes", cwd=scene.project).returncode in (0, 3)  # 3: she was quick
    assert scene.look() == {path: node for path, node in now.items() if path != "approved.txt"}
    redo(scene)
    if "reject" in moves:
        takeback("undo", moves["reject"], "--yes", cwd=scene.project)
    assert scene.look() == now


def wait_for_the_end_of(pid: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < deadline, f"process {pid} runs on"
        time.sleep(0.02)
