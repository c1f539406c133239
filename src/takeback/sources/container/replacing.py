"""One container takes the place of another: made ready beside it, then swapped in; or everything as it was.

The order is the promise. The old one is paused, looked at once more, and everything of the new one is made and read back
beside it; that may fail, and costs nothing. Then the old one gives up its name and ends; what its processes did in their last
moments, between being let go and being dead, is brought along; and the new one starts under the name. Only when all is recorded does the old one go (`finish`); until then it can take its place again (`discard`).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from blake3 import blake3

from takeback.errors import Conflict, Integrity, TakebackError, Unavailable
from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.model.snapshot import NotCaptured
from takeback.model.tree import FILE
from takeback.sources.container import aside, content, mounts, networks, ports, rights
from takeback.sources.container.access import Access, Changed, changes_between
from takeback.sources.container.areas import Areas
from takeback.sources.container.creating import create
from takeback.sources.container.decoding import decode
from takeback.sources.container.describing import settings_of
from takeback.sources.container.filled import check_filled
from takeback.sources.container.flat import image_of, read_all
from takeback.sources.container.found import FILESYSTEM, Found
from takeback.sources.container.hashing import Hashing
from takeback.sources.container.images import release_flat
from takeback.sources.container.settings import PAUSED, STOPPED, Settings, values_of
from takeback.sources.container.streaming.piecemeal import read_file

if TYPE_CHECKING:
    from takeback.model.plan import Effect, Kept
    from takeback.sources.container.daemon import Daemon, Inspected, Mount
    from takeback.sources.container.source import Container
    from takeback.store.reader import Reader

_STEADY = 0.25
"""A container that ends within so many seconds is not up."""


class Replacement:
    """Effects on a container, made ready as a new one."""

    def __init__(self, source: Container, reader: Reader, effects: Sequence[Effect]) -> None:
        self._source, self._daemon = source, source.daemon
        self._reader, self._effects = reader, effects
        self._merged = {each.after.id: each.merged for each in effects if each.after and each.merged is not None}
        self._old = source.look()
        _check_can_be_replaced(self._daemon, self._old)
        self._new: Inspected | None = None
        self._aside: aside.Aside | None = None
        self._fresh: set[str] = set()
        """Volumes that were made for it, so that nobody else's files are in them."""
        self._volumes: list[tuple[Mount, list[Changed]]] = []
        self._changed: list[tuple[Mount, list[Changed]]] = []
        self._done = False
        self._hold = source.hold(self._old)
        aside.BEING_REPLACED.add(self._old.name)
        try:
            self._make_ready(effects)
        except BaseException:
            with suppress(TakebackError):  # what is left over, the next look removes
                self.discard()
            raise

    @property
    def kept(self) -> tuple[Kept, ...]:
        return ()

    def _make_ready(self, effects: Sequence[Effect]) -> None:
        access, now = self._source.survey(self._old, Hashing(), Watch())
        settings = settings_of(self._daemon, self._old, secrets=self._source.secrets, flat=self._source.flatten)
        self._check_unmoved(effects, now, settings)
        self._make(access, now, settings)

    def _make(self, access: Access, now: Areas, settings: Settings) -> Inspected:
        """The new one: what the old one is ``now``, with the effects."""
        _check_nothing_is_lost(self._old, access.not_captured)
        effects, self._settings, self._places = self._effects, settings, _places(self._old, now)
        wanted = now.changed_by(effects, self._read)
        after = next((each.after for each in effects if each.path == content.SETTINGS), None)
        asked = settings if after is None else decode(self._read(after.id))
        rights.check(self._old.name, settings, asked, allowed=self._source.allow_wider)
        self._state = asked.state
        filled = asked.filled(values_of(self._old.raw))
        ports.check_free(filled, ports.taken(self._daemon, but=[self._old.id]))
        image = self._flat_image(filled, wanted) if filled.image.flat else ""
        made = create(
            self._daemon, filled, aside.new_name(self._old.name), volumes=mounts.anonymous_in(self._old), image=image
        )
        self._new = made.box
        self._access = access
        if filled.image.flat:
            there = read_all(self._daemon, self._new, Hashing(), Watch())
        else:
            access.fill_delta(self._new, wanted.listed(FILESYSTEM), self._content)
            there = access.read_delta(self._new, Hashing(), Watch())
        check_filled(access, FILESYSTEM, wanted.listed(FILESYSTEM), there)
        self._wanted = wanted
        self._fresh |= {mount.name for mount in made.new}
        for mount in mounts.captured(self._new, binds=self._source.binds)[0]:
            if mount.area not in wanted:
                continue
            before: Mapping[str, Found] = now.of(mount.area)
            if mount.name in self._fresh or mount.area not in now:
                before = {each.path: each for each in access.read_mount(self._new, mount, Hashing(), Watch())}
            changes = changes_between(before, wanted.of(mount.area))
            if changes:
                if mount.name not in self._fresh and mount.area not in now:
                    raise _not_ours(mount, self._old.name)
                self._check_nobody_has(mount)
                self._volumes.append((mount, changes))
        return self._new

    def apply(self) -> None:
        """Swap; after this the new one runs, if it is to."""
        if self._done:
            return
        assert self._new is not None
        daemon, name = self._daemon, self._old.name
        self._put_aside(self._new)  # under a name that says that it ran, so that has to come first
        aside.kill(daemon, self._old)
        self._hold.release()
        if self._old.running:
            self._bring_last_moments()
        daemon.call(f"give the new container the name {name!r}", daemon.api.rename, self._new.id, name)
        self._new = daemon.inspect(self._new.id)
        for mount, changes in self._volumes:
            self._changed.append((mount, changes))
            self._access.change_mount(self._new, mount, changes, self._content)
            there = self._access.read_mount(self._new, mount, Hashing(), Watch())
            check_filled(self._access, mount.area, self._wanted.listed(mount.area), there)
        self._start(name)
        self._source.placed(self._effects)
        self._done = True

    def _put_aside(self, successor: Inspected) -> None:
        put_away = aside.old_name(self._old, successor)
        self._daemon.call(
            f"put the container {self._old.name!r} aside", self._daemon.api.rename, self._old.id, put_away
        )
        self._aside = aside.Aside(self._daemon.inspect(self._old.id), put_away.split("-")[-2], successor.id[:12])

    def _bring_last_moments(self) -> None:
        """Have the new one be made of what the old one is now that nothing can change it any more. Of the paths that are
        restored, what they were is in the snapshot of the present."""
        access, now = self._source.survey(self._old, Hashing(), Watch())
        if now.changed_by(self._effects, self._read) == self._wanted:
            return
        assert self._new is not None
        outdated, self._new, self._volumes = self._new, None, []
        aside.remove(self._daemon, outdated, volumes=True)
        self._put_aside(self._make(access, now, self._settings))

    def _start(self, name: str) -> None:
        """Let the new one run, if it is to; Unavailable if it does not stay up."""
        assert self._new is not None
        if self._state == STOPPED:
            return
        aside.start(self._daemon, self._new)
        until = time.monotonic() + _STEADY
        while True:
            state = self._daemon.inspect(self._new.id).raw["State"]
            if not state.get("Running") and state.get("ExitCode"):
                said = state.get("Error") or f"exit code {state['ExitCode']}"
                raise Unavailable(
                    f"the restored container {name!r} does not stay up ({said}); the one before is back",
                    hints=["`docker logs` of a copy tells why: takeback restore REF --container NAME --as OTHER"],
                )
            if time.monotonic() > until or not state.get("Running"):
                break
            time.sleep(_STEADY / 10)
        if self._state == PAUSED:
            self._daemon.call(f"pause the container {name!r}", self._daemon.api.pause, self._new.id)

    def finish(self) -> None:
        """What had the name before may go."""
        aside.BEING_REPLACED.discard(self._old.name)
        old, self._aside, self._new, self._changed = self._aside, None, None, []
        if old is not None:
            aside.remove(self._daemon, old.box, volumes=False)
            release_flat(self._daemon, self._old.name)

    def discard(self) -> None:
        """Everything as it was before; quiet the second time, and after `finish`. What fails here, `aside.heal` ends."""
        new, old, changed = self._new, self._aside, self._changed
        self._new, self._aside, self._changed, self._done = None, None, [], False
        if old is not None:
            self._source.placed(())
        with ExitStack() as stack:  # the last one first, each whatever becomes of the others
            stack.callback(aside.BEING_REPLACED.discard, self._old.name)
            if old is not None:
                stack.callback(aside.put_back, self._daemon, self._old.name, old)
            stack.callback(self._hold.release)
            if new is not None:
                stack.callback(aside.remove, self._daemon, new, volumes=True)
            for mount, changes in changed:
                back = [(after, before) for before, after in changes]
                stack.callback(self._access.change_mount, self._old, mount, back, self._content)
            if new is not None and old is not None:
                stack.callback(aside.kill, self._daemon, new)

    def _read(self, blob: bytes) -> bytes:
        return b"".join(self._content(blob))

    def _content(self, blob: bytes) -> Iterator[bytes]:
        """The bytes of a blob: new ones, stored ones, or such as only the old container has."""
        merged = self._merged.get(blob)
        if merged is not None:
            yield merged
        elif self._reader.holds(blob):
            yield from self._reader.stream(blob)
        else:
            place = self._places.get(blob)
            if place is None:
                raise Integrity(f"what {blob.hex()[:12]} names is neither in the store nor in the container")
            yield from read_file(self._daemon, self._old, place)

    def _check_unmoved(self, effects: Sequence[Effect], now: Areas, settings: Settings) -> None:
        """Every path that is changed must be as the plan found it, or as it shall be."""
        for effect in effects:
            if effect.path == content.SETTINGS:
                known = Hashing().put(settings.encode(), BlobKind.DATA)
                if effect.before is None or known in (effect.before.id, effect.after.id if effect.after else None):
                    continue
            elif any(now.holds(effect.path, each, self._read) for each in (effect.before, effect.after)):
                continue
            raise Conflict(
                f"nothing was restored: {effect.path} of {self._old.name} changed meanwhile", hints=["try again"]
            )

    def _flat_image(self, settings: Settings, wanted: Areas) -> str:
        found = wanted.listed(FILESYSTEM)
        key = blake3(repr(found).encode("utf-8", "surrogatepass")).hexdigest()
        return image_of(self._daemon, settings, self._old.name, found, self._content, key)

    def _check_nobody_has(self, mount: Mount) -> None:
        if mount.type != "volume":
            return
        users = mounts.users(self._daemon, mount.name, but=[self._old.id, self._new.id if self._new else ""])
        if users:
            raise Conflict(
                f"the volume {mount.name} is in use by {', '.join(users)}, which would lose its ground",
                hints=[
                    f"stop it first: docker stop {users[0]}",
                    "or restore a copy with volumes of its own: --as NAME",
                ],
            )


