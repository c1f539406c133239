"""docs/teams.md: what it shows was typed, and is typed here again, with the real clawteam."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support import pages
from support.pages import Colleague

if TYPE_CHECKING:
    from support.teams.real import RealTeam

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "teams.md").read_text()


def blocks(language: str) -> list[str]:
    return pages.blocks(PAGE, language)


def test_the_crash_and_the_recovery_are_as_shown(tmp_path: Path) -> None:
    commands = pages.typed(PAGE)
    assert len(commands) > 20
    with Colleague(tmp_path) as reader:
        for each in commands:
            reader.compare(each.shown, reader.type(each.text))
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
    crew = Crew(tmp_path, team)
    note = crew["ada"] / "notes.md"
    note.write_text("good\n")
    (block,) = blocks("sh")
    with Colleague(home) as reader:
        for command in block.splitlines():
            changes = not any(word in command for word in (" snapshot ", " save ", " diff ", "--dry-run"))
            if changes:
                note.write_text("bad\n")
            reader.type(command + (" --yes" if changes else ""))
            assert note.read_text() == "good\n", command
