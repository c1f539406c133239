"""How `format-1.tar.xz` was made: ``python tests/compat/write_store.py DIRECTORY``, an empty one.

It is run once a format, when that is new. A store that was written then is never written again: that it can still be
read is the test.
"""

from __future__ import annotations

import io
import os
import sys
import tarfile
from pathlib import Path

import takeback as tb
from takeback.store import batch
from takeback.store.catalogue.sqlite import SqliteDatabase

ROOT = "/tmp/takeback-format-1"
"""The root of the store's timeline; nothing needs to be there."""

LARGE = b"".join(b"line %d of a large file\n" % number for number in range(8_000)) * 7
"""Above 1 MiB, so that it is stored in chunks; it repeats itself, so that it takes little."""


def write(base: Path) -> None:
    root = Path(ROOT)
    root.mkdir()
    (root / ".gitignore").write_text("*.log\n")
    (root / "noise.log").write_text("ignored\n")
    (root / "large.txt").write_bytes(LARGE)
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("run.sh")
    (root / "sub" / "empty").mkdir(parents=True)
    (root / os.fsdecode(b"sub/caf\xe9.txt")).write_text("a name of any bytes\n")
    with tb.open(base / "store") as store:
        line = store.timeline(sources=[tb.Workspace(root)])
        batch.HOT_SEALED = 0  # so that there is a pack, and hot rows after it
        line.save("first")
        batch.HOT_SEALED = 256 << 10
        line.pin("first")
        with line.turn("a turn", session="s1"):
            (root / "run.sh").write_text("#!/bin/sh\necho turned\n")
        line.undo()
        os.mkfifo(root / "pipe")
        (root / "later.txt").write_text("later\n")
        line.save("last")
        assert isinstance(store.blobs.database, SqliteDatabase)
        store.blobs.database._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    kept = [
        path for path in sorted((base / "store").rglob("*")) if path.is_dir() or path.suffix in ("", ".db", ".json")
    ]
    kept = [path for path in kept if path.parent.name != "derived"]
    with tarfile.open(base / "format-1.tar.xz", "w:xz") as archive:
        for path in kept:
            member = archive.gettarinfo(path, str(path.relative_to(base)))
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            archive.addfile(member, io.BytesIO(path.read_bytes()) if path.is_file() else None)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
