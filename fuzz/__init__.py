"""Fuzz targets: one function for each parser of bytes that an enemy may have written.

A target takes any bytes and returns; the only thing it may raise is a `TakebackError`, which `run` lets pass. Where there is
an encoder, what was decoded is encoded again and must be the same bytes. `make fuzz` runs them under atheris for as long
as one likes, `tests/fuzz` with the seeds and some mutations in every `make test`. What a fuzzer found is kept as a file in
``fuzz/seeds/<target>/``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from takeback.errors import TakebackError

Target = Callable[[bytes], None]

FOUND = Path(__file__).parent / "seeds"


def targets() -> dict[str, tuple[Target, list[bytes]]]:
    """Every target by name, with seeds that its parser accepts, or that once were too much for it."""
    from fuzz import archives, bundles, containers, documents, hooks, packs, states, words, world

    rooms = (archives, bundles, containers, documents, hooks, packs, states, words, world)
    made = {name: target for room in rooms for name, target in room.TARGETS.items()}
    return {name: (parse, [*seeds, *_found(name)]) for name, (parse, seeds) in made.items()}


def run(parse: Target, data: bytes) -> None:
    """One input: nothing but an error of ours may come out."""
    try:
        parse(data)
    except TakebackError:
        pass


def _found(name: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted((FOUND / name).glob("*"))]
