"""A data directory may hold anything: nothing outside of it is touched, and what cannot be captured is listed and stays."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import takeback as tb
from support.privileges import as_ordinary_user
from support.teams.real import RealTeam
from support.trees import read_tree


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A directory that is nobody's business, with what a team's could hold."""
    place = tmp_path / "outside"
    (place / "events").mkdir(parents=True)
    (place / "task-00000000.json").write_text('{"id": "00000000"}')
    (place / "config.json").write_text("{}")
    (place / "msg-1-00000000.json").write_text("{}")
    (place / "events" / "evt-1-00000000.json").write_text("{}")
    return place


@pytest.fixture
def store(tmp_path: Path) -> Iterator[tb.Store]:
    with tb.open(tmp_path / "store") as opened:
        yield opened


def line_of(store: tb.Store, team: RealTeam) -> tb.Timeline:
    return store.timeline(team.name, sources=[tb.Team(team.name, team.data)])


def linked(team: RealTeam, relative: str, outside: Path) -> None:
    """What stood at a path is elsewhere now, and a link to the outside in its place."""
    path = team.path(relative)
    path.rename(team.data / "moved")
    path.symlink_to(outside)


PLACES = [
    "teams",
    "tasks",
    "teams/{}",
    "tasks/{}",
    "costs/{}",
    "plans/{}",
    "teams/{}/inboxes",
    "teams/{}/inboxes/ada",
    "teams/{}/events",
    "teams/{}/config.json",
    "tasks/{}/.tasks.lock",
]


@pytest.mark.parametrize("place", PLACES)
def test_no_link_leads_a_restore_to_the_outside(store: tb.Store, team: RealTeam, outside: Path, place: str) -> None:
    """Whatever became a link since, or was one already: links are never followed, and the outside stays as it is."""
    line = line_of(store, team)
    line.save("before")
    team.work_on()
    target = outside / "config.json" if place.endswith((".json", ".lock")) else outside
    linked(team, place, target)
    seen = read_tree(outside)
    for act in (
        lambda: line.save("a link"),
        lambda: line.restore("before"),
        lambda: line.undo(),
        lambda: line.restore("a link"),
        lambda: line.restore("before"),
    ):
        told(act)
        assert read_tree(outside) == seen
    assert store.verify(read_data=True).ok


def test_nothing_of_the_outside_is_captured_through_a_link(store: tb.Store, team: RealTeam, outside: Path) -> None:
    linked(team, "teams/{}/inboxes/ada", outside)
    line = line_of(store, team)
    snapshot = line.save()
    entries = dict(line.files(snapshot, part="team"))
    assert entries["teams/alpha/inboxes/ada"].kind == "l"
    assert not [path for path in entries if path.startswith("teams/alpha/inboxes/ada/")]


def test_a_data_directory_that_is_a_link_is_the_one_that_it_leads_to(
    store: tb.Store, team: RealTeam, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(team.data)
    line = store.timeline(team.name, sources=[tb.Team(team.name, tmp_path / "link")])
    line.save("before")
    before = team.files()
    team.work_on()
    line_of(store, team).restore("before")
    assert team.files() == before
    assert (tmp_path / "link").is_symlink()


def test_what_is_no_file_is_listed_and_stays(store: tb.Store, team: RealTeam) -> None:
    line = line_of(store, team)
    line.save("before")
    fifo = team.path("teams/{}/inboxes/ada/msg-1-0000.json")
    os.mkfifo(fifo)
    snapshot = line.save()
    assert [(each.path, each.reason) for each in snapshot.parts["team"].not_captured] == [
        ("teams/alpha/inboxes/ada/msg-1-0000.json", "fifo")
    ]
    team.mail.send("lead", "bob", "later")
    line.restore("before")
    assert fifo.is_fifo()


def test_names_of_any_bytes_come_back(store: tb.Store, team: RealTeam) -> None:
    place = os.fsencode(team.path("teams/{}/inboxes"))
    names = [b"ada/msg-\xff\xfe.json", b"ada/msg-new\nline.json", b'ada/msg-\xc3\xa9 \\ ".json', b"\xff/msg-1.json"]
    os.mkdir(os.path.join(place, b"\xff"))
    for name in names:
        Path(os.fsdecode(os.path.join(place, name))).write_bytes(name)
    line = line_of(store, team)
    line.save("before")
    before = team.files()
    for name in names:
        os.unlink(os.path.join(place, name))
    line.restore("before")
    assert team.files() == before


def test_json_that_is_broken_comes_back_broken(store: tb.Store, team: RealTeam) -> None:
    for place, data in [
        ("tasks/{}/task-1.json", b"{"),
        ("teams/{}/config.json", b"\x00\xff"),
        ("costs/{}/summary.json", b""),
    ]:
        team.path(place).write_bytes(data)
    line = line_of(store, team)
    snapshot = line.save("before")
    assert not snapshot.parts["team"].not_captured
    before = team.files()
    team.path("teams/{}/config.json").unlink()
    line.restore("before")
    assert team.files() == before


def _without_privileges(team: RealTeam, place: Path) -> list[tuple[str, str]]:
    with tb.open(place / "store") as store:
        line = line_of(store, team)
        line.save("before")
        closed = team.path("tasks/{}/task-closed.json")
        closed.write_text("{}")
        closed.chmod(0)
        listed = [(each.path, each.reason) for each in line.save("closed").parts["team"].not_captured]
        team.mail.send("lead", "bob", "later")
        line.restore("before")
        return listed


def test_a_file_that_may_not_be_read_is_listed_and_stays(team: RealTeam, tmp_path: Path) -> None:
    listed = as_ordinary_user(_without_privileges, team, tmp_path)
    assert listed == [("tasks/alpha/task-closed.json", "unreadable")]
    assert team.path("tasks/{}/task-closed.json").read_text() == "{}"


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../x", "a\0b", "a b", "ä", "a\n"])
def test_a_name_that_clawteam_would_refuse_is_refused(data_dir: Path, name: str) -> None:
    with pytest.raises(tb.InvalidInput):
        tb.Team(name, data_dir)


def test_a_team_that_is_not_there_is_not_found_and_the_others_are_named(store: tb.Store, team: RealTeam) -> None:
    line = store.timeline("beta", sources=[tb.Team("beta", team.data)])
    with pytest.raises(tb.NotFound) as caught:
        line.save()
    assert "alpha" in " ".join(caught.value.hints)


def told(act: Callable[[], object]) -> None:
    """It works, or is refused by an error of takeback's own."""
    try:
        act()
    except tb.TakebackError as error:
        print(f"refused: {error}")
