"""``python -m fuzz [--seconds N] [TARGET…]``: each target under atheris for so long, one after the other.

atheris ends its process when its time is over, so each target has one of its own. What breaks a target is written to
``fuzz/found/``, to be looked at and kept in ``fuzz/seeds/``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from fuzz import run, targets

_FOUND = Path(__file__).parent / "found"


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m fuzz")
    options.add_argument("--seconds", type=int, default=60)
    options.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options.add_argument("target", nargs="*")
    given = options.parse_args()
    if given.one:
        _fuzz(given.target[0], given.seconds)
        return 0
    known = targets()
    unknown = [name for name in given.target if name not in known]
    if unknown:
        options.error(f"no target {unknown[0]!r}; there are: {', '.join(known)}")
    failed = []
    for name in given.target or known:
        command = [sys.executable, "-m", "fuzz", "--one", "--seconds", str(given.seconds), name]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, errors="replace")
        executed = [line for line in done.stderr.splitlines() if line.startswith("Done ")]
        print(f"{name:<14} {executed[-1] if executed and not done.returncode else 'FAILED'}", flush=True)
        if done.returncode:
            failed.append(name)
            print(done.stderr[-4000:])
    return 1 if failed else 0


def _fuzz(name: str, seconds: int) -> None:
    import atheris

    with atheris.instrument_imports(include=["takeback"]):
        parse, seeds = targets()[name]
    _FOUND.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as corpus:
        for number, seed in enumerate(seeds):
            Path(corpus, str(number)).write_bytes(seed)
        limits = [
            f"-max_total_time={seconds}",
            "-timeout=10",
            "-rss_limit_mb=2048",
            f"-artifact_prefix={_FOUND}/{name}-",
        ]
        atheris.Setup([sys.argv[0], corpus, *limits], lambda data: run(parse, data))
        atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
