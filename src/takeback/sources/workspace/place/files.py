"""A plan's effects, staged and then put into place: deletes, directories, files, modes, in the order that makes room."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from takeback.errors import Conflict, TakebackError
from takeback.model.plan import Effect
from takeback.model.tree import DIRECTORY, Entry, name_bytes
from takeback.sources.workspace.place.areas import Area, Item
from takeback.sources.workspace.place.content import MANY, OpenContent, Stager, needs_content, synchronise
from takeback.sources.workspace.place.directories import Blocked, Directories, unavailable
from takeback.sources.workspace.place.entries import Check, Entries, changed_meanwhile, owner_for_new
from takeback.sources.workspace.place.growing import grow, growable
from takeback.sources.workspace.place.permissions import change_mode
from takeback.sources.workspace.place.readback import check_paths
from takeback.sources.workspace.place.room import check_room
from takeback.sources.workspace.place.staging import Staging
from takeback.sources.workspace.place.standing import (
    PERMISSIONS,
    holds,
    kind_of,
    look,
    same_content,
    same_mode,
    same_shape,
)
from takeback.sources.workspace.place.sweeping import sweep_stages

_TICK = 50_000_000
"""How far behind the clock a file's time may be, in nanoseconds."""


def stage(
    root: str,
    effects: Sequence[Effect],
    open_content: OpenContent,
    *,
    unchanged_since: int | None = None,
    durable: bool = True,
) -> StagedFiles:
    """Make all new content ready beside its place; on any failure nothing of it is left.

    What stands at a path and was not touched after ``unchanged_since`` (nanoseconds; by default a moment ago) is taken
    for ``before`` if its stat says so; what was touched later is compared byte by byte. 0 compares everything.
    What is not to be ``durable`` is not written to the disk before it goes on: a power cut may cost it.
    """
    check_paths(effects)
    check_room(root, effects)
    sweep_stages(root)
    since = time.time_ns() if unchanged_since is None else unchanged_since
    staged = StagedFiles(Staging(root), effects, open_content, since - _TICK, durable)
    try:
        staged.prepare()
    except BaseException:
        staged.discard()
        raise
    return staged


