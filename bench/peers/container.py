"""A running container with much in it, on the engine that `scripts/services` has started, and how docker itself keeps it.

A program in it looks at the clock all the time: how long it was stopped is measured where it is felt.
"""

from __future__ import annotations

import io
import mmap
import os
import secrets
import subprocess
import tarfile
from pathlib import Path
from typing import Any

IMAGE = "takeback-test/box:1"
"""Busybox; `scripts/services` has made it."""
_FILL = "dd if=/dev/urandom bs=1M count=1 2>/dev/null of=/data/"
_TICKER = Path(__file__).with_name("ticker.c")


def address() -> str | None:
    """Where the engine is; None if there is none."""
    return os.environ.get("TAKEBACK_TEST_DOCKER")


class Container:
    """``files`` files of a mebibyte each, which no one can compress; `change` makes one of them anew."""

    def __init__(self, base: Path, files: int) -> None:
        import docker

        self.name = f"bench-{secrets.token_hex(4)}"
        self.files = files
        self.api: Any = docker.APIClient(base_url=address(), version="auto", timeout=3600)
        self._root = Path(self.api.info()["DockerRootDir"])
        ticks = base / "ticks"
        ticks.mkdir(parents=True)
        (ticks / "longest").write_bytes(bytes(8))
        limits = self.api.create_host_config(binds=[f"{ticks}:/ticks"])
        self.api.create_container(IMAGE, name=self.name, host_config=limits)
        self.api.put_archive(self.name, "/bin", _archive("ticker", _compiled(base)))
        self.api.start(self.name)
        with (ticks / "longest").open("r+b") as file:
            self._longest = mmap.mmap(file.fileno(), 8)
        self.run(f"mkdir /data; for n in $(seq {files}); do {_FILL}$n; done")
        self.run("ticker /ticks/longest", detach=True)

    def change(self, number: int) -> None:
        self.run(f"{_FILL}{number % self.files + 1}")

    def run(self, script: str, *, detach: bool = False) -> None:
        id = self.api.exec_create(self.name, ["sh", "-euc", script])["Id"]
        self.api.exec_start(id, detach=detach)
        if not detach and self.api.exec_inspect(id)["ExitCode"]:
            raise RuntimeError(f"{script} failed in the container")

    def longest_stop(self) -> float:
        """In seconds, since this was asked last."""
        found = int.from_bytes(self._longest[:8], "little") / 1e9
        self._longest[:8] = bytes(8)
        return found

    def commit(self) -> str:
        """An image of it, as `docker commit` makes one; its id."""
        return str(self.api.commit(self.name, repository=self.name, tag=secrets.token_hex(4))["Id"])

    def forget(self, image: str) -> None:
        self.api.remove_image(image, force=True)

    def engine_bytes(self) -> int:
        """What the engine keeps; what is mounted below is there already."""
        said = subprocess.run(
            ["du", "--summarize", "--one-file-system", "--block-size=1", str(self._root)],
            capture_output=True,
            text=True,
        )
        return int(said.stdout.split()[0])

    def remove(self) -> None:
        self._longest.close()
        self.api.remove_container(self.name, force=True, v=True)
        self.api.close()


def _compiled(base: Path) -> bytes:
    program = base / "ticker"
    subprocess.run(["gcc", "-O2", "-static", "-o", str(program), str(_TICKER)], check=True)
    return program.read_bytes()


def _archive(name: str, program: bytes) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as out:
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode = len(program), 0o755
        out.addfile(entry, io.BytesIO(program))
    return stream.getvalue()
