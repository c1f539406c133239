"""Keys that are pressed faster than screens are built: they act in the order in which they were pressed, none of them is lost,
and none says yes to a question that was not on the screen yet.

Textual hands a key to the widget with the focus, from where it comes back to the app, which looks what it is bound to by
then. On that way another key may overtake it, and the screen may be another one when it arrives.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from textual.app import App
from textual.events import Event, Key
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from takeback.tui.confirming import ConfirmScreen

_PATIENCE = 1.0
"""Seconds after which a key that has not come back is taken for lost, so that no other waits for it."""

if TYPE_CHECKING:
    from rich.console import RenderableType


class Pressing(App[None]):
    """An app with keys in order."""

    _drawn: Screen[object] | None = None
    """The screen that was drawn last."""
    _drawn_at = 0.0
    """Since when it is to be seen."""
    _last: Key | None = None
    """The key that is on its way."""
    _way: Widget | None = None
    """The widget that it was handed to."""
    _handed_at = 0.0

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        super()._display(screen, renderable)
        if screen is not self._drawn and screen is self.screen and renderable is not None:
            self._drawn, self._drawn_at = screen, time.monotonic()

    async def on_event(self, event: Event) -> None:
        if not isinstance(event, Key) or event.is_forwarded:
            await super().on_event(event)
            return
        if (way := self._way_of_last) is not None:
            if not await self._check_bindings(event.key, priority=True):
                self._hand(event, way)
        elif isinstance(self.focused, Input):
            event._set_forwarded()
            await self._write(event, self.focused)
        else:
            way = self.focused or self.screen
            await super().on_event(event)
            self._last, self._way, self._handed_at = event, way, time.monotonic()

    @property
    def _way_of_last(self) -> Widget | None:
        """The way of a key that has not come back yet: what follows has to go there, too, or it would overtake it."""
        last, way = self._last, self._way
        if last is None or last._stop_propagation or way is None or not way.is_attached:
            return None
        return way if time.monotonic() < self._handed_at + _PATIENCE else None

    def _hand(self, event: Key, way: Widget) -> None:
        self._last, self._way, self._handed_at = event, way, time.monotonic()
        way._forward_event(event)

    async def _write(self, event: Key, box: Input) -> None:
        """What is written is done here and now, so that it stays in order with Enter and the like."""
        if event.is_printable:
            await box._on_key(event)
        elif not await self._check_bindings(event.key, priority=True):
            await self._check_bindings(event.key)

    async def on_key(self, event: Key) -> None:
        """A key has come back. All is done here: on the way to Textual's own handler the screen may change."""
        event.prevent_default()
        if event is self._last:
            self._last = self._way = None
        if not self.screen.is_mounted:
            self._wait_for(self.screen, event)
        elif not self.screen.is_running or (isinstance(self.screen, ConfirmScreen) and not self._was_seen(event)):
            pass  # the app ends; or what is asked was not there yet
        elif isinstance(self.focused, Input):
            # It was on its way to a list when a box to write in opened: it belongs into that box, where nothing acts.
            await self._write(event, self.focused)
        else:
            await self._check_bindings(event.key)

    def _was_seen(self, event: Key) -> bool:
        """Whether the screen was there when a key was pressed."""
        return self._drawn is self.screen and event.time >= self._drawn_at

    def _wait_for(self, screen: Screen[object], event: Key) -> None:
        """Have a key come back when a screen is built."""
        later = Key(event.key, event.character)
        later.time = event.time
        self._hand(later, screen)
