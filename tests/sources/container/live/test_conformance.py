"""A container passes the suite of all sources, with each strategy."""

from __future__ import annotations

from pathlib import Path

import pytest

import takeback as tb
from support.containers.boxes import Boxes
from support.containers.looking import look
from takeback.sources.protocol import Source
from takeback.testing import SourceSuite

CHANGES = (
    "echo one >/srv/one; rm /etc/group; echo x >/data/x",
    "echo two >/srv/two; chown agent /home; rm -r /usr/lib/app",
    "mkdir /data/deep; echo y >/data/deep/y; mv /srv/three /srv/3; ln -s two /srv/link",
)


@pytest.mark.service("docker")
class TestContainer(SourceSuite):
    CHANGES = len(CHANGES)
    TAKES_BACK = True

    @pytest.fixture
    def source(self, boxes: Boxes, strategy: str) -> Source:
        self.boxes = boxes
        self.box = boxes.run(volumes={boxes.volume(): {"bind": "/data", "mode": "rw"}})
        boxes.sh(self.box, "echo 3 >/srv/three; rm /etc/hosts.allow 2>/dev/null || :; echo v >/data/v")
        return tb.Container(self.box, strategy=strategy)

    def change(self, source: Source, number: int) -> None:
        self.boxes.sh(self.box, CHANGES[number])

    def read(self, source: Source) -> object:
        assert isinstance(source, tb.Container)
        seen = look(self.boxes.engine, source.container)
        return seen.files, sorted(seen.volumes.items())

    def another_place(self, base: Path) -> object:
        self.boxes.own("volume", f"{self.boxes.name('copy')}-{self.boxes.name('data')}")
        return self.boxes.own("container", self.boxes.name("copy"))

    def traces(self, source: Source) -> object:
        return sorted(thing for thing in self.boxes.mine() if "copy" not in thing.name)
