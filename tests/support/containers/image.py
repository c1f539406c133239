"""The image that tests make containers from: busybox and a small system around it, imported, so that no registry is asked.

Its program ends at once when it is told to (TERM), so that stopping a container takes no time.
"""

from __future__ import annotations

import io
import shutil
import tarfile
from pathlib import Path
from urllib.parse import urlencode

from support.containers.wire import call

REPOSITORY, TAG = "takeback-test/box", "1"
IMAGE = f"{REPOSITORY}:{TAG}"
SERVE = "trap 'exit 0' TERM INT; while :; do sleep 1000 & wait $!; done"
CHANGES = (
    f'CMD ["sh", "-c", "{SERVE}"]',
    "ENV PATH=/bin:/sbin:/usr/bin LANG=C",
    "WORKDIR /home/agent",
    "LABEL made-for=tests",
)
LONG_AGO = 1_600_000_000

DIRECTORIES = {
    **dict.fromkeys(
        "bin dev etc etc/app etc/app/conf.d home proc root run sbin srv sys usr usr/bin usr/share".split(), 0o755
    ),
    **dict.fromkeys(
        "usr/share/doc usr/share/doc/box usr/share/doc/box/deep usr/lib usr/lib/app var var/log".split(), 0o755
    ),
    "tmp": 0o1777,
    "home/agent": 0o750,
    "home/agent/project": 0o755,
    "home/agent/project/src": 0o755,
}
FILES = {
    "etc/passwd": ("root:x:0:0:root:/root:/bin/sh\nagent:x:1000:1000:agent:/home/agent:/bin/sh\n", 0o644),
    "etc/group": ("root:x:0:\nagent:x:1000:\n", 0o644),
    "etc/app/settings.ini": ("[app]\nmode = image\n", 0o644),
    "etc/app/conf.d/10-first": ("first\n", 0o644),
    "etc/app/conf.d/20-second": ("second\n", 0o644),
    "etc/secret": ("only root reads this\n", 0o600),
    "usr/lib/app/run": ("#!/bin/sh\necho runs\n", 0o755),
    "usr/lib/app/as-root": ("#!/bin/sh\n", 0o4755),
    "usr/share/doc/box/README": ("to be read\n", 0o644),
    "usr/share/doc/box/deep/a": ("a\n", 0o644),
    "usr/share/doc/box/deep/b": ("b\n", 0o644),
    "var/log/app.log": ("".join(f"line {number}\n" for number in range(1000)), 0o640),
    "home/agent/project/src/main.sh": ("echo main\n", 0o644),
    "home/agent/project/notes.md": ("# Notes\n", 0o644),
}
APPLETS = """
ash cat chgrp chmod chown cp date dd env expr false find grep head hostname httpd id ip kill ln ls mkdir mkfifo mknod mktemp mount mv
nc ps pwd readlink realpath rm rmdir sed seq sh sha256sum sleep sort stat sync tail tar tee test top touch tr true truncate umount
uname vi wc wget which whoami xargs yes
""".split()
"""Programs that have a name in the image. busybox's shell finds the others too; many names would make every look at a container slow."""
LINKS = {"usr/lib/app/current": "run", "etc/localtime": "/usr/share/zone", "usr/share/doc/box/up": "../../.."}
AGENTS = "home/agent"
"""What lies here is the user agent's."""


def import_into(socket: Path) -> None:
    """Make the image in an engine that does not have it."""
    wish = {"fromSrc": "-", "repo": REPOSITORY, "tag": TAG}
    call(
        socket,
        "POST",
        f"/images/create?{urlencode([*wish.items(), *(('changes', each) for each in CHANGES)])}",
        archive(),
    )


def archive() -> bytes:
    busybox = shutil.which("busybox") or "/bin/busybox"
    program = Path(busybox).read_bytes()
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as out:
        for path, mode in DIRECTORIES.items():
            out.addfile(_entry(path, tarfile.DIRTYPE, mode))
        _file(out, "bin/busybox", program, 0o755)
        for applet in APPLETS:
            out.addfile(_entry(f"bin/{applet}", tarfile.SYMTYPE, 0o777, "busybox"))
        for path, (text, mode) in FILES.items():
            _file(out, path, text.encode(), mode)
        for path, target in LINKS.items():
            out.addfile(_entry(path, tarfile.SYMTYPE, 0o777, target))
    return stream.getvalue()


def _entry(path: str, kind: bytes, mode: int, target: str = "") -> tarfile.TarInfo:
    entry = tarfile.TarInfo(path)
    entry.type, entry.mode, entry.linkname, entry.mtime = kind, mode, target, LONG_AGO
    if path.startswith(AGENTS):
        entry.uid = entry.gid = 1000
    return entry


def _file(out: tarfile.TarFile, path: str, data: bytes, mode: int) -> None:
    entry = _entry(path, tarfile.REGTYPE, mode)
    entry.size = len(data)
    out.addfile(entry, io.BytesIO(data))
