"""Programs that have an agent's memory as an object, beside the files it works on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import takeback as tb
from support.agent import World
from takeback.model.plan import Effect
from takeback.sources.state.source import StagedState
from takeback.store.reader import Reader


@dataclass
class Memory:
    """An agent's own object."""

    notes: list[bytes] = field(default_factory=list)


class Refusing(tb.State):
    """A state whose object cannot be put back, if it says so."""

    refuses: Exception | None = None

    def stage(self, reader: Reader, effects: Sequence[Effect], *, durable: bool = True) -> StagedState:
        return _Staged(self, reader, effects)


class _Staged(StagedState):
    def apply(self) -> None:
        refuses = self._source.refuses if isinstance(self._source, Refusing) else None
        if refuses is None:
            super().apply()
            return
        self.discard()
        raise refuses


class Owner:
    """A process that has the object; ``world.line`` is another, as the command line is."""

    def __init__(self, world: World, notes: Sequence[bytes] = (), name: str = "main") -> None:
        self.world = world
        self.memory = Memory(list(notes))
        self.state = Refusing("memory", self.memory)
        self.line = world.store.timeline(name, sources=[tb.Workspace(world.root), self.state])

    @property
    def notes(self) -> list[bytes]:
        return self.memory.notes

    def turn(self, title: str, note: bytes, **files: str) -> None:
        with self.line.turn(title):
            self.notes.append(note)
            self.world.edit(files)

    def recorded(self, reference: str = "@") -> list[bytes]:
        found = self.line.value(reference, "memory")
        assert isinstance(found, Memory)
        return found.notes

    def pending(self) -> bool:
        return self.line.show("@").parts["memory"].pending
