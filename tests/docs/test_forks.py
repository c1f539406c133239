"""docs/forks.md, and what the pages of containers shows of forks: typed here again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support import pages
from support.containers.boxes import Boxes
from support.pages import Colleague

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "forks.md").read_text()


def test_the_two_attempts_are_as_shown(tmp_path: Path) -> None:
    commands = pages.typed(PAGE)
    assert len(commands) >= 13
    with Colleague(tmp_path) as reader:
        for each in commands:
            reader.compare(each.shown, reader.type(each.text))
    assert (reader.project / "app.py").read_text() == 'def main():\n    print("fast")\n'


def test_the_python_of_the_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "a").write_text("0")
    monkeypatch.chdir(project)
    (block,) = pages.blocks(PAGE, "python")
    exec(block.replace("...  #", "Path(fork.root, 'a').write_text(fork.name)  #"), {"Path": Path})
    assert capsys.readouterr().out == "('a',) ()\n"
    assert (project / "a").read_text() == "0"


@pytest.mark.service("docker")
def test_the_fork_of_a_container_is_as_shown(tmp_path: Path, boxes: Boxes) -> None:
    name = boxes.run("sandbox")
    copy = boxes.own("container", f"{name}-attempt")
    boxes.sh(name, "echo one >/srv/file")
    with Colleague(tmp_path) as reader:
        reader.type(f"takeback save -m ready --container {name}")
        for _, command, shown in pages.typed((DOCS / "containers.md").read_text()):
            if command.startswith("docker exec"):
                boxes.sh(copy, "echo better >/srv/file")
                continue
            lines = [line.replace("sandbox", name) for line in shown]
            reader.compare(lines, reader.type(command.replace("sandbox", name)))
    assert boxes.sh(name, "cat /srv/file") == "better\n" and os.path.isdir(tmp_path / "attempt")
