"""Images that snapshots have made go with them: not before, and not with anybody else's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import takeback as tb
from support.containers.boxes import Boxes

pytestmark = pytest.mark.service("docker")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[tb.Store]:
    with tb.open(tmp_path / "store") as store:
        yield store


def saved(line: tb.Timeline, boxes: Boxes, box: str, text: str) -> tuple[str, str]:
    """A snapshot after a change, and its image's tag."""
    boxes.sh(box, f"echo {text} > /root/file")
    snapshot = line.save(text)
    tag = snapshot.parts["container"].detail["image"]["tag"]
    return snapshot.id, boxes.own("image", tag)


def tags(boxes: Boxes) -> set[str]:
    return {thing.name for thing in boxes.mine() if thing.kind == "image"}


def test_an_image_goes_when_its_snapshot_cannot_come_back(boxes: Boxes, store: tb.Store) -> None:
    box = boxes.run()
    line = store.timeline("boxes", sources=[tb.Container(box, image=True, client=boxes.engine.api)])
    made = [saved(line, boxes, box, f"text-{number}") for number in range(3)]
    every = {tag for _, tag in made}
    store.maintain()
    assert tags(boxes) == every
    line.drop(made[1][0])
    store.undrop(made[1][0])
    store.maintain()
    assert tags(boxes) == every
    line.drop(made[1][0])
    for _ in range(3):
        store.maintain()
    assert tags(boxes) == every - {made[1][1]}
    with pytest.raises(tb.NotFound):
        store.undrop(made[1][0])


def test_where_docker_is_down_it_is_done_next_time(
    boxes: Boxes, store: tb.Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = boxes.run()
    line = store.timeline("boxes", sources=[tb.Container(box, image=True, client=boxes.engine.api)])
    _, tag = saved(line, boxes, box, "first")
    boxes.sh(box, "head -c 3000000 /dev/urandom > /large")
    heavy, other = saved(line, boxes, box, "heavy")
    boxes.sh(box, "rm /large")
    saved(line, boxes, box, "last")
    store.maintain()
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    line.drop(heavy)
    for _ in range(3):
        store.maintain()
    assert other in tags(boxes)
    monkeypatch.setenv("DOCKER_HOST", boxes.engine.address)
    store.maintain()
    assert other not in tags(boxes) and tag in tags(boxes)


def test_an_image_that_holds_a_purged_file_goes_with_it(boxes: Boxes, store: tb.Store) -> None:
    box = boxes.run()
    line = store.timeline("boxes", sources=[tb.Container(box, image=True, client=boxes.engine.api)])
    _, tag = saved(line, boxes, box, "sk-a-secret-that-nobody-would-guess")
    assert tag in tags(boxes)
    line.purge("filesystem/root/file", part="container")
    assert tag not in tags(boxes)
    assert "image" not in line.show("@").parts["container"].detail
