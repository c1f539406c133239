"""A container's settings, and everything that is concluded from them before a container is made."""

from __future__ import annotations

import json

from takeback.sources.container import mounts, ports, rights
from takeback.sources.container.creating import body
from takeback.sources.container.decoding import decode
from takeback.sources.container.differing import differences
from takeback.sources.container.settings import Image, Settings, Volume

_KNOWN = Settings(
    Image("box:1", "sha256:" + "ab" * 32),
    config={"Cmd": ["sh"], "Labels": {"a": "b"}, "ExposedPorts": {"80/tcp": {}}, "Volumes": {"/data": {}}},
    environment=("PATH=/bin", "TOKEN"),
    holes=frozenset({"TOKEN"}),
    host={
        "Binds": ["v:/v", "/etc:/e:ro"],
        "CapAdd": ["NET_ADMIN"],
        "Mounts": [{"Type": "volume", "Target": "/m", "VolumeOptions": {"DriverConfig": {"Options": {"o": "bind"}}}}],
        "NetworkMode": "net",
        "PortBindings": {"80/tcp": [{"HostIp": "", "HostPort": "8080"}]},
        "SecurityOpt": ["no-new-privileges"],
        "VolumesFrom": ["other:ro"],
    },
    networks={"net": {"Aliases": ["web"], "IPAMConfig": {"IPv4Address": "192.0.2.7"}}},
    volumes={"/data": Volume(), "/v": Volume("v"), "/o": Volume("o", borrowed=True, writable=False)},
)


def container_settings(data: bytes) -> None:
    found = decode(data)
    assert decode(found.encode()) == found
    for now in (None, _KNOWN, found):
        rights.widened(now, found)
    assert not rights.widened(found, found)
    assert not differences(found, found)
    differences(_KNOWN, found)
    filled = found.filled(dict.fromkeys(found.holes, "x"))
    moved, _ = ports.moved(filled, lambda wanted: wanted.port % 2 == 0)
    renamed, _ = mounts.with_new_volumes(moved, "copy", lambda name: False)
    json.dumps(body(mounts.attached(renamed, dict.fromkeys(found.volumes, "ab" * 32)), "image"), allow_nan=False)


TARGETS = {"container_settings": (container_settings, [_KNOWN.encode(), Settings(Image(flat=True)).encode()])}
