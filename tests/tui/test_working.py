from __future__ import annotations

import threading
from typing import Any

from textual.app import App
from textual.pilot import Pilot

from support.tui import play, said, until, until_said, until_seen
from takeback.errors import Conflict
from takeback.model.progress import Listener, Progress
from takeback.tui.working import Working
from takeback.views.jobs import Job, Jobs


class Desk(App[None]):
    """An app that starts some work."""

    def __init__(self, work: Any) -> None:
        super().__init__()
        self.jobs = Jobs()
        self._work = work
        self.ended: list[Job | None] = []

    def on_mount(self) -> None:
        self.push_screen(Working(self.jobs, "copying the world", self._work), self.ended.append)


def test_long_work_says_how_far_it_is_and_esc_cancels_it() -> None:
    going = threading.Event()

    def work(listener: Listener) -> None:
        going.set()
        while True:  # until the listener says that it is to stop
            listener(Progress("scan", 1234, 5000, 12_000_000))

    app = Desk(work)

    async def scene(pilot: Pilot[Any]) -> None:
        await until(pilot, going.is_set)
        await until_seen(pilot, "copying the world", "1,234", "5,000")
        await pilot.press("escape")
        await until(pilot, lambda: app.ended)
        assert app.ended[0] is not None and app.ended[0].state == "cancelled"
        await until_said(pilot, "cancelled")

    play(app, scene)


def test_what_work_gave_is_handed_on() -> None:
    app = Desk(lambda listener: 42)

    async def scene(pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: app.ended)
        assert app.ended[0] is not None and app.ended[0].result == 42
        assert said(pilot) == ""

    play(app, scene)


def test_what_went_wrong_is_told_with_hints() -> None:
    def work(listener: Listener) -> None:
        raise Conflict("the world [b]moved[/b]", hints=["look again"])

    app = Desk(work)

    async def scene(pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: app.ended)
        await until(pilot, lambda: said(pilot) == "the world [b]moved[/b]\n→ look again")

    play(app, scene)
