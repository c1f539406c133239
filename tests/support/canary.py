"""Classes that tell whether somebody ran them."""

from __future__ import annotations

from typing import Any

RAN: list[str] = []


class Canary:
    def __new__(cls, *arguments: Any) -> Canary:
        RAN.append("new")
        return super().__new__(cls)

    def __init__(self) -> None:
        RAN.append("init")

    def __setattr__(self, name: str, value: Any) -> None:
        RAN.append("set")

    def __setstate__(self, state: Any) -> None:
        RAN.append("state")

    def __del__(self) -> None:
        RAN.append("del")


class Allowed:
    """The one that may come back."""
