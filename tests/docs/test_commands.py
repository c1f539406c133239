"""Every command that a page shows exists, with the options that it is given there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from takeback.cli.app import COMMANDS, app

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


def command_lines(page: str) -> Iterator[list[str]]:
    """What is written as code, inline or in a block, and begins with takeback."""
    text = re.sub(r"^```(?:toml|python|json).*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)
    for block in re.findall(r"^```(?:sh)?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield from (_words(line) for line in re.findall(r"^(?:\$ )?takeback (.*)$", block, re.MULTILINE))
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    yield from (_words(code) for code in re.findall(r"(?<!`)`!?takeback\s([^`]+)`", text))


def _words(code: str) -> list[str]:
    words = shlex.split(code.replace("'", ""), comments=True)
    return words[: words.index("--")] if "--" in words else words


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_exist(page: Path) -> None:
    lines = list(command_lines(page.read_text()))
    assert [" ".join(words) for words in lines if not _exists(words)] == []


def _exists(words: list[str]) -> bool:
    context = click.Context(app, **app.context_settings)  # which says how help is asked for, and is remembered
    command: click.Command = app
    names = [word for word in words if not word.startswith("-")]
    known = next((number for number, name in enumerate(names) if name in COMMANDS), None)
    if known is not None:
        command = app.get_command(context, names[known]) or app
        if isinstance(command, click.Group) and known + 1 < len(names):
            command = command.commands.get(names[known + 1], command)
    options = {option for each in command.get_params(context) for option in (*each.opts, *each.secondary_opts)}
    given = {word for word in words if re.match(r"--?[a-zA-Z]", word)}
    return (known is not None or names in ([], ["COMMAND"])) and given <= {*options, "--help", "--version"}


def test_commands_are_found_in_pages() -> None:
    found = [words for page in PAGES for words in command_lines(page.read_text())]
    assert len(found) > 100
    assert ["undo", "--session", "S"] in found
