"""docs/teams.md: what it shows was typed, and is typed here again, with the real clawteam."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from support.teams.real import RealTeam

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "teams.md").read_text()
CHANCE = re.compile(
    r"\d{8}T\d{6}|\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d+p00-00|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|"
    r"\b\d{13}\b|\b[0-9a-f]{12}\b|\b[0-9a-f]{8}\b"
)
"""Times and ids: another time they are others, but each id is always the same."""


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def typed() -> list[tuple[str, list[str]]]:
    """The commands of the page, and the lines that they print."""
    found: list[tuple[str, list[str]]] = []
    for line in "".join(blocks("console")).splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


class Reader:
    """Somebody who types what the page shows, and takes what chance made of it here for what it made of it there."""

    def __init__(self, home: Path) -> None:
        self.home, self.known = home, dict[str, str]()
        self.project = home / "project"
        self.project.mkdir()
        (self.project / "notes.md").write_text("# Notes\n")

    def type(self, command: str) -> list[str]:
        here = CHANCE.sub(lambda found: self.known.get(found[0], found[0]), command)
        env = {
            key: value for key, value in os.environ.items() if not key.startswith(("CLAWTEAM_", "TAKEBACK_", "XDG_"))
        }
        programs = f"{os.path.dirname(sys.executable)}:{env['PATH']}"
        done = subprocess.run(
            ["/bin/bash", "-c", here],
            cwd=self.project,
            env={**env, "HOME": str(self.home), "PATH": programs, "COLUMNS": "120"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, (here, done.stdout)
        return [line.rstrip() for line in done.stdout.splitlines()]

    def compare(self, shown: list[str], printed: list[str]) -> None:
        """Line by line the same, but for chance."""
        for line, found in zip(shown, printed, strict=True):
            match = self._pattern(line).fullmatch(found)
            assert match is not None, (line, printed)
            for token, value in zip(CHANCE.findall(line), match.groups(), strict=True):
                self.known.setdefault(token, value)

    def _pattern(self, line: str) -> re.Pattern[str]:
        between = CHANCE.split(line)
        tokens = [self._token(each) for each in CHANCE.findall(line)]
        parts = [
            re.escape(text) + (tokens[number] if number < len(tokens) else "") for number, text in enumerate(between)
        ]
        return re.compile("".join(parts))

    def _token(self, token: str) -> str:
        is_time = ":" in token or len(token) == 13  # two that were the same there need not be so here
        return f"({re.escape(self.known[token])})" if token in self.known and not is_time else f"({CHANCE.pattern})"


def test_the_crash_and_the_recovery_are_as_shown(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    commands = typed()
    assert len(commands) > 20
    for command, shown in commands:
        reader.compare(shown, reader.type(command))
    assert (reader.project / "notes.md").read_text() == "# Notes\n"


@pytest.mark.parametrize("block", blocks("python"), ids=["timeline", "manager"])
def test_the_python_of_the_page_runs(
    block: str, team: RealTeam, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAKEBACK_STORE", str(tmp_path / "store"))
    before = team.state()
    names: dict[str, Any] = {"team_at_work": team.work_on}
    exec(block.replace("/srv/takeback", str(tmp_path / "store")).replace("...  #", "team_at_work()  #"), names)
    assert team.state() == before
    assert capsys.readouterr().out
    (names["store"] if "store" in names else names["manager"]).close()


@pytest.mark.service("git")
def test_what_members_were_working_on_comes_back_as_the_page_says(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from support.teams.real import RealTeam
    from support.teams.workspaces import Crew

    monkeypatch.setenv("CLAWTEAM_DATA_DIR", str(home / ".clawteam"))
    team = RealTeam(home / ".clawteam")
    team.found()
    crew, reader = Crew(tmp_path, team), Reader(home)
    note = crew["ada"] / "notes.md"
    note.write_text("good\n")
    (block,) = blocks("sh")
    for command in block.splitlines():
        changes = not any(word in command for word in (" snapshot ", " save ", " diff ", "--dry-run"))
        if changes:
            note.write_text("bad\n")
        reader.type(command + (" --yes" if changes else ""))
        assert note.read_text() == "good\n", command
