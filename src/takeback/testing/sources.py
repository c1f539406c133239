"""What `takeback.sources.protocol.Source` promises, as tests."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from takeback.errors import NotFound, OutOfTime
from takeback.model.plan import Effect
from takeback.model.progress import Watch
from takeback.model.snapshot import Part
from takeback.sources.protocol import Source, Step
from takeback.store.blobstore import BlobStore, open_local


class SourceSuite:
    """Subclass it and override `make`, `change` and `read`; `traces` too if the source is no directory."""

    CHANGES = 3
    """How many changes there are: at least three."""

    SEPARABLE = True
    """Whether one change can be taken back while a later one stays; otherwise that is a conflict."""

    TAKES_BACK = False
    """Whether what was applied can be discarded until it is finished."""

    def make(self, place: Path) -> Source:
        """A source with some content, in or beside an empty directory."""
        raise NotImplementedError

    def change(self, source: Source, number: int) -> None:
        """Change something, in a way that no other number does; never what an earlier number changed."""
        raise NotImplementedError

    def read(self, source: Source) -> object:
        """The whole state, as a value that is equal if and only if the state is."""
        raise NotImplementedError

    def traces(self, source: Source) -> object:
        """All that a restore could leave behind: by default every name below the source's root."""
        return sorted(os.path.join(at, name) for at, inner, names in os.walk(source.root) for name in (*inner, *names))

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[BlobStore]:
        with open_local(tmp_path / "store") as store:
            yield store

    @pytest.fixture
    def source(self, tmp_path: Path) -> Source:
        place = tmp_path / "place"
        place.mkdir()
        return self.make(place)

    # capture

    def test_it_has_a_name_and_a_kind_and_its_parts_have_them_too(self, store: BlobStore, source: Source) -> None:
        assert source.name and source.kind
        part = self.capture(store, source)
        assert (part.name, part.kind) == (source.name, source.kind)

    def test_two_captures_of_an_unchanged_source_are_the_same_state(self, store: BlobStore, source: Source) -> None:
        first = self.capture(store, source)
        second = self.capture(store, source, first)
        assert second.same_state(first)
        assert self.diff(store, source, first, second) == {}

    def test_capture_changes_nothing(self, store: BlobStore, source: Source) -> None:
        before = self.read(source), self.traces(source)
        self.capture(store, source, self.capture(store, source))
        assert (self.read(source), self.traces(source)) == before

    def test_every_change_makes_another_state(self, store: BlobStore, source: Source) -> None:
        parts = self.history(store, source)
        for number, part in enumerate(parts):
            assert not any(part.same_state(other) for other in parts[number + 1 :])

    def test_a_capture_does_not_depend_on_what_was_captured_before(self, store: BlobStore, source: Source) -> None:
        *_, latest = self.history(store, source)
        assert self.capture(store, source, None).same_state(latest)

    def test_a_capture_that_runs_out_of_time_raises_and_changes_nothing(self, store: BlobStore, source: Source) -> None:
        before = self.read(source), self.traces(source)
        with store.writer() as writer, pytest.raises(OutOfTime):
            source.capture(writer, None, Watch(budget=-1.0))
        assert (self.read(source), self.traces(source)) == before
        first = self.capture(store, source)
        assert self.capture(store, source, first).same_state(first)

    # diff and looking into parts

    def test_diff_lists_each_path_once_and_backwards_it_is_the_inverse(self, store: BlobStore, source: Source) -> None:
        parts = self.history(store, source)
        for a, b in pairwise(parts):
            forth, back = self.diff(store, source, a, b), self.diff(store, source, b, a)
            assert forth
            assert {path: (after, before) for path, (before, after) in forth.items()} == back

    def test_diff_against_nothing_lists_everything(self, store: BlobStore, source: Source) -> None:
        part = self.capture(store, source)
        made = self.diff(store, source, None, part)
        assert made and all(before is None and after is not None for before, after in made.values())
        gone = self.diff(store, source, part, None)
        assert {path: after for path, (_, after) in made.items()} == {
            path: before for path, (before, _) in gone.items()
        }

    def test_a_part_counts_as_many_paths_as_diff_lists(self, store: BlobStore, source: Source) -> None:
        for part in self.history(store, source):
            with store.reader() as reader:
                listed = sum(1 for change in source.diff(reader, None, part) if not change.is_directory)
                assert source.count(reader, part) == listed

    def test_what_a_part_has_at_a_path_differs_exactly_where_diff_says(self, store: BlobStore, source: Source) -> None:
        first, *_, last = self.history(store, source)
        differing = self.diff(store, source, first, last)
        with store.reader() as reader:
            for path, (before, after) in differing.items():
                states = [source.state_at(reader, part, path) for part in (first, last)]
                assert states[0] != states[1]
                assert [state is None for state in states] == [before is None, after is None]
            for path in self.diff(store, source, None, first):
                inside = any(each == path or each.startswith(f"{path}/") for each in differing)
                same = source.state_at(reader, first, path) == source.state_at(reader, last, path)
                assert same is not inside
            assert source.state_at(reader, first, "no/such/path") is None
            with pytest.raises(NotFound):
                b"".join(source.read(reader, first, "no/such/path"))

    # plan, stage, apply, read back

    def test_a_plan_of_the_present_is_empty(self, store: BlobStore, source: Source) -> None:
        part = self.capture(store, source)
        assert self.plan(store, source, part, part) == ()

    def test_back_and_forth_between_all_states(self, store: BlobStore, source: Source) -> None:
        states, parts = [self.read(source)], [self.capture(store, source)]
        for number in range(self.CHANGES):
            self.change(source, number)
            states.append(self.read(source))
            parts.append(self.capture(store, source, parts[-1]))
        at = len(parts) - 1
        for to in (*reversed(range(at)), at, 0, at - 1):
            effects = self.plan(store, source, parts[at], parts[to])
            assert set(source.unfinished(effects)) == set(effects)
            self.put(store, source, effects)
            assert source.unfinished(effects) == ()
            assert self.read(source) == states[to]
            assert self.capture(store, source, parts[at]).same_state(parts[to])
            at = to

    def test_staged_effects_are_not_visible_and_discarding_them_leaves_nothing(
        self, store: BlobStore, source: Source
    ) -> None:
        first, *_, last = self.history(store, source)
        before = self.read(source), self.traces(source)
        effects = self.plan(store, source, last, first)
        with store.reader() as reader:
            staged = source.stage(reader, effects)
            assert self.read(source) == before[0]
            assert set(source.unfinished(effects)) == set(effects)
            staged.discard()
            staged.discard()
        assert (self.read(source), self.traces(source)) == before
        assert self.capture(store, source, last).same_state(last)

    def test_applying_leaves_no_traces(self, store: BlobStore, source: Source) -> None:
        first = self.capture(store, source)
        traces = self.traces(source)
        self.change(source, 0)
        self.put(store, source, self.plan(store, source, self.capture(store, source, first), first))
        assert self.traces(source) == traces

    def test_what_is_in_place_can_be_applied_again(self, store: BlobStore, source: Source) -> None:
        first, *_, last = self.history(store, source)
        effects = self.plan(store, source, last, first)
        with store.reader() as reader:
            staged = source.stage(reader, effects)
            staged.apply()
            state = self.read(source)
            staged.apply()
            staged.finish()
        assert self.read(source) == state
        self.put(store, source, effects)
        assert self.read(source) == state
        assert source.unfinished(effects) == ()

    def test_what_was_applied_is_taken_back_until_it_is_finished_or_stays(
        self, store: BlobStore, source: Source
    ) -> None:
        first, *_, last = self.history(store, source)
        before = self.read(source), self.traces(source)
        effects = self.plan(store, source, last, first)
        with store.reader() as reader:
            staged = source.stage(reader, effects)
            staged.apply()
            after = self.read(source)
            staged.discard()
            assert self.read(source) == (before[0] if self.TAKES_BACK else after)
            if self.TAKES_BACK:
                assert self.traces(source) == before[1]
                assert set(source.unfinished(effects)) == set(effects)
                staged = source.stage(reader, effects)
                staged.apply()
            staged.finish()
            staged.discard()
            staged.finish()
        assert self.read(source) == after
        assert source.unfinished(effects) == ()

    def test_a_part_amended_by_effects_is_what_a_fresh_capture_finds(self, store: BlobStore, source: Source) -> None:
        parts = self.history(store, source)
        at = parts[-1]
        for target in (parts[0], parts[-2], parts[1], parts[-1]):
            effects = self.plan(store, source, at, target)
            self.put(store, source, effects)
            with store.writer() as writer:
                amended = source.amend(writer, at, effects)
                writer.commit(lambda tx: None)
            found = self.capture(store, source, amended)
            assert found.same_state(amended)
            assert self.diff(store, source, amended, found) == {}
            at = found

    def test_moved_names_what_is_not_as_a_plan_expects_it(self, store: BlobStore, source: Source) -> None:
        first, *_, last = self.history(store, source)
        effects = self.plan(store, source, last, first)
        with store.reader() as reader:
            assert source.moved(reader, last, effects) == ()
            assert set(source.moved(reader, first, effects)) == {effect.path for effect in effects}

    # taking steps back

    def test_the_newest_step_is_taken_back(self, store: BlobStore, source: Source) -> None:
        parts = self.history(store, source, self.CHANGES - 1)
        state = self.read(source)
        self.change(source, self.CHANGES - 1)
        present = self.capture(store, source, parts[-1])
        self.put(store, source, self.revert(store, source, present, [Step(parts[-1], present)]))
        assert self.read(source) == state

    def test_all_steps_are_taken_back_newest_first(self, store: BlobStore, source: Source) -> None:
        state = self.read(source)
        parts = self.history(store, source)
        steps = [Step(before, after) for before, after in pairwise(parts)]
        self.put(store, source, self.revert(store, source, parts[-1], steps[::-1]))
        assert self.read(source) == state

    def test_a_step_that_is_already_taken_back_needs_nothing(self, store: BlobStore, source: Source) -> None:
        first, second, *_ = self.history(store, source, 1)
        self.put(store, source, self.plan(store, source, second, first))
        assert self.revert(store, source, self.capture(store, source, second), [Step(first, second)]) == ()

    def test_an_older_step_goes_and_later_ones_stay_or_it_is_a_conflict(self, store: BlobStore, source: Source) -> None:
        parts = self.history(store, source)
        before = self.read(source)
        step = Step(parts[0], parts[1])
        with store.reader() as reader:
            proposal = source.revert(reader, parts[-1], [step])
        if not self.SEPARABLE:
            assert proposal.conflicts and not proposal.effects
            assert self.read(source) == before
            return
        assert proposal.effects and not proposal.conflicts
        self.put(store, source, proposal.effects)
        assert self.read(source) != before
        kept = self.diff(store, source, parts[1], parts[-1])
        now = self.diff(store, source, parts[0], self.capture(store, source, parts[-1]))
        assert now == kept

    # elsewhere

    def test_the_same_state_can_be_put_elsewhere(self, store: BlobStore, source: Source, tmp_path: Path) -> None:
        part = self.capture(store, source)
        state, traces = self.read(source), self.traces(source)
        place = self.another_place(tmp_path)
        with store.reader() as reader:
            planned = source.plan_at(reader, place, part, None)
            assert (self.read(source), self.traces(source)) == (state, traces)
            made = source.make_at(reader, place, part, None, durable=True)
        other = made.source
        assert (other.name, other.kind) == (source.name, source.kind)
        assert made.effects == planned.effects and all(effect.before is None for effect in made.effects)
        assert self.read(other) == state
        assert (self.read(source), self.traces(source)) == (state, traces)

    def another_place(self, base: Path) -> object:
        """Where `make_at` may put things."""
        return base / "elsewhere"

    # what the tests are made of

    def capture(self, store: BlobStore, source: Source, previous: Part | None = None) -> Part:
        with store.writer() as writer:
            part = source.capture(writer, previous, Watch())
            writer.commit(lambda tx: None)
        return part

    def history(self, store: BlobStore, source: Source, changes: int | None = None) -> list[Part]:
        """The parts before the first change and after each."""
        parts = [self.capture(store, source)]
        for number in range(self.CHANGES if changes is None else changes):
            self.change(source, number)
            parts.append(self.capture(store, source, parts[-1]))
        return parts

    def diff(
        self, store: BlobStore, source: Source, a: Part | None, b: Part | None
    ) -> dict[str, tuple[object | None, object | None]]:
        with store.reader() as reader:
            changes = list(source.diff(reader, a, b))
        found: dict[str, tuple[object | None, object | None]] = {}
        for change in changes:
            assert change.part == source.name
            assert change.before != change.after
            assert change.path not in found
            found[change.path] = (change.before, change.after)
        return found

    def plan(self, store: BlobStore, source: Source, present: Part, target: Part) -> tuple[Effect, ...]:
        with store.reader() as reader:
            proposal = source.plan(reader, present, target, None)
        assert not proposal.conflicts and not proposal.kept
        return proposal.effects

    def revert(self, store: BlobStore, source: Source, present: Part, steps: Sequence[Step]) -> tuple[Effect, ...]:
        with store.reader() as reader:
            proposal = source.revert(reader, present, steps)
        assert not proposal.conflicts and not proposal.kept
        return proposal.effects

    def put(self, store: BlobStore, source: Source, effects: Sequence[Effect]) -> None:
        with store.reader() as reader:
            staged = source.stage(reader, effects)
            try:
                staged.apply()
                staged.finish()
            finally:
                staged.discard()
