"""A restore of a project with a team, killed: whoever looks at the team next, from wherever, hears of it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

import takeback as tb
from support.processes import KILLED, in_child
from takeback.sources.rooted import StagedPart


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    project, data = tmp_path / "project", tmp_path / "data"
    project.mkdir()
    (project / "file").write_text("old\n")
    for place in ("teams/alpha", "tasks/alpha"):
        (data / place).mkdir(parents=True)
    (data / "teams/alpha/config.json").write_text("{}")
    (data / "tasks/alpha/task-1.json").write_text('{"n": "old"}')
    return project, data


def test_nobody_takes_a_team_that_is_half_restored_for_whole(places: tuple[Path, Path], tmp_path: Path) -> None:
    project, data = places

    def both(store: tb.Store) -> tb.Timeline:
        return store.timeline(sources=[tb.Workspace(project), tb.Team("alpha", data)])

    with_both = tb.open(tmp_path / "store")
    both(with_both).save("first")
    with_both.close()
    (project / "file").write_text("new\n")
    (data / "tasks/alpha/task-1.json").write_text('{"n": "new"}')

    def killed() -> None:
        def die(self: StagedPart) -> None:
            os.kill(os.getpid(), signal.SIGKILL)

        store = tb.open(tmp_path / "store")
        line = both(store)
        StagedPart.apply = die  # type: ignore[method-assign]
        line.restore("first")

    assert in_child(killed)[0] == KILLED
    store = tb.open(tmp_path / "store")
    alone = store.timeline("alpha", sources=[tb.Team("alpha", data)])
    with pytest.raises(tb.Unavailable, match="was interrupted") as caught:
        alone.save()
    assert f"takeback -C {project} save --team alpha" in caught.value.hints[0]

    both(store).save()
    assert (project / "file").read_text() == "old\n"
    assert (data / "tasks/alpha/task-1.json").read_text() == '{"n": "old"}'
    assert alone.save().parts["team"].detail["counts"]["tasks"] == 1
    store.close()
