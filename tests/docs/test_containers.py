"""docs/containers.md: its code and its commands run, and do what the page says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from support.cli import Cli
from support.containers.boxes import Boxes, free_port

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "containers.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.service("docker")
def test_the_python_of_the_page_runs(boxes: Boxes, tmp_path: Path) -> None:
    name = boxes.run("sandbox", environment={"MODE": "real"})
    boxes.own("container", f"{name}-2")
    names: dict[str, Any] = {"boxes": boxes, "name": name}
    for block in blocks("python"):
        code = block.replace("/srv/takeback", str(tmp_path / "store")).replace('"sandbox', f'"{name}')
        code = code.replace("18081", str(free_port()))
        exec(code.replace("    ...  ", '    boxes.sh(name, "echo new >/srv/new")  '), names)
    assert "new" not in boxes.sh(name, "ls /srv")
    assert boxes.sh(f"{name}-2", "echo $MODE") == "test\n"
    names["store"].close()


@pytest.mark.service("docker")
def test_the_commands_of_the_page_run(boxes: Boxes, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    name = boxes.run("sandbox")
    boxes.own("container", f"{name}-2")
    cli = Cli(tmp_path, capsysbinary)
    block = blocks("sh")[0]
    for number, line in enumerate(block.splitlines()):
        words = [word.replace("sandbox", name) for word in shlex.split(line, comments=True)[1:]]
        if number == 1:
            boxes.sh(name, "echo new >/srv/new")
            (cli.root / "file").write_text("new")
        printed = cli("--store", str(cli.store), "-C", str(cli.root), *words).out
        if words[0] == "diff":
            assert "filesystem/srv/new" in printed
        if words[0] == "undo":
            assert "new" not in boxes.sh(name, "ls /srv")
            assert not (cli.root / "file").exists()
    assert boxes.state(f"{name}-2") == "running"


@pytest.mark.service("docker")
def test_paths_inside_of_a_container_are_named_as_the_page_says(
    boxes: Boxes, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    name = boxes.run("sandbox", volumes={boxes.volume(): {"bind": "/data", "mode": "rw"}})
    cli = Cli(tmp_path, capsysbinary)
    boxes.sh(name, "echo old >/etc/app.conf; echo old >/data/file; echo a-password-of-ours >/srv/.netrc")
    cli("save", "-m", "before the upgrade", "--container", name)
    boxes.sh(name, "echo new >/etc/app.conf; echo new >/data/file; echo new >/srv/new")
    printed = []
    for line in blocks("sh")[1].splitlines():
        words = [word.replace("sandbox", name) for word in shlex.split(line, comments=True)[1:]]
        printed.append(cli(*words).out)
        if len(printed) == 2:
            assert boxes.sh(name, "cat /etc/app.conf /data/file /srv/new") == "old\nold\nnew\n"
            boxes.sh(name, "echo newer >/etc/app.conf")
            cli("save", "--container", name)
    shown, differing, purged = printed[2:]
    assert shown == "old\n" and "-old\n+newer\n" in differing and "gone" in purged
