"""docs/tutorial.md: a new user who follows it on a fresh machine gets every output that it shows."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from support import pages, tutorial
from support.containers.fixtures import PrivateEngine

TEXT = tutorial.PAGE.read_text()
AGAIN = "if it is meant to be so: PYTHONPATH=tests .venv/bin/python -m support.tutorial"


def follow(reader: pages.Reader, text: str) -> int:
    """Do what the text says, and see what it shows; how many lines were typed."""
    typed = 0
    for each, printed in reader.follow(text):
        typed += 1
        try:
            reader.compare(each.shown, printed)
        except AssertionError as error:
            raise AssertionError(f"“{each.text}” prints something else; {AGAIN}\n{error}") from None
    return typed


@pytest.mark.service("docker")
def test_a_new_user_gets_every_output_shown(tmp_path: Path, private_engine: PrivateEngine) -> None:
    engine = private_engine(network=True)
    tutorial.have_image(engine)
    with tutorial.newcomer(tmp_path, DOCKER_HOST=engine.address) as reader:
        assert follow(reader, TEXT) > 50
    left = {path.name for path in tmp_path.iterdir() if not path.name.startswith(".")}
    assert left == {"takeback"}, "the page removes what it made"


def test_the_first_part_needs_neither_docker_nor_a_team(tmp_path: Path) -> None:
    first, _, _ = TEXT.partition("## Part 2")
    programs = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    installed = first.replace(pages.blocks(first, "sh")[0], "mkdir -p ~/tea/bin && touch ~/tea/bin/activate\n", 1)
    with tutorial.newcomer(tmp_path, PATH=programs, DOCKER_HOST="tcp://127.0.0.1:1") as reader:
        assert follow(reader, installed) > 15
    assert not (tmp_path / ".clawteam").exists()
    assert (tmp_path / "shop" / "teas.txt").read_text() == "Assam 4.20\nEarl Grey 6.10\nOolong 7.80\n"
