"""A box to write in whose Enter is done at once, before the next key: no letter behind it gets into the box."""

from __future__ import annotations

from collections.abc import Callable

from textual.widgets import Input


class Writing(Input):
    def __init__(
        self, entered: Callable[[], object], value: str = "", *, placeholder: str = "", id: str, classes: str = ""
    ) -> None:
        super().__init__(value, placeholder=placeholder, id=id, classes=classes)
        self._entered = entered

    async def action_submit(self) -> None:
        self._entered()