def _places(box: Inspected, now: Areas) -> dict[bytes, str]:
    """Where in a container the bytes of a blob are."""
    tops = {mount.area: mount.destination for mount in mounts.mounts_of(box)}
    return {
        each.id: f"{'' if area == FILESYSTEM else tops.get(area, '')}/{each.path}"
        for area in now
        for each in now.of(area).values()
        if each.kind == FILE
    }


def _check_can_be_replaced(daemon: Daemon, box: Inspected) -> None:
    if box.raw["HostConfig"].get("AutoRemove"):
        raise Unavailable(
            f"{box.name} was started with --rm: it is gone as soon as it ends, and could not be brought back",
            hints=["restore a copy: takeback restore REF --container NAME --as OTHER"],
        )
    if guests := networks.guests(daemon, box):
        raise Conflict(
            f"{', '.join(guests)} has the network of {box.name}, of this very container, and could never start again",
            hints=[
                f"remove it, and make it again afterwards: docker rm -f {guests[0]}",
                "or restore a copy: --as NAME",
            ],
        )


def _check_nothing_is_lost(box: Inspected, left_out: Sequence[NotCaptured]) -> None:
    """What a container's own files hold and no snapshot can is gone with it. A socket is its process's, which is, too."""
    lost = [
        item for item in left_out if item.path.startswith(f"{FILESYSTEM}/") and item.whole and item.reason != "socket"
    ]
    if lost:
        raise Unavailable(
            f"{box.name} cannot be replaced without losing {lost[0].path} ({lost[0].reason})"
            + (f" and {len(lost) - 1} more" if len(lost) > 1 else ""),
            hints=["move it away, or restore a copy: --as NAME"],
        )


def _not_ours(mount: Mount, name: str) -> Conflict:
    """A volume whose present content was not saved, because the container does not have it, cannot be given another."""
    return Conflict(
        f"the snapshot has the volume {mount.name or mount.destination}, which is there, but not {name}'s now: what is in "
        "it would be lost",
        hints=[
            "restore a copy with volumes of its own: --as NAME",
            f"or give {name} that volume, and save it, first",
        ],
    )
