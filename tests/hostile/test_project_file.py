"""A cloned repository whose own file wants to be helped to what is not its own: nothing of that is looked at, nothing is lost."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import takeback as tb
from support.hooks.told import Told
from support.trees import make_tree
from takeback import locate
from takeback.cli import main
from takeback.errors import TakebackError
from takeback.locate import agreed
from takeback.locate.agreeing import in_words, proposal


class Engine:
    """Counts who knocks at the door of the Docker engine."""

    def __init__(self, path: Path) -> None:
        self.calls = 0
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(path))
        self._socket.listen()
        self._thread = threading.Thread(target=self._count, daemon=True)
        self._thread.start()

    def _count(self) -> None:
        while True:
            try:
                self._socket.accept()[0].close()
            except OSError:
                return
            self.calls += 1

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()


@pytest.fixture
def engine(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{home}/docker.sock")
    made = Engine(home / "docker.sock")
    yield made
    made.close()


@pytest.fixture
def cloned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = (tmp_path / "cloned").resolve()
    make_tree(root, {"a.txt": "mine"})
    monkeypatch.chdir(root)
    return root


HOSTILE = {
    "a container": 'containers = ["postgres"]',
    "many containers": f"containers = {json.dumps([f'p{number}=c{number}' for number in range(32)])}",
    "too many": f"containers = {json.dumps([f'p{number}=c{number}' for number in range(100_000)])}",
    "everything of a container": "containers = [{ name = 'postgres', binds = true, secrets = true, allow_wider = true }]",
    "a path": 'containers = ["../../etc", "/etc/passwd"]',
    "an escape": 'containers = ["\\u001b[2Jx"]',
    "a long name": f"containers = ['{'x' * 1_000_000}']",
    "a deep table": f"containers = [{'{ a = ' * 50}1{' }' * 50}]",
    "deeper still": f"containers = {'[' * 5000}{']' * 5000}",
    "a team": 'teams = ["alpha"]',
    "a team outside": 'teams = ["alpha"]\nteam_dir = "/root/.clawteam"',
    "a team above": 'teams = ["alpha"]\nteam_dir = "../theirs"',
    "a team at home": 'teams = ["alpha"]\nteam_dir = "~/.clawteam"',
    "a team in a number": "teams = [5]\nteam_dir = 7",
    "the workspace": 'containers = ["workspace=postgres"]',
    "the same twice": 'containers = ["a=postgres"]\nteams = ["a=alpha"]',
    "no history": "keep_last = 1\nmax_age = 0",
    "no store": "max_bytes = 0\nstore = '/tmp/theirs'",
    "a wrong type": "containers = true\nteams = 1.5\nstates = {}\ntriggers = 'x'\nevery = []",
    "a hot loop": "every = '1ms'",
    "triggers": "triggers = ['turn', 'turn', 'never']",
    "a large file": f"# {'x' * (5 << 20)}",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_nothing_that_it_names_is_looked_at_and_nothing_is_lost(
    cloned: Path, engine: Engine, text: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    theirs = cloned.parent / "theirs"
    make_tree(theirs, {"teams/alpha/config.json": '{"name": "alpha"}', "tasks/alpha/task-1.json": "{}"})
    (cloned / "takeback.toml").write_text(text)
    for command in (["save"], ["status"], ["config", "show"], ["log"], ["diff"], ["run", "--", "true"]):
        assert main(command) == 0, command
        out, err = capsysbinary.readouterr()
        assert len(err) < 4000 and b"\x1b" not in err + out
    line = tb.here(cloned)
    assert list(line.show("@").parts) == ["workspace"]
    (cloned / "a.txt").write_text("broken")
    told = Told(cloned)
    told("UserPromptSubmit", prompt="write")
    told.write("b.txt", "1", "t1")
    told("Stop")
    assert main(["undo", "--yes"]) == 0
    assert (cloned / "a.txt").read_text() == "broken" and not (cloned / "b.txt").exists()
    assert main(["restore", "root", "--yes"]) == 0
    assert (cloned / "a.txt").read_text() == "mine"
    assert engine.calls == 0
    assert agreed.read(str(cloned)) is None


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_whoever_agrees_has_seen_all_that_they_agree_to(cloned: Path, text: str) -> None:
    (cloned / "takeback.toml").write_text(text)
    where = locate.place(str(cloned))
    try:
        wanted = proposal(where)
    except TakebackError:
        return
    said = list(in_words(wanted))
    assert len(said) == len(wanted.sources) + len(wanted.policy)
    for here in wanted.sources.values():
        assert not here.keys() & {"binds", "secrets", "allow_wider", "force"}
        assert not here.get("data_dir") or os.path.realpath(here["data_dir"]) == here["data_dir"]
        assert not str(here.get("data_dir", "")).startswith("/root/") or os.environ["HOME"].startswith("/root/")
    assert "workspace" not in {key.partition(" ")[2].partition("=")[0] for key in wanted.sources}


def test_a_link_in_the_place_of_the_file_names_no_more_than_a_file(cloned: Path, engine: Engine) -> None:
    (cloned.parent / "elsewhere.toml").write_text('containers = ["postgres"]')
    os.symlink(cloned.parent / "elsewhere.toml", cloned / "takeback.toml")
    assert main(["save"]) == 0
    assert engine.calls == 0


def test_a_repository_cannot_bring_its_own_agreement(cloned: Path, engine: Engine, home: Path) -> None:
    (cloned / "takeback.toml").write_text('containers = ["postgres"]')
    record: dict[str, object] = {
        "root": str(cloned),
        "timeline": None,
        "policy": {},
        "sources": {"container container=postgres": {}},
    }
    make_tree(cloned, {".local/state/takeback/roots/x.json": json.dumps(record), "roots/x.json": json.dumps(record)})
    assert main(["save"]) == 0
    assert engine.calls == 0
