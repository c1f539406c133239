"""purge: a secret also leaves conversations, prompts and recorded tool calls that quote it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import takeback as tb
from support.agent import World
from support.stores import residue
from takeback.sources.transcript.source import Transcript
from takeback.store import hooked
from takeback.store.hooked import Remembered

TOKEN = "sk-live-51Habc/é\\9xZq"
SECRET = f"# keys\nAPI_KEY={TOKEN}\n"
SESSION = "0f8fad5b-d9cb-469f-a165-70867728950e"


def residues(world: World) -> list[str]:
    """The names of all files of the store that hold the token, as it is or as JSON writes it."""
    forms = [TOKEN.encode(), *(json.dumps(TOKEN, ensure_ascii=form)[1:-1].encode() for form in (True, False))]
    return sorted({name for name, data in residue(world.store_path) if any(form in data for form in forms)})


class Talk:
    """A session that has seen the secret."""

    def __init__(self, world: World, home: Path) -> None:
        self.world, self.home = world, home
        self.file = home / "projects" / "p" / f"{SESSION}.jsonl"
        self.file.parent.mkdir(parents=True)

    def turn(self, prompt: str, said: str, **files: str) -> None:
        source = Transcript({"claude-code": str(self.home)}, "claude-code", SESSION, str(self.file))
        line = self.world.store.timeline(sources=[tb.Workspace(self.world.root), source])
        context = {"agent": "claude-code", "prompt": prompt}
        line.save(trigger="turn_start", session=SESSION, title=prompt[:100], context=context)
        line.save(trigger="before_action", session=SESSION, key="1", context={"input": {"command": f"echo {said}"}})
        with self.file.open("a") as file:
            file.write(json.dumps({"prompt": prompt}) + "\n" + json.dumps({"said": said}, ensure_ascii=False) + "\n")
        for name, text in files.items():
            self.world.write(name, text)
        effects = {"effects": [{"kind": "network", "what": f"curl -d {said}"}]}
        line.save(trigger="after_action", session=SESSION, key="1", context=effects)
        line.save(trigger="turn_end", session=SESSION, context=context)


@pytest.fixture
def talk(world: World, tmp_path: Path) -> Talk:
    talk = Talk(world, tmp_path / "agent")
    talk.turn("begin", "fine", a="1")
    talk.turn("make a file of keys", "done", env=SECRET, a="2")
    talk.turn(f"is {TOKEN} in it?", f"yes: API_KEY={TOKEN}", a="3")
    talk.turn("go on", "done", a="4")
    hooked.remember(str(world.store_path), "claude-code", SESSION, Remembered("/p", prompt=f"is {TOKEN} in it?"))
    return talk


@pytest.mark.parametrize("maintained", [False, True], ids=["in hot rows", "in packs"])
def test_what_quotes_a_secret_goes_with_it(world: World, talk: Talk, maintained: bool) -> None:
    if maintained:
        world.store.maintain()
    assert residues(world) if not maintained else True
    done = world.line.purge("env")
    assert done.gone
    assert any("said" in trace.path for trace in done.removed)
    assert residues(world) == []
    assert world.store.verify(read_data=True).ok
    titles = [move.title for move in world.line.log().moves if move.level == "turn"]
    assert titles == ["go on", "purged", "make a file of keys", "begin"]
    assert hooked.recall(str(world.store_path), "claude-code", SESSION) is None


def test_conversations_that_do_not_quote_it_stay(world: World, talk: Talk) -> None:
    world.line.purge("env")
    held = ["transcript" in world.line.show(row.id).parts for row in world.line.log().snapshots]
    assert held[-1] and not held[0], "the first one knew nothing of it, the last one still has it in its past"


def test_files_come_back_as_before(world: World, talk: Talk) -> None:
    world.line.purge("env")
    (world.root / "env").unlink()
    world.line.undo()
    assert (world.root / "a").read_text() == "3"


def test_a_dry_run_and_no_copies_leave_them_and_say_so(world: World, talk: Talk) -> None:
    assert any("said" in trace.path for trace in world.line.purge("env", dry_run=True).removed)
    done = world.line.purge("env", copies=False)
    assert any("said" in trace.path for trace in done.left)
    assert residues(world)


def test_common_words_are_no_quotes(world: World, talk: Talk) -> None:
    world.write("short", "PASSWORD=hunter2\n")
    world.line.save()
    done = world.line.purge("short")
    assert [trace.path for trace in done.removed] == ["short"]


def test_a_conversation_comes_back_from_before_it_quoted_the_secret(world: World, talk: Talk) -> None:
    """The latest snapshot has none any more."""
    world.line.purge("env")
    source = Transcript({"claude-code": str(talk.home)})
    rows = world.line.log().snapshots
    last = next(row.id for row in rows if "transcript" in world.line.show(row.id).parts)
    line = world.store.timeline(
        sources=[tb.Workspace(world.root)], others=lambda name: source if name == "transcript" else None
    )
    moves = len(line.log().moves)
    plan = line.plan(last, only=["transcript"])
    assert line.apply(plan).changed == tuple(path for _, path in plan.told)
    (resumed,) = (path for path in talk.file.parent.iterdir() if path != talk.file)
    assert TOKEN not in resumed.read_text()
    resumed.unlink()
    assert line.restore(last, only=["transcript"]).verified
    assert resumed.exists()
    assert len(line.log().moves) == moves
    assert world.store.verify(read_data=True).ok