class StagedFiles:
    """Effects whose new content is ready. `discard` must follow, unless `apply` succeeded."""

    def __init__(
        self, staging: Staging, effects: Sequence[Effect], open_content: OpenContent, since: int, durable: bool
    ) -> None:
        self.kept: list[str] = []
        """Directories that were to go and still hold what the plan does not name."""
        self._staging = staging
        self._effects = {effect.path: effect for effect in sorted(effects, key=lambda each: each.path)}
        self._entries = Entries(staging, self._effects)
        many = sum(map(needs_content, self._effects.values())) > MANY
        self._stager = Stager(open_content, sync=durable and not many)
        self._durable = durable
        self._since = since
        self._items: dict[str, Item] = {}
        self._grown: dict[str, list[Effect]] = {}
        """New directories, and with them all that the plan puts into them."""
        self._in_place: set[str] = set()
        """New directories that are already there."""
        self._done = False
        self._root = staging.root
        self._prepared_ns = 0
        """When all content was ready: what has a later time was written by somebody else."""

    def prepare(self) -> None:
        """Stage the content of all effects. Nothing visible changes."""
        self._each(self._apart(), self._prepare)
        if self._durable and not self._stager.sync:
            synchronise(self._staging.handles())
        self._prepared_ns = time.time_ns()

    def written_since(self, effects: Iterable[Effect]) -> Iterator[str]:
        """The files among some effects that were put in place or removed, and that another program has written to, removed or
        made since."""
        directories = Directories(self._root)
        try:
            for effect in effects if self._done else ():
                if not (_is_directory(effect.before) or _is_directory(effect.after)):
                    if self._is_written(directories, effect):
                        yield effect.path
        finally:
            directories.close()

    def _is_written(self, directories: Directories, effect: Effect) -> bool:
        try:
            parent, name = directories.parent(effect.path)
            status = None if parent is None else look(parent, name)
        except (OSError, TakebackError):
            return False
        if status is None or effect.after is None or kind_of(status) != effect.after.kind:
            return (status is None) != (effect.after is None)  # nothing that we did removes it or brings it back
        return status.st_size > effect.after.size or status.st_mtime_ns > self._prepared_ns

    def _apart(self) -> list[Effect]:
        """The effects that are put into place one by one; those below new directories come with these."""
        candidates, tops, apart = growable(self._effects), dict[str, str](), []
        for path, effect in self._effects.items():
            top = tops.get(path.rpartition("/")[0])
            if top is not None:
                self._grown[top].append(effect)
            else:
                apart.append(effect)
                if path in candidates and self._is_free(effect):
                    top = path
                    self._grown[top] = [effect]
            if top is not None and _is_directory(effect.after):
                tops[path] = top
        return apart

    def apply(self) -> None:
        """Put everything into place: deletes, then directories, then files and links, then modes."""
        if self._done:
            return
        inside = {effect.path for group in self._grown.values() for effect in group[1:]}
        effects = [effect for path, effect in self._effects.items() if path not in inside]
        leaving = [each for each in effects if _leaves(each)]
        self.kept.clear()
        try:
            self._each([each for each in leaving if not _is_directory(each.before)], self._delete_file)
            self._each([each for each in leaving[::-1] if _is_directory(each.before)], self._delete_directory)
            self._each([each for each in effects if _is_directory(each.after)], self._make_directory)
            self._each([each for each in effects if needs_content(each)], self._put)
            self._each([each for each in effects[::-1] if not needs_content(each) and each.after], self._set_mode)
        except BaseException:
            with suppress(OSError, TakebackError):  # what went wrong first is said
                self._entries.give_back_written()
            raise
        finally:
            self._staging.directories.forget()
            self._staging.tighten()
        self._entries.check_out()
        if self._durable:
            self._entries.synchronise()
        self._settle()
        self._done = True
        self.discard()

    def discard(self) -> None:
        """Remove what was staged; quiet after `apply`, and the second time."""
        self._items.clear()
        self._staging.remove()

    def _settle(self) -> None:
        try:
            self._staging.settle()
        except OSError as error:
            raise unavailable(".", error) from error

    def _each(self, effects: Iterable[Effect], act: Callable[[Effect], None]) -> None:
        self._staging.directories.forget()
        for effect in effects:
            try:
                act(effect)
            except OSError as error:
                raise unavailable(effect.path, error) from error

    def _prepare(self, effect: Effect) -> None:
        directory, owner = self._anchor(effect)
        if needs_content(effect) or effect.path in self._grown:
            self._items[effect.path] = self._staged(effect, self._staging.area(directory), owner)

    def _staged(self, effect: Effect, area: Area, owner: os.stat_result | None) -> Item:
        if effect.path in self._grown:
            return grow(area, self._grown[effect.path], self._stager, owner)
        item = Item(area, area.next_name())
        self._stager.put(area.handle, item.name, effect, owner)
        return item

    def _is_free(self, effect: Effect) -> bool:
        """Whether nothing stands where a directory is to be made, and new ones there are like any other."""
        directory, _, name = effect.path.rpartition("/")
        try:
            handle, missing = self._staging.directories.nearest(directory)
        except Blocked:
            return False
        return not os.fstat(handle).st_mode & stat.S_ISGID and (bool(missing) or look(handle, name_bytes(name)) is None)

    def _anchor(self, effect: Effect) -> tuple[str, os.stat_result | None]:
        """The directory beside which to stage, and whose owner to take on.

        Blocked if something stands in the way that the plan does not change.
        """
        directory, _, name = effect.path.rpartition("/")
        try:
            handle, missing = self._staging.directories.nearest(directory)
        except Blocked as blocked:
            if blocked.path not in self._effects:
                raise
            directory = blocked.path.rpartition("/")[0]
            handle, missing = self._staging.directories.nearest(directory)
            missing = [name]
        present = None if missing else look(handle, name_bytes(name))
        if present is not None and kind_of(present) not in ("", DIRECTORY):
            return directory, present
        return directory, owner_for_new(os.fstat(handle))

    def _delete_file(self, effect: Effect) -> None:
        if self._still_to_do(effect, effect.before, None):
            area = self._staging.area(effect.path.rpartition("/")[0])
            self._entries.take_away(effect.path, Item(area, area.next_name()), self._expecting(effect))

    def _delete_directory(self, effect: Effect) -> None:
        found = self._entries.find(effect.path)
        if found is None or kind_of(found[2]) != DIRECTORY:
            if found is not None and not self._is_after(effect):
                raise changed_meanwhile(effect.path)
            return
        try:
            self._entries.rmdir(effect.path)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.EBUSY):
                raise
            if effect.after is not None:
                raise Conflict(
                    f"{effect.path} cannot become a file again: the directory there holds what is not in the plan, for "
                    "example files that are ignored.",
                    hints=["move what it holds away and try again"],
                ) from error
            self.kept.append(effect.path)

    def _make_directory(self, effect: Effect) -> None:
        path, found = effect.path, self._entries.find(effect.path)
        whole = path in self._grown and path not in self._in_place
        if found is None:
            self._entries.make_parents(path)
            if whole:
                self._move(effect, self._entries.replace)
                self._in_place.add(path)
            else:
                self._entries.mkdir(path, 0o700)
        elif whole or kind_of(found[2]) != DIRECTORY:
            raise changed_meanwhile(path)

    def _put(self, effect: Effect) -> None:
        before = None if _leaves(effect) else effect.before
        self._entries.make_parents(effect.path)
        if not self._still_to_do(effect, before, effect.after):
            return
        if before is None:
            self._move(effect, self._entries.add)
        else:
            self._move(effect, lambda item, path: self._entries.swap(item, path, self._expecting(effect)))

    def _move(self, effect: Effect, move: Callable[[Item, str], None]) -> None:
        try:
            move(self._items[effect.path], effect.path)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            directory, owner = self._anchor(effect)
            move(self._staged(effect, self._staging.area_inside(directory), owner), effect.path)

    def _set_mode(self, effect: Effect) -> None:
        before, after, loosened = effect.before, effect.after, self._staging.loosened
        found = self._entries.find(effect.path)
        if after is None or found is None or kind_of(found[2]) != after.kind:
            raise changed_meanwhile(effect.path)
        parent, name, status = found
        if same_mode(status, after) and effect.path not in loosened:
            return
        was = loosened.get(effect.path, status.st_mode)
        if before is not None and before.kind == after.kind:
            if (was ^ before.mode) & PERMISSIONS and (was ^ after.mode) & PERMISSIONS:
                raise changed_meanwhile(effect.path)
        change_mode(parent, name, stat.S_IMODE(status.st_mode) & ~PERMISSIONS | after.mode & PERMISSIONS)
        loosened.pop(effect.path, None)

    def _still_to_do(self, effect: Effect, expected: Entry | None, wanted: Entry | None) -> bool:
        """Whether ``expected`` still stands there. False if ``wanted`` does already; Conflict for anything else."""
        found = self._entries.find(effect.path)
        if found is None:
            if wanted is not None and expected is not None:
                raise changed_meanwhile(effect.path)
            return wanted is not None
        parent, name, status = found
        if expected is not None and same_shape(status, expected):
            if status.st_ctime_ns < self._since or same_content(parent, name, expected):
                return True
        if self._is_after(effect):
            return False
        raise changed_meanwhile(effect.path)

    def _expecting(self, effect: Effect) -> Check:
        """A check that what has left its place is what was planned for, to the last byte, or what was to come there."""
        known = [entry for entry in (effect.before, effect.after) if entry is not None]

        def check(directory: int, name: bytes) -> bool:
            return any(holds(directory, name, entry) for entry in known)

        return check

    def _is_after(self, effect: Effect) -> bool:
        found = self._entries.find(effect.path)
        if found is None or effect.after is None:
            return False
        parent, name, status = found
        if effect.after.kind == DIRECTORY:
            return kind_of(status) == DIRECTORY
        return same_shape(status, effect.after) and same_content(parent, name, effect.after)


def _leaves(effect: Effect) -> bool:
    """Whether what stands there has to go before anything else can come."""
    before, after = effect.before, effect.after
    return before is not None and (after is None or _is_directory(before) != _is_directory(after))


def _is_directory(entry: Entry | None) -> bool:
    return entry is not None and entry.kind == DIRECTORY
