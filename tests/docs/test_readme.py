"""What README shows is what takeback does: its commands run, its Python runs, its pictures are real."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

import takeback as tb
from support import pages, tutorial
from support.chance import without_chance
from support.cli import Cli
from takeback.cli import story
from takeback.locate import SETTINGS

README = (Path(__file__).resolve().parents[2] / "README.md").read_text()
MINUTE = 60_000_000_000
FACES = ("ui", "web")
"""They stay open: tests/e2e uses them."""
ASKS = ("undo", "redo", "restore", "promote", "init", "prune", "purge")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Cli:
    """A project that has all that README speaks of."""
    cli = Cli(tmp_path, capsysbinary)
    monkeypatch.chdir(cli.root)
    monkeypatch.setenv("TAKEBACK_STORE", str(cli.store))
    cli.write("takeback.toml", _blocks("toml")[0])
    cli.write("config.toml", "answer = 42\n")
    cli.write("src/app.py", "print(1)\n")
    cli.write("project/.env", "SECRET=1\n")
    cli.write("agent.sh", '#!/bin/sh\necho "# $$" >> src/app.py\n')
    (cli.root / "agent.sh").chmod(0o755)
    return cli


def test_the_commands_run(cli: Cli) -> None:
    (block,) = (each for each in _blocks("sh") if "takeback" in each.split()[0])
    lines = [shlex.split(line, comments=True)[1:] for line in block.splitlines()]
    assert len(lines) > 8
    for words in lines:
        if words[0] == "undo":  # each needs something new to take back
            cli("run", "--", "./agent.sh")
        newest = cli.json("log")["moves"][:1]
        words = [newest[0]["id"] if word == "4f2a" else word for word in words]
        cli(*words, *(["--yes"] if words[0] in ASKS else []))
        _grow_old(cli)
        if words[0] == "fork":
            (cli.root.parent / "other" / "config.toml").write_text("answer = 43\n")
    assert cli.read("config.toml") == "answer = 43\n"


def test_the_commands_in_the_text_run(cli: Cli) -> None:
    cli.write(".env", "PASSWORD=a-password-of-ours\n")
    cli("save", "-m", "opening")
    there = {"DIR": str(cli.root.parent / "attempts"), "FILE": str(cli.root.parent / "file")}
    inline = re.findall(
        r"(?<!`)`takeback\s([^`]+)`", re.sub(r"^```.*?^```$", "", README, flags=re.MULTILINE | re.DOTALL)
    )
    assert len(inline) > 10
    for code in inline:
        words = [there.get(word, word) for word in shlex.split(code)]
        if words[0] in FACES:
            continue
        if words[0] == "undo":
            cli("run", "--", "./agent.sh")
        if words[0] == "promote":
            (Path(there["DIR"]) / words[1] / "config.toml").write_text("answer = 43\n")
        cli(*words, *(["--yes"] if words[0] in ASKS else []))
    assert cli.read("config.toml") == "answer = 43\n"


def test_the_story_is_that_of_the_tutorial() -> None:
    """Which a test follows."""
    rest = iter(pages.typed(tutorial.PAGE.read_text()))
    story = pages.typed(README)
    assert len(story) >= 3
    for each in story:
        assert each in rest, f"PYTHONPATH=tests .venv/bin/python -m support.tutorial; not in the tutorial: {each}"


def test_the_python_runs(cli: Cli) -> None:
    class Agent:
        def __init__(self) -> None:
            self.messages: list[object] = ["hello"]

        def work(self) -> None:
            cli.write("project/new", "new\n")

    agent = Agent()
    names: dict[str, object] = {"run_my_agent": lambda: cli.write("src/app.py", "print(2)\n"), "agent": agent}
    for block in _blocks("python"):
        exec(block.replace("/srv/takeback", str(cli.root.parent / "own")), names)
    assert isinstance(names["line"], tb.Timeline)
    assert names["line"].name == "coder"
    assert isinstance(names["report"], tb.Report)
    assert names["report"].changed == ("src/app.py",)
    assert agent.messages == ["hello"] and not (cli.root / "project/new").exists()


def test_the_settings_exist() -> None:
    for block in _blocks("toml"):
        assert tomllib.loads(block).keys() <= SETTINGS.keys()


def test_the_pictures_are_what_is_printed(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    root = cli.root.parent / "greeter"
    story.begin(root)
    with tb.open(cli.store) as store:
        line = store.timeline(sources=[tb.Workspace(root)])
        line.save("start")
        story.four_good_turns(line, root)
        line.label("@", "good")
        story.ruin(line, root, lambda what: None)
    monkeypatch.chdir(root)
    pictures = re.findall(r"^```\n\$ takeback (.*?)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert [command for command, _ in pictures] == ["undo", "log -n 3"]
    for command, picture in pictures:
        printed = cli(*command.split(), *(["--yes"] if command == "undo" else [])).out
        assert without_chance(picture) == without_chance(printed.replace(str(root), "/home/me/greeter"))


def _grow_old(cli: Cli) -> None:
    """Let ten minutes pass for everything that is on the timeline."""
    with tb.open(cli.store) as store, store.blobs.database.write() as tx:
        tx.execute("UPDATE snapshots SET time_ns = time_ns - ?", (11 * MINUTE,))
