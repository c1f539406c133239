"""A container that uses much of what an engine offers, what an agent does to it, and a timeline of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import takeback as tb
from support.containers.boxes import Boxes, free_port
from support.containers.looking import Look, look

BEFORE = """
echo 'mode = before' >/etc/app/settings.ini
rm /etc/secret
rm -r /usr/share/doc/box; mkdir /usr/share/doc/box; echo anew >/usr/share/doc/box/README
chown agent /var/log; chmod 2770 /srv
mkdir -p /home/agent/out/deep; echo one >/home/agent/out/one; ln /home/agent/out/one /home/agent/out/deep/same
ln -s /etc/passwd /home/agent/out/link; mkfifo /home/agent/out/pipe; chown -R agent:agent /home/agent/out
dd if=/dev/urandom of=/var/noise bs=64k count=8 2>/dev/null
mkdir -p /data/kept /data/gone; echo v1 >/data/kept/file; echo x >/data/gone/file; ln -s kept/file /data/link
"""
"""What has happened in the container when it is saved first."""

AFTER = """
echo 'mode = after' >/etc/app/settings.ini
rm /etc/app/conf.d/10-first; echo third >/etc/app/conf.d/30-third
rm /home/agent/out/deep/same /home/agent/out/link; echo other >/home/agent/out/link
mv /usr/lib/app/run /usr/lib/app/run.old; chmod 600 /etc/group; rm -r /home/agent/project/src
echo more >>/var/noise
rm -r /data/gone; echo v2 >/data/kept/file; mkdir /data/new; chown agent /data/new
"""
"""What an agent then does to it."""


class Scene:
    """One container with a volume and limits, running, and the timeline of it in a store of its own. It has no network, which
    would take an engine more time than all the rest: see `NetworkScene`."""

    def __init__(self, boxes: Boxes, base: Path, strategy: str, **options: Any) -> None:
        self.boxes, self.strategy, self.store_path = boxes, strategy, base / "store"
        self.volume = boxes.volume()
        self.beside: set[tuple[str, str]] = {("volume", self.volume)}
        """What belongs to it in the engine."""
        wanted: dict[str, Any] = {
            "environment": {"MODE": "test", "API_TOKEN": "hidden"},
            "labels": {"who": "an agent"},
            "hostname": "agents-place",
            "mem_limit": "256m",
            "shm_size": "16m",
            "cap_add": ["SYS_PTRACE"],
            "volumes": {self.volume: {"bind": "/data", "mode": "rw"}},
            "tmpfs": {"/scratch": "size=1m"},
            **options,
        }
        self.name = boxes.run(**wanted)
        self.open()

    def open(self) -> None:
        """As another process does."""
        self.store = tb.open(self.store_path)
        self.line = self.store.timeline(self.name, sources=[tb.Container(self.name, strategy=self.strategy)])

    def close(self) -> None:
        self.store.close()

    def sh(self, script: str) -> str:
        return self.boxes.sh(self.name, script)

    @property
    def data(self) -> Path:
        """Where the volume lies on the disk."""
        return Path(self.boxes.engine.api.inspect_volume(self.volume)["Mountpoint"])

    def look(self) -> Look:
        return look(self.boxes.engine, self.name)

    def save_both(self) -> dict[str, Look]:
        """Have it be as before, then as after, and save it each time; how it looked, by label."""
        seen = {}
        for label, script in (("before", BEFORE), ("after", AFTER)):
            self.sh(script)
            self.line.save(label)
            seen[label] = self.look()
        return seen

    def whole(self) -> None:
        """Nothing of what takeback needs in between is there, and nobody stands still."""
        mine = {(thing.kind, thing.name) for thing in self.boxes.mine()}
        names = {("container", self.name), *self.beside}
        assert mine == names, f"beside what belongs there: {sorted(mine - names)}; missing: {sorted(names - mine)}"
        assert self.boxes.state(self.name) == "running"


class NetworkScene(Scene):
    """The same with a network and a port."""

    def __init__(self, boxes: Boxes, base: Path, strategy: str, **options: Any) -> None:
        self.port = free_port()
        network = boxes.network()
        ports = {"80/tcp": ("127.0.0.1", self.port)}
        super().__init__(boxes, base, strategy, network=network, ports=ports, **options)
        self.beside.add(("network", network))
