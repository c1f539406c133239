"""The last question before something is done."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from takeback.tui.showing import paragraphs
from takeback.views.lines import Line


class ConfirmScreen(ModalScreen[bool]):
    """Shows some lines and asks; Enter presses the button that is lit, which is yes at first."""

    CSS_PATH = "preview.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "yes"),
        Binding("n,escape,q", "answer(False)", "no"),
        Binding("left,h", "app.focus_previous", "left", show=False),
        Binding("right,l", "app.focus_next", "right", show=False),
    ]

    def __init__(self, lines: Iterable[Line], yes: str) -> None:
        super().__init__()
        self._lines, self._yes = tuple(lines), yes

    def compose(self) -> ComposeResult:
        with Vertical(id="confirm"):
            yield Static(paragraphs(self._lines), id="confirm-text")
            with Horizontal(id="confirm-buttons"):
                yield Button(f"{self._yes} (y)", variant="primary", id="yes")
                yield Button("No (n)", id="no")

    def on_mount(self) -> None:
        self.query_one("#yes", Button).focus()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if self.is_active:
            self.dismiss(event.button.id == "yes")

    def action_answer(self, yes: bool) -> None:
        self.dismiss(yes)
