"""docs/tutorial.md, as a new user follows it on a fresh machine: a home directory, a checkout of takeback in it, an engine.

    PYTHONPATH=tests .venv/bin/python -m support.tutorial

follows it, and writes what was printed into the page, and into README, which shows some of it. tests/docs/test_tutorial.py
follows it again, and fails if the page shows anything else.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from support.containers.daemon import Daemon, running
from support.containers.image import IMAGE
from support.pages import Reader, Typed, typed_in

ROOT = Path(__file__).resolve().parents[2]
PAGE, README = ROOT / "docs" / "tutorial.md", ROOT / "README.md"
_CONSOLE = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)


def newcomer(home: Path, **env: str) -> Reader:
    """Somebody who has Python and a checkout."""
    os.symlink(ROOT, home / "takeback")
    versions = {"PIP_CONSTRAINT": str(ROOT / "constraints.txt"), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    return Reader(home, home, **versions, **env)


def have_image(engine: Daemon) -> None:
    """The one that the page asks for: no registry can be reached."""
    from docker import DockerClient

    client = DockerClient(engine.address)
    client.images.get(IMAGE).tag("busybox")
    client.close()


def rewritten(page: str, new: Sequence[Typed]) -> str:
    """A page with what was printed, after what is typed in it in the same order."""
    rest = iter(new)

    def again(console: re.Match[str]) -> str:
        found = [
            next(each for each in rest if (each.prompt, each.text) == (old.prompt, old.text))
            for old in typed_in(console[0])
        ]
        return "".join(map(str, found))

    return _CONSOLE.sub(again, page)


def main() -> None:
    new = []
    with tempfile.TemporaryDirectory(dir="/tmp") as base, running(Path(base) / "engine") as engine:
        have_image(engine)
        home = Path(base) / "me"
        home.mkdir()
        with newcomer(home, DOCKER_HOST=engine.address) as reader:
            for each, printed in reader.follow(PAGE.read_text()):
                new.append(each._replace(shown=printed))
                print(new[-1], end="", flush=True)
    for page in (PAGE, README):
        page.write_text(rewritten(page.read_text(), new))


if __name__ == "__main__":
    main()
