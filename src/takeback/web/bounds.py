"""How much one answer holds: lists end somewhere, and ``left_out`` says how much of which is missing. Nothing is left out
without a word."""

from __future__ import annotations

from takeback.shapes import Shape

MOST = 5000


def bounded(shape: Shape, most: int = MOST) -> Shape:
    """The same with every list of it cut."""
    long = {
        key: len(value) - most for key, value in shape.items() if isinstance(value, list | tuple) and len(value) > most
    }
    return {**shape, **{key: shape[key][:most] for key in long}, "left_out": long}
