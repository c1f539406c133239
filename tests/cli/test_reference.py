"""docs/cli.md is made from the commands, and every command says what it does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from takeback.cli.app import COMMANDS, app
from takeback.cli.reference import reference

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "cli.md"
FOLDER = Path(__file__).resolve().parents[2] / "src" / "takeback" / "cli" / "commands"


def _commands() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(app, **app.context_settings)  # which says how help is asked for, and is remembered
    for name in COMMANDS:
        command = app.get_command(context, name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {inner}", each) for inner, each in command.commands.items())


def test_the_document_is_up_to_date() -> None:
    assert DOCUMENT.read_text() == reference(), "run: python -m takeback.cli.reference > docs/cli.md"


def test_every_file_is_a_command_and_every_command_a_file() -> None:
    assert sorted(COMMANDS) == sorted(path.stem for path in FOLDER.iterdir() if not path.name.startswith("__"))


@pytest.mark.parametrize(("name", "command"), list(_commands()))
def test_every_command_and_option_is_explained(name: str, command: click.Command) -> None:
    assert command.help, name
    assert name in DOCUMENT.read_text()
    if not isinstance(command, click.Group):
        assert f"takeback {name.split()[0]}" in command.help, "an example is missing"
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, f"{name} {option.opts}"
