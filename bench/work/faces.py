"""How long it takes until there is something to see, with a long history: takeback's two faces against themselves with a short
one, from the start of the command to the first rows."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
import urllib.request
from collections.abc import Callable, Mapping
from http.cookiejar import CookieJar
from pathlib import Path

from bench.long_history import NEWEST, LongHistory, make
from bench.measure import alternating
from bench.rows import Row, against

SHORT = 100
_NEWEST = f"real turn {NEWEST - 1}"
_PATIENCE = 60.0


def measure(base: Path, snapshots: int, rounds: int = 7) -> list[Row]:
    peer = f"itself with {SHORT}"
    parties = {"takeback": make(base / "long", snapshots), peer: make(base / "short", SHORT)}
    faces: dict[str, Callable[[LongHistory], float]] = {"takeback ui": screen, "takeback web": page}
    times = {face: {name: list[float]() for name in parties} for face in faces}
    for number, order in alternating(parties, rounds + 1):
        for name, history in order:
            for face, look in faces.items():
                taken = look(history)
                if number:  # the first round reads programs from the disk
                    times[face][name].append(taken)
    rows: list[Row] = []
    for face, samples in times.items():
        rows += against(f"first rows of {face}, {snapshots:,} snapshots", "s", samples, {peer: 2.0}, "whole command")
    return rows


def screen(history: LongHistory) -> float:
    """`takeback ui` on a terminal of its own, until it shows the newest turn."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "takeback", "ui"],
        cwd=history.root,
        env={**_environment(history), "TERM": "xterm-256color"},
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(slave)
    try:
        shown = b""
        while _NEWEST not in re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", shown).decode(errors="replace"):
            if not select.select([master], [], [], _PATIENCE)[0]:
                raise TimeoutError(f"the screen does not show {_NEWEST!r}: {shown!r}")
            shown += os.read(master, 1 << 16)
        return time.perf_counter() - begin
    finally:
        process.kill()
        process.wait()
        os.close(master)


def page(history: LongHistory) -> float:
    """`takeback web` until its page and the first rows have come."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "takeback", "--json", "web", "--no-open", "--port", "0"],
        cwd=history.root,
        env=_environment(history),
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        with browser.open(url, timeout=_PATIENCE) as answer:
            assert b"takeback" in answer.read()
        with browser.open(f"{url.partition('?')[0].rstrip('/')}/api/rows", timeout=_PATIENCE) as answer:
            rows = json.loads(answer.read())["rows"]
        assert _NEWEST in [row["title"] for row in rows], rows
        return time.perf_counter() - begin
    finally:
        process.kill()
        process.communicate()


def _environment(history: LongHistory) -> Mapping[str, str]:
    return {**os.environ, "TAKEBACK_STORE": str(history.store), "TAKEBACK_UPKEEP": "off"}
