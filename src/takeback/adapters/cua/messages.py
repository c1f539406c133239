"""What the agent has said and seen, beside the container of the same moment.

The agent's list of messages is its caller's: nothing here could put it back. So the part belongs to its snapshot
(``home: snapshot``): it is read from there, and a restore or undo of the container leaves it alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from takeback.sources.protocol import Proposal
from takeback.sources.state.source import State

if TYPE_CHECKING:
    from takeback.model.progress import Watch
    from takeback.model.snapshot import Part
    from takeback.sources.protocol import Step
    from takeback.store.reader import Reader
    from takeback.store.writer import Writer

PART = "messages"


class Messages(State):
    """A list that is given anew for each snapshot. What it has in common with the one before is stored once."""

    def __init__(self) -> None:
        super().__init__(PART, [], holes=True)

    def say(self, messages: Iterable[Any]) -> None:
        """These are in the next snapshot."""
        self.object = [_plain(each) for each in messages]

    def capture(self, writer: Writer, previous: Part | None, watch: Watch) -> Part:
        part = super().capture(writer, previous, watch)
        return part._replace(detail={**part.detail, "home": "snapshot"})

    def plan(self, reader: Reader, present: Part, target: Part, paths: Sequence[str] | None) -> Proposal:
        return Proposal()

    def revert(self, reader: Reader, present: Part, steps: Sequence[Step]) -> Proposal:
        return Proposal()


def _plain(value: Any) -> Any:
    """Data as it is, and a model as the data that it can say; whatever else there is, is left out and listed."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    dump = getattr(type(value), "model_dump", None)
    return _plain(dump(value)) if callable(dump) else value
