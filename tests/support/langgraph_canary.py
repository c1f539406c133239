"""What must never be imported: whoever finds it loaded knows that stored bytes chose it."""

from __future__ import annotations

fired: list[object] = []


def fire(*args: object, **kwargs: object) -> None:
    fired.append((args, kwargs))


class Bird:
    def __init__(self, *args: object, **kwargs: object) -> None:
        fire(*args, **kwargs)

    construct = model_construct = fire
