"""Ignored .env-like files are found, and kept by the user's own configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.trees import Dir, make_tree
from takeback import locate
from takeback.adapters.install import apply, plan_install, plan_keep, unkept
from takeback.adapters.install.agents import by_name
from takeback.errors import InvalidInput


def test_ignored_files_are_found_and_those_that_are_captured_are_not(tmp_path: Path) -> None:
    tree: dict[str, str | Dir] = {
        ".gitignore": ".env*\n!.env.example\nnode_modules/\n*.local\n",
        ".git/HEAD": "ref: refs/heads/main\n",
        ".git/objects": Dir(),
        ".git/refs": Dir(),
        ".env": "KEY=1",
        ".env.example": "KEY=",
        "web/.env.production": "KEY=2",
        "web/settings.local": "x",
        "node_modules/pack/.env": "KEY=3",
        "other.txt": "x",
    }
    make_tree(tmp_path, tree)

    found = unkept(str(tmp_path), (), ())

    assert found.paths == (".env", "web/.env.production", "web/settings.local")
    assert found.patterns == (".env", ".env.*", "*.local")
    assert unkept(str(tmp_path), found.patterns, ()).paths == ()


def test_nothing_ignored_is_nothing_to_offer(tmp_path: Path) -> None:
    make_tree(tmp_path, {".env": "KEY=1"})

    assert unkept(str(tmp_path), (), ()) == ((), ())


def test_a_broken_configuration_is_refused_untouched(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("include = [")

    with pytest.raises(InvalidInput, match="cannot edit .*config.toml: it is not TOML"):
        plan_keep(str(config), (".env",))
    assert config.read_text() == "include = ["


def test_the_patterns_are_written_with_the_hooks_or_not_at_all(home: Path, tmp_path: Path) -> None:
    where = locate.agents(str(tmp_path))
    config = Path(locate.user_file())
    plan = plan_install(by_name("claude-code"), "user", where, "/usr/bin/python3")
    plan = plan._replace(changes=(*plan.changes, *plan_keep(str(config), (".env",))))

    apply(plan)

    assert config.read_text() == 'include = [".env"]\n'
    assert locate.place(str(tmp_path))["include"] == (".env",)
    assert plan_keep(str(config), (".env",)) == ()
