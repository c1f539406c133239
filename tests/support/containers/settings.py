"""Settings with something of everything, for tests that need no engine."""

from __future__ import annotations

from takeback.sources.container.settings import PAUSED, Image, Settings, Volume

ID = "sha256:" + "ab" * 32
RICH = Settings(
    image=Image("box:1", ID, ("box@sha256:" + "cd" * 32,)),
    config={"Hostname": "", "Cmd": ["sh"], "Labels": {"ä": "ö"}, "Volumes": {"/data": {}}, "Entrypoint": None},
    environment=("PATH=/bin", "TOKEN", "UNSET", "EMPTY="),
    holes=frozenset({"TOKEN"}),
    host={"Memory": 1 << 26, "PortBindings": {"80/tcp": [{"HostIp": "", "HostPort": "8080"}]}, "Binds": ["v:/v"]},
    networks={"net": {"Aliases": ["web"], "IPAMConfig": {"IPv4Address": "192.0.2.7"}}, "bridge": {}},
    volumes={"/data": Volume(), "/v": Volume("v", "local", {"type": "tmpfs"}, {"a": "b"}, False, True)},
    state=PAUSED,
)
