"""The terminal face: a timeline to look at and to act on, by keys and by mouse. Textual is only loaded here.

Everything that takes long is done in threads (`takeback.tui.behind`, `takeback.tui.working`), everything that is shown
comes from `takeback.views`, and every change of the world goes through the preview (`takeback.tui.preview`).
"""

from __future__ import annotations

from importlib.util import find_spec

from takeback.errors import Unavailable
from takeback.views.desk import Desk


def check_installed() -> None:
    """Unavailable if what draws the screen is not there."""
    if find_spec("textual") is None:
        raise Unavailable("the terminal face needs Textual", hints=["pip install 'takeback[ui]'"])


def run(desk: Desk) -> None:
    """Show it until somebody leaves."""
    check_installed()
    from takeback.tui.app import TakebackApp

    app = TakebackApp(desk)
    app.run()
    if app.fault is not None:
        raise app.fault
