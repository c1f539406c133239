"""Work that must not hold up the screen: done in a thread, with what follows from it back where widgets may be touched."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from textual.dom import DOMNode
from textual.worker import Worker, get_current_worker

from takeback.errors import Cancelled, Integrity, TakebackError
from takeback.model.progress import Listener, Progress
from takeback.tui.telling import tell

T = TypeVar("T")


def behind(
    node: DOMNode,
    work: Callable[[], T],
    then: Callable[[T], object],
    *,
    group: str = "default",
    failed: Callable[[TakebackError], object] | None = None,
) -> Worker[None]:
    """Do ``work`` in a thread, then call ``then`` with what it gave. What is newer of the same group makes it void.

    An error is told, or handed to ``failed``. Nothing is called any more once the node is gone.
    """

    def back(call: Callable[[], object]) -> None:
        # Not `call_from_thread`: that waits, for ever if the app ends meanwhile.
        if not get_current_worker().is_cancelled:
            node.call_later(_if_there, node, call)

    def run() -> None:
        try:
            given = work()
        except TakebackError as error:
            problem = error
            back(lambda: failed(problem) if failed is not None else tell(node, problem))
        except Exception as error:  # a fault of ours is shown, and what else is on the screen can still be used
            fault = Integrity(f"this is a bug in takeback: {type(error).__name__}: {error}")
            back(lambda: failed(fault) if failed is not None else tell(node, fault))
        else:
            back(lambda: then(given))

    return node.run_worker(run, thread=True, group=group, exclusive=True, exit_on_error=False)


def listener(node: DOMNode, heard: Callable[[Progress], object] | None = None) -> Listener:
    """For long work that is done `behind`, asked for in its thread: it tells how far it has come, and ends once nobody waits
    for it any more."""
    worker = get_current_worker()

    def hear(progress: Progress) -> None:
        if worker.is_cancelled:
            raise Cancelled("nobody waits for it any more")
        if heard is not None:
            node.call_later(_if_there, node, lambda: heard(progress))

    return hear


def is_there(node: DOMNode) -> bool:
    """False once the node has gone or its screen was left: its parts are being removed, and what waited for its turn may not ask for
    them."""
    return node.is_attached and node.screen in node.app.screen_stack


def _if_there(node: DOMNode, call: Callable[[], object]) -> None:
    if is_there(node):
        call()
