"""What differs between two snapshots, or between one and the present, as it is looked at: by part, a row for each file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from takeback.model.diff import Change, Diff, Difference
    from takeback.model.progress import Listener
    from takeback.model.team import TeamDiff
    from takeback.model.tree import Entry
    from takeback.views.desk import Desk

IMAGES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "bmp": "image/bmp",
}
"""What can be shown as a picture and cannot do anything else, by the ending of its name."""


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file that differs."""

    part: str
    path: str
    status: str
    before: Entry | None
    after: Entry | None
    image: bool


@dataclass(frozen=True, slots=True)
class Differences:
    """All that differs."""

    lane: int
    a: str
    b: str | None
    """None is the present."""
    files: tuple[FileRow, ...]
    state: tuple[Difference, ...]
    container: tuple[Change, ...]
    team: tuple[Change, ...]
    teams: tuple[TeamDiff, ...]
    missed: Mapping[str, str]
    raw: Diff

    def __bool__(self) -> bool:
        return bool(self.raw)


def differences(desk: Desk, lane: int, a: str, b: str | None, listener: Listener | None = None) -> Differences:
    """Compare two snapshots, or one with what is there now."""
    if b is not None:
        return _shown(lane, desk.look(lane).diff(a, b))
    with desk.act(lane, listener) as line:
        return _shown(lane, line.diff(a))


def is_image(path: str) -> bool:
    return path.rpartition(".")[2].lower() in IMAGES


def _shown(lane: int, diff: Diff) -> Differences:
    files = tuple(
        FileRow(change.part, change.path, change.status, change.before, change.after, is_image(change.path))
        for change in diff.files
        if not change.is_directory
    )
    container, team = (tuple(each for each in some if not each.is_directory) for some in (diff.container, diff.team))
    return Differences(lane, diff.a, diff.b, files, diff.state, container, team, diff.teams, diff.missed, diff)
