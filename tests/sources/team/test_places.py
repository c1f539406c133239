"""Where members work and talk, as the real clawteam notes it; and notes that lead elsewhere."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from clawteam.spawn.sessions import SessionStore
from clawteam.workspace.manager import WorkspaceManager

from support.git import commit_all, init_repository
from takeback.sources.team.places import Place, places

SESSION = "0f8fad5b-d9cb-469f-a165-70867728950e"


@pytest.mark.service("git")
def test_worktrees_and_sessions_are_where_clawteam_notes_them(data_dir: Path, tmp_path: Path) -> None:
    repository = init_repository(tmp_path / "repository")
    commit_all(repository)
    for agent in ("ada", "bob"):
        WorkspaceManager(repository).create_workspace("alpha", agent, f"id-{agent}")
    SessionStore("alpha").save("ada", SESSION)
    SessionStore("alpha").save("eve", SESSION)
    SessionStore("alpha").save("lead", "")
    assert places(str(data_dir), "alpha") == (
        Place("ada", "workspaces/alpha/ada", SESSION),
        Place("bob", "workspaces/alpha/bob"),
        Place("eve", "", SESSION),
    )
    assert places(str(data_dir), "beta") == ()


def _registered(data: Path, *entries: object) -> None:
    path = data / "workspaces" / "alpha" / "workspace-registry.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"team_name": "alpha", "repo_root": "/", "workspaces": entries}))


def _entry(agent: object, path: object) -> dict[str, object]:
    return {"agent_name": agent, "worktree_path": path}


def test_a_worktree_anywhere_but_in_its_own_place_is_left_out_and_said(data_dir: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    own = data_dir / "workspaces" / "alpha"
    (own / "bob").mkdir(parents=True)
    (own / "link").symlink_to(outside)
    entries = [
        _entry("ada", str(outside)),
        _entry("eve", str(own / "bob")),
        _entry("mallory", str(own / "bob" / ".." / ".." / ".." / "teams")),
        _entry("link", str(own / "link")),
        _entry("..", str(own)),
        _entry("a/b", str(own / "a" / "b")),
        _entry("x\nnote: all is well", "/"),
        _entry("root", "/\0"),
        _entry("long" * 1000, str(own)),
    ]
    _registered(data_dir, *entries)
    found = places(str(data_dir), "alpha")
    assert len(found) == len(entries)
    assert not [place for place in found if place.worktree or not place.left_out or not place.left_out.isprintable()]
    _registered(data_dir, _entry("bob", str(own / "ada" / ".." / "bob")))
    assert [place.worktree for place in places(str(data_dir), "alpha")] == ["workspaces/alpha/bob"]


def test_registries_that_make_no_sense_name_nobody(data_dir: Path) -> None:
    wrong: list[object] = [None, [], "ada", {}, _entry(1, 2), _entry("ada", None), _entry(None, "/")]
    for entry in wrong:
        _registered(data_dir, entry)
        assert places(str(data_dir), "alpha") == ()
    path = data_dir / "workspaces" / "alpha" / "workspace-registry.json"
    for text in ("", "{", "[]", '{"workspaces": {}}', '{"workspaces": ' + "[" * 100_000):
        path.write_text(text)
        assert places(str(data_dir), "alpha") == ()
    path.unlink()
    os.mkfifo(path)
    assert places(str(data_dir), "alpha") == ()


@pytest.mark.parametrize("session", ["../../../etc/passwd", "x", "a b c d e f", "-rf-rf-rf-rf", "x" * 500])
def test_a_session_that_no_agent_could_have_is_said(data_dir: Path, session: str) -> None:
    SessionStore("alpha").save("ada", session)
    [place] = places(str(data_dir), "alpha")
    assert not place.session
    assert place.left_out.startswith("the conversation of ada")
