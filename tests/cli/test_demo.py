"""`takeback demo` holds, and notices when undo does not do its work."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.cli import Cli
from takeback.engine import undo
from takeback.model.plan import Effect
from takeback.sources.workspace import merge
from takeback.sources.workspace.place import files, readback


@pytest.fixture(autouse=True)
def demos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where demos play, so that what they leave can be seen."""
    folder = tmp_path / "demos"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def test_the_demo_holds_and_leaves_nothing(cli: Cli, demos: Path) -> None:
    found = cli.json("demo")
    assert found["ok"] is True
    assert len(found["checks"]) >= 6
    assert all(check["ok"] for check in found["checks"])
    assert os.listdir(demos) == []
    assert not cli.store.exists()
    assert os.listdir(cli.root) == []


def test_the_demo_tells_its_story(cli: Cli) -> None:
    out = cli("demo").out
    for word in ("clean up the project", "takeback undo", "what the person wrote is still there", "takeback run"):
        assert word in out
    assert "WRONG" not in out


def test_the_demo_ends_with_commands_that_can_be_typed(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    (line,) = (line for line in cli("demo").out.splitlines() if line.endswith("record the present"))
    words = shlex.split(line)[: -len("record the present".split())]
    subprocess.run([*words[:-1], "--version"], check=True, capture_output=True)


def test_the_demo_can_be_kept(cli: Cli, demos: Path) -> None:
    kept = Path(cli.json("demo", "--keep")["directory"])
    assert (kept / "project" / "greeter.py").exists()
    shown = cli("-C", str(kept / "project"), "--store", str(kept / "store"), "log", "--json").json
    assert any(move["title"] == "clean up the project" for move in shown["moves"])


def _leave_out(name: str) -> Callable[[pytest.MonkeyPatch], None]:
    """An undo that forgets one path, and says that it did everything."""

    def sabotage(patch: pytest.MonkeyPatch) -> None:
        real = undo._plan

        def plan(*arguments: Any) -> Any:
            made = real(*arguments)
            return replace(made, effects=tuple(effect for effect in made.effects if effect.path != name))

        patch.setattr(undo, "_plan", plan)

    return sabotage


def _wrong_bytes(patch: pytest.MonkeyPatch) -> None:
    """A stage that writes other bytes, and a read-back that sees nothing."""
    real = files.stage

    def stage(root: str, effects: Sequence[Effect], content: Callable[[bytes], Iterator[bytes]], **options: Any) -> Any:
        staged = real(root, effects, content, **options)
        put = staged.apply

        def apply() -> None:
            put()
            target = Path(root, "greeter.py")
            if target.exists():
                target.write_bytes(target.read_bytes().replace(b"good", b"evil"))

        staged.apply = apply  # type: ignore[method-assign]
        return staged

    patch.setattr(files, "stage", stage)
    patch.setattr(readback, "unfinished", lambda root, effects: ())


def _no_merge(patch: pytest.MonkeyPatch) -> None:
    """A merge that takes one side, and so loses what the person wrote."""
    patch.setattr(merge, "merge_text", lambda base, theirs, ours: theirs)


@pytest.mark.parametrize(
    "sabotage",
    [_leave_out("greeter.py"), _leave_out("TODO.txt"), _leave_out("run.sh"), _wrong_bytes, _no_merge],
    ids=["a deleted file", "a new file", "permissions", "other bytes", "the person's edit"],
)
def test_the_demo_notices_a_broken_undo(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, sabotage: Callable[[pytest.MonkeyPatch], None]
) -> None:
    sabotage(monkeypatch)
    found = cli.json("demo", code=1)
    assert found["ok"] is False
    assert any(check["problems"] for check in found["checks"])
    assert "WRONG" in cli("demo", code=1).out


def test_an_undo_that_raises_fails_the_demo(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from takeback.engine.timeline import Timeline
    from takeback.errors import Conflict

    def broken(self: Timeline, *arguments: object) -> None:
        raise Conflict("no")

    monkeypatch.setattr(Timeline, "undo", broken)
    assert cli.json("demo", code=1)["ok"] is False
