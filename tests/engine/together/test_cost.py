"""What four parts cost together: when nothing has changed hardly anything, and what two of them both hold once."""

from __future__ import annotations

import io
import os
import sys
import tarfile
import time
from functools import partial

import pytest

import takeback as tb
from support.containers.calls import at_call
from support.processes import in_child
from support.stores import noise
from support.together.world import Place, World, memory
from takeback.sources.workspace.reading import racy

pytestmark = pytest.mark.service("docker")

MUCH = 5_000_000


def _unchanged(place: Place) -> tuple[bool, list[str], bool, list[str]]:
    """In a child, because nobody can take an audit hook away: whether it is the latest again, which files of the parts
    were opened, whether anything was stored, and what the engine was asked to do."""
    place.enter()
    opened: list[str] = []
    with place.line(memory(0)) as line, tb.open(place.store) as store:
        latest, before = line.save(), store.stats()
        sys.addaudithook(partial(_note, opened))
        with at_call() as calls:
            again = line.save()
        after = store.stats()
        stored = (before.store.blobs, before.store.sealed_bytes) != (after.store.blobs, after.store.sealed_bytes)
        return again.id == latest.id, opened, stored, calls.made


def _note(opened: list[str], event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and isinstance(arguments[0], str | bytes) and b"read-me" in os.fsencode(arguments[0]):
        opened.append(os.fsdecode(arguments[0]))


def _kept(place: Place) -> int:
    with tb.open(place.store) as store:
        return store.stats().store.sealed_bytes


def test_four_unchanged_parts_are_not_read_again_and_nothing_is_stored(four: World) -> None:
    for number in range(20):
        (four.place.project / f"read-me-{number}").write_text(f"{number}\n")
        four.team.write(f"harness/{{}}/read-me-{number}.json", {"number": number})
    four.sh("for n in $(seq 20); do echo $n >/srv/read-me-$n; echo $n >/data/read-me-$n; done")
    _age(four)
    with four.place.line(memory(0)) as line:
        line.save()
    code, found = in_child(partial(_unchanged, four.place))
    assert code == 0, found
    same, opened, stored, calls = found
    assert same
    assert opened == []
    assert not stored
    assert calls == []  # nobody need stop a container to see that it is as it was


def test_what_is_in_a_file_in_memory_in_a_container_and_in_a_team_is_kept_once(four: World) -> None:
    text, place, mine = noise(MUCH // 2, "text").hex(), four.place, memory(0)
    with place.line(mine) as line:
        line.save()
        (place.project / "text").write_text(text)
        nothing = _kept(place)
        line.save()
        once = _kept(place)
        mine["text"] = text
        line.save()
        with_memory = _kept(place)
        four.boxes.engine.api.put_archive(place.container, "/srv", _archive("text", text.encode()))
        four.team.write("harness/{}/text.json", text)
        line.save()
        assert line.value("@", "memory")["text"] == text
        assert line.read("@", "/srv/text", part="container") == text.encode()
    assert once - nothing > MUCH // 2
    assert with_memory - once < MUCH // 50
    assert (
        _kept(place) - with_memory < MUCH // 5
    )  # in the team it is JSON, which begins with a quote: other cuts until they meet


def _archive(name: str, data: bytes) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as out:
        entry = tarfile.TarInfo(name)
        entry.size = len(data)
        out.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def _age(four: World) -> None:
    """Files that are older than the look at them: younger ones are read again, because they may change within a tick."""
    paths = [path for place in (four.place.project, four.place.data) for path in place.rglob("*")]
    for path in paths:
        os.utime(path, (1_700_000_000, 1_700_000_000))
    newest = max((path.lstat() for path in paths), key=lambda stat: stat.st_ctime_ns)
    seen = (newest.st_mode, newest.st_size, newest.st_mtime_ns, newest.st_ctime_ns, newest.st_ino)
    while racy(seen, time.time_ns() - 10_000_000) != seen:  # the kernel's coarse clock is up to 10 ms late
        time.sleep(0.005)
    four.sh("find /srv /data -exec touch -d '2023-01-01 00:00:00' {} +")
