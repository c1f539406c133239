"""Doubts about the changes of some moves: which of them are left, and how the plan tells of them."""

from __future__ import annotations

from collections.abc import Sequence

from takeback.engine.candidates import Wish
from takeback.engine.stretches import Stretch
from takeback.engine.verdicts import Verdicts
from takeback.model.kinds import TREES
from takeback.model.plan import Doubt, Effect, Undecided, WhileRunning
from takeback.model.snapshot import Part
from takeback.model.tree import DIRECTORY
from takeback.sources.trees import TreeView, within
from takeback.store.reader import Reader


class Doubts:
    """Collects the verdicts of steps, the newest step first."""

    def __init__(self) -> None:
        self.left: dict[str, None] = {}
        self.again: dict[str, None] = {}
        """Paths that come back, although an older change of them stays undecided."""
        self.passing: dict[str, str] = {}
        """Paths that came and went, by the command that may have made and removed them."""
        self._undecided: dict[str, tuple[str, Doubt]] = {}
        self._running: dict[str, str] = {}
        self._contents: dict[bytes, str] = {}
        self._absent: set[str] = set()
        self.spent: set[tuple[Stretch, str]] = set()
        """Calls and the files that they have written in the steps seen so far."""
        self._touched: set[str] = set()
        self._cleared: set[str] = set()
        """Paths at which nothing stands once the later steps are taken back."""

    def settle(
        self, present: Part, reader: Reader, found: Verdicts, wish: Wish, paths: Sequence[str] | None
    ) -> frozenset[str]:
        """The paths of a step to leave: what is not certain is taken only if a person said so, or if it is absent now."""
        self._running.update(found.running)
        self._contents.update(found.contents)
        view = TreeView(reader, present.content) if found.undecided and present.kind in TREES else None
        taken: set[str] = set()
        for path, why in found.undecided.items():
            if not within(paths, path):
                continue
            is_gone = view is not None and view.get(path) is None
            if path in self._cleared and not is_gone and path in found.gone and path not in self.left:
                taken.add(path)  # it comes back where something later goes: nothing is lost by that
                continue
            self._undecided.setdefault(path, why)
            if wish.shared or within(wish.accepted, path):
                taken.add(path)
            elif is_gone and path in found.gone and path not in self.left:
                taken.add(path)
                self._absent.add(path)
            elif path in self._absent and path in found.made:
                taken.add(path)
                self._absent.discard(path)
                self.passing[path] = self._undecided.pop(path)[0]
            elif path in self._absent:
                self.again[path] = None
            else:
                self.left[path] = None
        for path in found.cleared & self._absent:  # the agent made it, and it is gone: there is nothing to bring back
            self._absent.discard(path)
            self._undecided.pop(path, None)
        self.spent |= found.spent
        self._touched |= found.owned | found.undecided.keys()
        self._cleared |= found.cleared
        return found.leave - taken

    def brought_back(self, effects: Sequence[Effect]) -> tuple[str, ...]:
        return tuple(effect.path for effect in effects if effect.path in self._absent and effect.after is not None)

    def grouped(self) -> tuple[Undecided, ...]:
        groups: dict[tuple[str, Doubt], list[str]] = {}
        for path, why in sorted(self._undecided.items()):
            groups.setdefault(why, []).append(path)
        return tuple(Undecided(command, doubt, tuple(some)) for (command, doubt), some in groups.items())

    def ran(self, effects: Sequence[Effect]) -> tuple[WhileRunning, ...]:
        groups: dict[str, list[str]] = {}
        for effect in effects:
            command = self._running.get(effect.path)
            if command is None and effect.path not in self._touched and effect.before is not None:
                command = self._contents.get(effect.before.id)  # followed to the name that it has now
            if command is not None and _kinds(effect) != {DIRECTORY}:
                groups.setdefault(command, []).append(effect.path)
        return tuple(WhileRunning(command, tuple(some)) for command, some in groups.items())


def _kinds(effect: Effect) -> set[str]:
    return {entry.kind for entry in (effect.before, effect.after) if entry is not None}
