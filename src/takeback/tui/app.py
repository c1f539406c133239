"""The app: its look, the screens, what arrives from the store, and how it ends."""

from __future__ import annotations

from typing import ClassVar

from textual._context import active_message_pump
from textual.binding import Binding, BindingType
from textual.css.query import NoMatches
from textual.dom import DOMNode
from textual.events import AppFocus

from takeback.tui.pressing import Pressing
from takeback.tui.themes import DARK, LIGHT, THEMES, fitting
from takeback.tui.timeline import TimelineScreen
from takeback.views.desk import Desk
from takeback.views.jobs import Jobs
from takeback.views.live import Heard, Live


class TakebackApp(Pressing):
    """The terminal face. Its first screen is the timeline; all others lie above it."""

    CSS_PATH = "style.tcss"
    TITLE = "takeback"
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = None
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "leave", "quit", show=False, priority=True),
        Binding("ctrl+q", "leave", "quit", show=False, priority=True),
        Binding("T", "other_theme", "light or dark", show=False),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = fitting().name
        self.desk = desk
        self.jobs = Jobs()
        self.fault: Exception | None = None
        """What ended it that nobody thought of."""
        self._live = Live(desk, self._heard)
        self._timeline = TimelineScreen(desk, self.jobs)

    def on_mount(self) -> None:
        self.push_screen(self._timeline)
        self._live.start()

    def on_unmount(self) -> None:
        self._live.stop()
        self.desk.stop()
        self.jobs.end()

    def _heard(self, heard: Heard) -> None:
        """Called in the thread that listens."""
        if self.is_running:
            self.call_later(self._timeline.heard, heard)

    def on_app_focus(self, event: AppFocus) -> None:
        """Somebody comes back to this window: what was done in others is shown."""
        self._timeline.look_again()

    def action_help(self) -> None:
        from takeback.tui.help import Help

        self.push_screen(Help())

    def action_other_theme(self) -> None:
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name

    def action_leave(self) -> None:
        self.exit()

    def _handle_exception(self, error: Exception) -> None:
        """Textual's own way is to print a traceback over the screen; whoever started the app knows a better one.

        Who presses r and then q at once leaves a screen before it is built: that it lacks something is no fault.
        """
        if isinstance(error, NoMatches) and _is_leaving(active_message_pump.get(None)):
            return
        if self.is_headless:  # a test wants to see it where it happened
            super()._handle_exception(error)
            return
        self.fault = self.fault or error
        self.exit(return_code=1)


def _is_leaving(node: object) -> bool:
    """Whether a widget, or a screen, is on its way out."""
    return isinstance(node, DOMNode) and not node.is_attached
