"""examples/: each is run as a user runs it; it prints what its page shows, what it says is true, and nothing of it stays."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import takeback as tb
from support.cua import installed as cua

if TYPE_CHECKING:
    from support.containers.boxes import Boxes

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
PAGE = (EXAMPLES / "README.md").read_text()
ID = re.compile(r"\b[0-9a-f]{8}\b")


def shown(name: str) -> str:
    """What the page says that an example prints, without ids."""
    (found,) = re.findall(rf"^\$ python examples/{name}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return ID.sub("ID", found)


class User:
    """Somebody who runs examples from a directory that has nothing to do with them."""

    def __init__(self, directory: Path) -> None:
        self.here, self.temporary, self.place = (directory / name for name in ("here", "temporary", "place"))
        for each in (self.here, self.temporary):
            each.mkdir()

    def run(self, name: str, *arguments: Path, python: Path | str = sys.executable) -> None:
        """It succeeds, prints what its page shows and nothing else, and leaves nothing but what it was asked for."""
        done = subprocess.run(
            [python, EXAMPLES / name, *arguments],
            cwd=self.here,
            env={**os.environ, "TMPDIR": str(self.temporary), "PYTHONPATH": str(ROOT / "src")},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert ID.sub("ID", done.stdout) == shown(name)
        assert [*self.here.iterdir(), *self.temporary.iterdir()] == []


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


@pytest.fixture
def place(user: User) -> Path:
    return user.place


@pytest.mark.parametrize("name", ["plain_loop.py", "langgraph_files.py"])
def test_without_a_directory_everything_is_gone_afterwards(name: str, user: User, home: Path) -> None:
    user.run(name)
    assert list(home.iterdir()) == []


def test_the_plain_loop(user: User, place: Path) -> None:
    user.run("plain_loop.py", place)
    files = {file.name: file.read_text() for file in (place / "project").iterdir()}
    assert files == {"notes.md": "# write the notes\n", "plan.md": "# write the plan\n"}
    with tb.open(place / "store") as store:
        line = store.timeline(root=str(place / "project"))
        memory = line.value("@", "memory")
        assert memory["done"] == files.keys()
        assert [each["content"] for each in memory["messages"] if each["role"] == "user"] == [
            "write the notes",
            "write the plan",
        ]
        assert [move.verb or move.title for move in line.log().moves][:3] == ["redo", "undo", "undo"]
    _check_that_the_page_tells_how_to_look_at(place)


def _check_that_the_page_tells_how_to_look_at(place: Path) -> None:
    (block,) = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    program, *words = shlex.split(block.splitlines()[-1].replace("/tmp/look", str(place)))
    assert program == ".venv/bin/takeback"
    log = subprocess.run([sys.executable, "-m", "takeback", *words], capture_output=True, text=True, check=True)
    assert "tidy up" in log.stdout


def test_langgraph(user: User, place: Path) -> None:
    from takeback.adapters.langgraph import TakebackSaver

    user.run("langgraph_files.py", place)
    assert (place / "project" / "poem.txt").read_text() == "an old pond\n"
    with TakebackSaver(place / "store", sources=[tb.Workspace(place / "project")]) as saver:
        latest, *before = saver.list({"configurable": {"thread_id": "chat-7"}})
    assert said(latest.checkpoint["channel_values"]["messages"]) == ["write poem.txt", "what have I asked you?"]
    assert ["write poem.txt", "tidy up"] in [
        said(each.checkpoint["channel_values"].get("messages", [])) for each in before
    ]


def said(messages: list[Any]) -> list[str]:
    return [message.content for message in messages if message.type == "human"]


def test_openai_agents(user: User, place: Path) -> None:
    from takeback.adapters.openai_agents import TakebackSession

    user.run("openai_agents_files.py", place)
    assert (place / "project" / "poem.txt").read_text() == "an old pond\n"
    with tb.open(place / "store") as store:
        session = TakebackSession("chat-7", store.timeline(sources=[tb.Workspace(place / "project")]))
        items: list[Any] = asyncio.run(session.get_items())
    assert [item["content"] for item in items if item.get("role") == "user"] == [
        "write poem.txt",
        "what have I asked you?",
    ]


@pytest.fixture
def busybox(boxes: Boxes) -> Iterator[Boxes]:
    """An engine that has the image which the example asks for: no registry can be reached."""
    from support.containers.image import IMAGE

    boxes.engine.client.images.get(IMAGE).tag("busybox")
    yield boxes
    boxes.engine.client.images.remove("busybox", noprune=True)


@pytest.mark.service("docker", "cua")
def test_cua(user: User, place: Path, busybox: Boxes) -> None:
    user.run("cua_container.py", place, python=cua.PYTHON)
    assert [thing for thing in busybox.engine.things() if "takeback-example" in thing.name] == []
    with tb.open(place / "store") as store:
        line = store.timeline("desk")
        assert line.read("@", "/root/report.txt", "container") == b"quarterly report\n"
        with pytest.raises(tb.NotFound):
            line.read("@", "/root/junk", "container")
        assert "rm -r" not in str(line.value("@", "memory"))
        (disaster,) = (move for move in line.log().moves if move.level == "turn" and "rm -r" in move.title)
        assert disaster.closing is not None
        assert line.read(disaster.closing, "/root/junk", "container") == b"oops\n", "what was taken back is kept"
        assert "rm -r" in str(line.value(disaster.closing, "memory"))


@pytest.mark.service("git")
def test_clawteam(user: User, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from clawteam.team.mailbox import MailboxManager
    from clawteam.team.tasks import TaskStore

    from takeback.adapters.clawteam import SnapshotManager

    user.run("clawteam_swarm.py", Path(os.path.relpath(place, user.here)))
    monkeypatch.setenv("CLAWTEAM_DATA_DIR", str(place / "clawteam"))
    assert sorted((task.owner, task.status.value) for task in TaskStore("alpha").list_tasks()) == [
        ("ada", "pending"),
        ("bob", "pending"),
    ]
    assert [message.content for message in MailboxManager("alpha").receive("ada")] == ["ada, write your module"]
    desks = place / "clawteam" / "workspaces" / "alpha"
    files = {str(file.relative_to(desks)): file.read_text() for file in desks.glob("*/*") if file.name != ".git"}
    assert files == {
        "ada/ada.py": "# by ada\n",
        "ada/app.py": "print('hello')\n",
        "bob/app.py": "print('hello')\n",
        "bob/bob.py": "# by bob\n",
    }
    with SnapshotManager("alpha", store=place / "store") as swarm:
        line = swarm.timeline
        assert line.read("@-", "workspaces/alpha/bob/app.cbl", "workspace-bob") == b"STOP RUN.\n", (
            "what was replaced is kept"
        )


def test_every_example_is_on_the_page_and_removes_what_nobody_asked_to_keep() -> None:
    files = sorted(EXAMPLES.glob("*.py"))
    assert [file.name for file in files] == sorted(re.findall(r"^## (\w+\.py)$", PAGE, re.MULTILINE))
    for file in files:
        assert f"]({file.name})" in PAGE
        assert "with tempfile.TemporaryDirectory() as temporary:" in file.read_text()
