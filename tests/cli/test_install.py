"""takeback install and uninstall, as a person uses them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from support.cli import PROGRAM, Cli
from support.terminal import Terminal


def _settings(home: Path) -> Path:
    return home / ".claude" / "settings.json"


def test_a_dry_run_shows_the_change_and_makes_none(cli: Cli, home: Path) -> None:
    shown = cli("install", "claude-code", "--dry-run").out

    assert f"+++ {_settings(home)}" in shown and '+    "SessionStart": [' in shown
    assert not list(home.iterdir())


def test_installing_says_what_happens_now_and_how_to_try_it(cli: Cli, home: Path) -> None:
    said = cli("install", "claude-code", "--yes").out

    assert "installed: each turn of Claude Code is now a move" in said
    assert "takeback undo" in said and "/undo" in said
    command = json.loads(_settings(home).read_bytes())["hooks"]["Stop"][0]["hooks"][0]["command"]
    assert command == f"{sys.executable} -P -m takeback hook claude-code"


def test_installing_again_changes_nothing_and_needs_no_answer(cli: Cli, home: Path) -> None:
    cli("install", "claude-code", "--yes")
    before = _settings(home).read_bytes()

    assert "already installed" in cli("install", "claude-code").out
    assert _settings(home).read_bytes() == before


def test_uninstalling_leaves_nothing_behind(cli: Cli, home: Path) -> None:
    cli("install", "claude-code", "--yes")

    said = cli("uninstall", "claude-code", "--yes").out

    assert "removed from Claude Code" in said
    assert not list(home.iterdir())


def test_without_a_terminal_and_without_yes_nothing_is_changed(cli: Cli, home: Path) -> None:
    error = cli.error("install", "claude-code", code=2)

    assert "nothing was changed" in error["message"] and not list(home.iterdir())


def test_json_names_every_file(cli: Cli, home: Path) -> None:
    done = cli.json("install", "claude-code", "--yes")

    assert done["file"] == str(_settings(home)) and done["done"] and not done["dry_run"]
    assert [each["action"] for each in done["changed"]] == ["create"] * 3
    assert done["commands"] == ["/undo", "/snapshots"] and done["next"]
    assert cli.json("install", "claude-code")["changed"] == []
    removed = cli.json("uninstall", "claude-code", "--yes")
    assert [each["action"] for each in removed["changed"]] == ["remove"] * 3


def test_the_project_and_the_local_scope_write_into_the_project(cli: Cli, home: Path) -> None:
    cli("install", "claude-code", "--project", "--yes")
    cli("install", "claude-code", "--local", "--yes")

    assert (cli.root / ".claude" / "settings.json").exists()
    assert (cli.root / ".claude" / "settings.local.json").exists()
    assert not _settings(home).exists()


def test_two_scopes_at_once_are_refused(cli: Cli) -> None:
    assert "two places" in cli.error("install", "claude-code", "--user", "--local", "--yes", code=2)["message"]


def test_an_unknown_agent_is_refused_with_the_known_ones(cli: Cli) -> None:
    assert "claude-code" in cli.error("install", "clippy", "--yes", code=2)["hints"][0]


def test_uninstalling_what_is_not_installed_is_not_found(cli: Cli) -> None:
    assert "is not installed" in cli.error("uninstall", "claude-code", "--yes", code=10)["message"]


def test_a_broken_configuration_is_refused_untouched(cli: Cli, home: Path) -> None:
    _settings(home).parent.mkdir()
    _settings(home).write_text('{\n  "model": opus\n}')

    error = cli.error("install", "claude-code", "--yes", code=2)

    assert "line 2 is not JSON" in error["message"] and error["hints"]
    assert _settings(home).read_text() == '{\n  "model": opus\n}'


def test_on_a_terminal_it_shows_asks_and_does(cli: Cli, home: Path) -> None:
    terminal = Terminal([*PROGRAM, "install", "claude-code"], cli.root, {})
    terminal.wait_for(b"Do it? [y/N] ")
    assert b"SessionStart" in terminal.shown and not _settings(home).exists()
    terminal.type(b"y\n")

    assert terminal.end() == 0
    assert _settings(home).exists()


def test_on_a_terminal_no_means_no(cli: Cli, home: Path) -> None:
    terminal = Terminal([*PROGRAM, "install", "claude-code"], cli.root, {})
    terminal.wait_for(b"Do it? [y/N] ")
    terminal.type(b"n\n")

    assert terminal.end() == 130
    assert not _settings(home).exists()


class TestEnv:
    """Ignored files such as .env are offered to be kept."""

    def _ignore(self, cli: Cli) -> None:
        cli.write(".takebackignore", ".env\n")
        cli.write(".env", "KEY=1")

    def test_they_are_kept_when_asked_for(self, cli: Cli, home: Path) -> None:
        self._ignore(cli)

        done = cli.json("install", "claude-code", "--yes", "--keep-env")

        config = home / ".config" / "takeback" / "config.toml"
        assert config.read_text() == 'include = [".env"]\n'
        assert done["changed"][-1] == {"path": str(config), "action": "create"}

    def test_they_are_captured_from_then_on(self, cli: Cli) -> None:
        self._ignore(cli)
        cli("install", "claude-code", "--yes", "--keep-env")
        cli("save", "-m", "first")
        cli.write(".env", "broken")

        cli("restore", "first", "--yes")

        assert cli.read(".env") == "KEY=1"

    def test_where_nobody_can_be_asked_a_note_says_how(self, cli: Cli, home: Path) -> None:
        self._ignore(cli)

        done = cli.json("install", "claude-code", "--yes")

        assert any(".env: ignored" in note and "--keep-env" in note for note in done["notes"])
        assert not (home / ".config").exists()
        assert cli.json("install", "codex", "--yes", "--no-keep-env")["notes"] == []

    def test_on_a_terminal_it_is_asked(self, cli: Cli, home: Path) -> None:
        self._ignore(cli)
        terminal = Terminal([*PROGRAM, "install", "claude-code"], cli.root, {})
        terminal.wait_for(b"Keep files like these")
        terminal.type(b"y\n")
        terminal.wait_for(b"Do it? [y/N] ")
        assert b"include" in terminal.shown
        terminal.type(b"y\n")

        assert terminal.end() == 0
        assert (home / ".config" / "takeback" / "config.toml").exists() and _settings(home).exists()


def test_a_file_of_agents_is_named_as_the_shell_names_it(cli: Cli) -> None:
    cli.write("agents/team.yaml", "agents:\n  root:\n    model: x\n")

    done = cli.json("install", "docker-agent", "agents/team.yaml", "--yes")

    assert done["file"] == str(cli.root / "agents" / "team.yaml") and done["scope"] == "project"
    cli("uninstall", "docker-agent", "agents/team.yaml", "--yes")
    assert cli.read("agents/team.yaml") == "agents:\n  root:\n    model: x\n"


def test_without_a_name_it_names_the_agents_that_are_used_here(cli: Cli, home: Path) -> None:
    assert "docker-agent, opencode" in cli.error("install", code=2)["hints"][0]
    (home / ".gemini").mkdir()
    cli.write("AGENTS.md", "# This project\n")
    assert cli.error("install", code=2)["hints"] == ["takeback install codex", "takeback install gemini-cli"]
