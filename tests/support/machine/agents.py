"""What agents do: turns, with or without marked actions, that overlap or not, in any world."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from support.agent import World
from support.machine.base import Machine, anything, paths, places, sessions


class Agents(Machine):
    @rule(target=Machine.snapshots, place=places, session=sessions)
    def turn_starts(self, place: int, session: str) -> str:
        return self._start(self.world(place), session)

    @rule(target=Machine.snapshots, place=places, session=sessions, path=paths, reports=st.booleans())
    def action_begins(self, place: int, session: str, path: str, reports: bool) -> str:
        world = self.world(place)
        self.acting[world.line.name, session] = path
        told = [path] if reports else []
        return self.saved(world, world.line.save(trigger="before_action", session=session, paths=told))

    @precondition(lambda self: bool(self.acting))
    @rule(target=Machine.snapshots, session=sessions, other=anything, line=st.integers(0, 30))
    def action_ends(self, session: str, other: str, line: int) -> str:
        """It edits the path that it is about, now and then something more, and says that it has ended."""
        (name, session), path = next(
            (each for each in self.acting.items() if each[0][1] == session), next(iter(self.acting.items()))
        )
        world = self.by_name()[name]
        self._edit(world, path, line, session)
        if line % 5 == 0 and world.exists(other):
            world.remove(other)
        del self.acting[name, session]
        return self.saved(world, world.line.save(trigger="after_action", session=session))

    @precondition(lambda self: bool(self.open))
    @rule(path=paths, line=st.integers(0, 30), session=sessions)
    def agent_edits(self, path: str, line: int, session: str) -> None:
        """In the middle of a turn, outside of any action."""
        for name, whose in self.open:
            if whose == session:
                return self._edit(self.by_name()[name], path, line, session)
        return None

    @rule(
        target=Machine.snapshots, place=places, session=sessions, trigger=st.sampled_from(["turn_end", "session_end"])
    )
    def turn_ends(self, place: int, session: str, trigger: str) -> str:
        return self._end(self.world(place), session, trigger)

    @rule(
        target=Machine.snapshots,
        place=places,
        session=sessions,
        edits=st.lists(st.tuples(paths, st.integers(0, 30)), min_size=1, max_size=4),
        marks=st.booleans(),
    )
    def a_turn(self, place: int, session: str, edits: list[tuple[str, int]], marks: bool) -> str:
        """A whole one, each edit in an action of its own or all just so."""
        world = self.world(place)
        self._start(world, session)
        for path, line in edits:
            if marks:
                self.saved(world, world.line.save(trigger="before_action", session=session, paths=[path]))
            self._edit(world, path, line, session)
            if marks:
                self.saved(world, world.line.save(trigger="after_action", session=session))
        return self._end(world, session, "turn_end")

    @rule(place=places, session=sessions, path=paths)
    def a_whole_turn_is_undone_at_once(self, place: int, session: str, path: str) -> None:
        world = self.world(place)
        if any(name == world.line.name for name, _ in {*self.open, *self.acting}):
            return
        with world.line.turn("whole", session=session):
            before = world.tree()
            self.put(world, path, self.token(f"agent {session}"))
            if world.exists("b.txt") and path != "b.txt":
                world.remove("b.txt")
            if (world.root / "made").is_dir() or not world.exists("made"):
                self.put(world, "made/by/agent.txt", self.token(f"agent {session}"))
        after = world.tree()
        undone = world.undo()
        assert world.tree() == before
        self.model.learn(world, undone.safety, after)
        self.model.learn(world, undone.snapshot, before)
        world.redo()
        assert world.tree() == after
        assert undone.title == "whole"

    def _start(self, world: World, session: str) -> str:
        self.open.add((world.line.name, session))
        self.acting.pop((world.line.name, session), None)
        return self.saved(world, world.line.save(trigger="turn_start", session=session, title=f"turn of {session}"))

    def _end(self, world: World, session: str, trigger: str) -> str:
        self.open.discard((world.line.name, session))
        self.acting.pop((world.line.name, session), None)
        return self.saved(world, world.line.save(trigger=trigger, session=session))

    def _edit(self, world: World, path: str, line: int, session: str) -> None:
        """Add a line; at times the agent's own older ones and nobody's go."""
        lines = self.text(world, path).splitlines(keepends=True)
        if lines and line % 3 == 0:
            lines = [each for each in lines if each.startswith("a person")]
        lines.insert(min(line, len(lines)), self.token(f"agent {session}"))
        self.put(world, path, "".join(lines))
