"""Small questions in the middle of the screen: choose one of a few, or write a word or two. Esc answers none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Label, OptionList
from textual.widgets.option_list import Option

from takeback.tui.showing import shown
from takeback.tui.writing import Writing
from takeback.views.lines import Line

_LEAVE: list[BindingType] = [Binding("escape", "leave", "leave", show=False)]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several: what is answered, how it is called, and what it means."""

    answer: str
    title: Line | str
    about: Line | str = ""
    key: str = ""
    """A key that chooses it at once."""


class Choosing(ModalScreen[str | None]):
    """A list to choose from; dismisses with the answer, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *_LEAVE,
        Binding("q", "leave", "leave", show=False),
        Binding("j", "go(1)", "down", show=False),
        Binding("k", "go(-1)", "up", show=False),
    ]

    def __init__(self, title: Line | str, choices: Sequence[Choice], *, chosen: str = "") -> None:
        super().__init__()
        self._asked, self._choices, self._chosen = title, tuple(choices), chosen
        for place, each in enumerate(choices):
            if each.key:
                self._bindings.bind(each.key, f"answer({place})", show=False)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(shown(self._asked), classes="dialog--title", markup=False)
            yield OptionList(*(Option(_prompt(each)) for each in self._choices), markup=False)
            yield Label("Enter chooses · Esc leaves", classes="dialog--keys", markup=False)

    def on_mount(self) -> None:
        answers = [each.answer for each in self._choices]
        asked = self.query_one(OptionList)
        asked.highlighted = answers.index(self._chosen) if self._chosen in answers else 0
        asked.focus()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        if self.is_active:  # once, however often Enter is pressed
            self.action_answer(event.option_index)

    def action_answer(self, place: int) -> None:
        self.dismiss(self._choices[place].answer)

    def action_go(self, lines: int) -> None:
        asked = self.query_one(OptionList)
        asked.action_cursor_down() if lines > 0 else asked.action_cursor_up()

    def action_leave(self) -> None:
        self.dismiss(None)


def _prompt(choice: Choice) -> Content:
    lines = [
        Content.assemble((f"{choice.key}  ", "bold $accent"), shown(choice.title))
        if choice.key
        else shown(choice.title)
    ]
    if choice.about:
        lines.append(Content.assemble("   " if choice.key else "", shown(choice.about)).stylize("$quiet"))
    return Content("\n").join(lines)


@dataclass(frozen=True, slots=True)
class Field:
    """Something to be written."""

    name: str
    about: str
    proposed: str = ""
    needed: bool = True


class Asking(ModalScreen[dict[str, str] | None]):
    """One or two lines to be written; dismisses with them by name, or None. ``check`` says what is wrong with them."""

    BINDINGS: ClassVar[list[BindingType]] = _LEAVE

    def __init__(
        self,
        title: Line | str,
        fields: Sequence[Field],
        *,
        about: Line | str = "",
        check: Callable[[dict[str, str]], str] | None = None,
        follow: Callable[[str, str], dict[str, str]] | None = None,
    ) -> None:
        """``follow`` says what other fields are proposed when one, by name, holds a text."""
        super().__init__()
        self._asked, self._about, self._fields, self._check, self._follow = title, about, tuple(fields), check, follow
        self._written: set[str] = set()

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(shown(self._asked), classes="dialog--title", markup=False)
            if self._about:
                yield Label(shown(self._about), classes="dialog--about", markup=False)
            for field in self._fields:
                yield Label(field.about, classes="dialog--field", markup=False)
                yield Writing(self._go_on, field.proposed, id=field.name)
            yield Label("", classes="dialog--problem", markup=False)
            yield Label("Enter goes on · Esc leaves", classes="dialog--keys", markup=False)

    def on_mount(self) -> None:
        self.set_focus(self.query(Input).first())

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        self.query_one(".dialog--problem", Label).update("")
        if event.input.has_focus and event.input.id is not None:
            self._written.add(event.input.id)
            proposed = self._follow(event.input.id, event.value) if self._follow is not None else {}
            for name, text in proposed.items():
                if name not in self._written:
                    self.query_one(f"#{name}", Input).value = text

    def _go_on(self) -> None:
        """To the next line, or with all of them."""
        every = list(self.query(Input))
        following = every[every.index(self.focused) + 1 :] if self.focused in every else []
        if following:
            self.set_focus(following[0])
            return
        given = {each.id or "": each.value.strip() for each in every}
        problem = next(
            (f"{each.about}: this is needed" for each in self._fields if each.needed and not given[each.name]), ""
        )
        problem = problem or (self._check(given) if self._check is not None else "")
        if problem:
            self.query_one(".dialog--problem", Label).update(shown(problem))
        else:
            self.dismiss(given)

    def action_leave(self) -> None:
        self.dismiss(None)
