"""A team's part that somebody forged: other teams, ClawTeam's own settings and locks are below the same root."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.trees import make_tree, read_tree
from takeback.errors import Integrity
from takeback.model.ids import BlobKind
from takeback.model.plan import Effect
from takeback.model.progress import Watch
from takeback.model.tree import DIRECTORY, FILE, Entry, encode_tree
from takeback.sources.team.source import Team
from takeback.store.blobstore import BlobStore, open_local
from takeback.store.writer import Writer


@pytest.fixture
def store(tmp_path: Path) -> Iterator[BlobStore]:
    with open_local(tmp_path / "store") as store:
        yield store


def _file(writer: Writer) -> Entry:
    return Entry(FILE, 0o644, 2, writer.put(b"x\n", BlobKind.DATA))


def _tree(writer: Writer, path: str) -> bytes:
    entry = _file(writer)
    for name in reversed(path.split("/")):
        entry = Entry(DIRECTORY, 0o755, 0, writer.put(encode_tree({name: entry}), BlobKind.TREE))
    return entry.id


@pytest.mark.parametrize(
    "path",
    [
        "config.json",
        "profiles/x.json",
        "teams/beta/config.json",
        "tasks/beta/task-1.json",
        "tasks/alpha/.tasks.lock",
        "teams/alpha/spawn_registry.json",
        "teams/alpha/peers/ada.json",
        "workspaces/alpha/ada/app.py",
        "snapshots/alpha/snap-1.json",
    ],
)
def test_a_stored_part_reaches_nothing_but_its_own_team(store: BlobStore, tmp_path: Path, path: str) -> None:
    make_tree(tmp_path / "data", {"teams/alpha/config.json": "{}\n", "tasks/alpha/task-1.json": "{}\n"})
    team = Team("alpha", tmp_path / "data")
    with store.writer() as writer:
        present = team.capture(writer, None, Watch())
        before = read_tree(team.root)
        forged = present._replace(refs={**present.refs, "content": _tree(writer, path)})
        with pytest.raises(Integrity, match="not of the team 'alpha'"):
            team.plan(writer.reader, present, forged, None)
        with pytest.raises(Integrity, match="not of the team 'alpha'"):
            team.stage(writer.reader, [Effect(team.name, path, None, _file(writer))])
    assert read_tree(team.root) == before
