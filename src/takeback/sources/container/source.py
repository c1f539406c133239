"""The container source: what `takeback.Container` is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from blake3 import blake3

from takeback.errors import InvalidInput, NotFound, Unavailable
from takeback.model.ids import BlobKind
from takeback.model.progress import Watch
from takeback.model.snapshot import NotCaptured, Part
from takeback.model.tree import DIRECTORY
from takeback.sources import trees
from takeback.sources.container import content
from takeback.sources.container.access import Access
from takeback.sources.container.areas import Areas
from takeback.sources.container.daemon import Daemon, Inspected, Mount
from takeback.sources.container.found import FILESYSTEM, Found
from takeback.sources.container.hashing import Hashing
from takeback.sources.container.overlay.recalling import Recall, recall
from takeback.sources.container.pausing import Hold, let_go, paused, wait_for
from takeback.sources.rooted import exactly

if TYPE_CHECKING:
    from docker import APIClient

    from takeback.model.diff import Change
    from takeback.model.plan import Effect
    from takeback.sources.container.copying import Copy
    from takeback.sources.container.settings import Settings
    from takeback.sources.protocol import Made, Proposal, Staged, Step
    from takeback.sources.workspace.reading import Puts
    from takeback.store.reader import Reader
    from takeback.store.writer import Writer

_LATE = 0.05
"""For so long an engine may say that a container is paused which has just been let go on."""

AUTO, OVERLAY, STREAM = "auto", "overlay", "stream"


class _Ahead(NamedTuple):
    """For whom a container was read while it ran, and what it was."""

    writer: Writer
    box: Inspected


class Container:
    """A Docker container, by name or id: its files, settings and volumes.

    ``strategy`` is how its files are reached: ``overlay`` where they lie (root on the engine's machine; only what changed is
    read), ``stream`` through the Engine's API, or ``auto``. With ``image`` every new snapshot is also an image, for
    ``docker run``. Bind mounts are the host's and are captured only with ``binds``. Environment variables that look like
    secrets are not kept, and come from the present container at a restore, unless ``secrets``. With ``flatten`` the snapshot
    holds all files, the image's too, and needs no image. A restore that would give the container rights on the host that it
    does not have now is refused without ``allow_wider``.
    """

    kind = "container"
    root = ""
    steady = True
    """Nothing of it changes while it is kept still."""

    def __init__(
        self,
        container: str,
        volumes: bool = True,
        strategy: str = AUTO,
        image: bool = False,
        *,
        name: str = "container",
        binds: bool = False,
        secrets: bool = False,
        flatten: bool = False,
        allow_wider: bool = False,
        client: APIClient | None = None,
    ) -> None:
        if not container.strip():
            raise InvalidInput("a container needs a name", hints=["`docker ps` lists containers"])
        if strategy not in (AUTO, OVERLAY, STREAM):
            raise InvalidInput(f"{strategy!r} is no strategy", hints=[f"one of: {AUTO}, {OVERLAY}, {STREAM}"])
        if not name.strip() or not name.isprintable():
            raise InvalidInput(f"{name!r:.60} cannot be the name of a part", hints=["tb.Container('sandbox')"])
        self.name = name
        self.daemon = Daemon(client)
        self.volumes, self.image, self.binds, self.secrets = volumes, image, binds, secrets
        self.flatten, self.allow_wider, self.strategy = flatten, allow_wider, strategy
        self._container = container
        self._named = ""
        """The container's name, once it was seen: an id is another one after each restore."""
        self._recalled: tuple[bytes, Recall] | None = None
        """What the last capture saw, and the content that it made of that."""
        self._recall = Recall()
        self._ahead: _Ahead | None = None
        """For whom what the next capture needs has been read already."""
        self._stays = False
        self._held: Hold | None = None
        """The pause of a container that is to stay still."""
        self._placed: frozenset[tuple[str, bytes | None]] = frozenset()
        """What the last restore has put in place, and read back before the container ran again."""

    def __repr__(self) -> str:
        return f"<Container {self._named or self._container!r}>"

    @staticmethod
    def copy(
        name: str,
        environment: Mapping[str, str] | None = None,
        ports: Mapping[str, int] | None = None,
        volumes: str = "new",
        networks: bool = True,
    ) -> Copy:
        """A place for a restore or a fork: another container, with these changes."""
        from takeback.sources.container.copying import Copy

        return Copy(name, dict(environment or {}), dict(ports or {}), volumes, networks)

    @property
    def given(self) -> str:
        """The name, or the id, by which it was asked for."""
        return self._container

    @property
    def lock(self) -> str:
        return f"container {self.daemon.address} {self.container}"

    @property
    def container(self) -> str:
        """The container's name; as it was given, if there is none."""
        if not self._named:
            try:
                found = self.daemon.find(self._container)
            except Unavailable:  # which whoever looks at it is told
                return self._container
            return self._container if found is None else self._note(found).name
        return self._named

    def look(self) -> Inspected:
        """The container as it is now, after whatever a killed restore left was put in order. NotFound if it is gone."""
        from takeback.sources.container import aside
        from takeback.sources.container.streaming.window import sweep

        let_go()
        name = self.container
        aside.heal(self.daemon, name)
        sweep(self.daemon, name)
        # Where there is no such name, the engine takes it for the beginning of an id.
        found = aside.called(self.daemon, name) if self._named else self.daemon.find(name)
        if found is None:
            raise NotFound(
                f"there is no container {self._container!r}",
                hints=[
                    "`docker ps --all` lists containers",
                    f"`takeback restore REF --container {name} --as {name}` makes it again as a snapshot has it",
                ],
            )
        noted = self._note(found)
        if noted.paused:
            wait_for(noted.id)
            time.sleep(_LATE)
            return self._note(self.daemon.inspect(noted.id))
        return noted

    def _note(self, box: Inspected) -> Inspected:
        self._named = box.name
        held = self._held is not None and self._held.holds(box)
        return box.unpaused() if held else box  # for everybody else it runs

    @contextmanager
    def still(self) -> Iterator[None]:
        """From the next look on nothing in the container runs, until this ends: what is put back is then decided by what is
        there, and nothing is lost that was written in between."""
        self._stays = True
        try:
            yield
        finally:
            self._stays = False
            held, self._held = self._held, None
            if held is not None:
                held.release()

    def hold(self, box: Inspected) -> Hold:
        """A pause of the container; the one that there is, if it is to stay still."""
        if self._held is None or not self._held.holds(box):
            hold = Hold(self.daemon, box)
            if not self._stays:
                return hold
            self._held = hold
        return self._held

    def capture(self, writer: Writer, previous: Part | None, watch: Watch) -> Part:
        """Its files, volumes and settings at one instant: it is paused only for as long as the last look takes."""
        ahead, self._ahead = self._ahead, None
        box = ahead.box if ahead and ahead.writer is writer else self._looked_ahead(writer, previous, watch)[0]
        self._placed = frozenset()
        settings = self._settings(box)
        with ExitStack() as pause:
            hold = self.hold(box)
            if not self._stays:
                pause.callback(hold.release)
            seen = self.survey(box, writer, watch)
            if not self.image:
                pause.close()
            part = self._part(writer, box, previous, settings, seen)
            image = self._image(writer, box, previous, part.content, settings.holes)
        return part if image is None else part._replace(detail={**part.detail, "image": image})

    def read_ahead(self, writer: Writer, previous: Part | None, watch: Watch) -> Part | None:
        """Read what is large while the container runs, for a capture that then reads only what changed since. What was seen,
        if all of it was: where that is what a snapshot has already, nobody need stop the container to know."""
        box, seen = self._looked_ahead(writer, previous, watch)
        self._ahead = _Ahead(writer, box)
        return self._part(writer, box, previous, self._settings(box), seen) if seen and not self.image else None

    def _looked_ahead(
        self, writer: Writer, previous: Part | None, watch: Watch
    ) -> tuple[Inspected, tuple[Access, Areas] | None]:
        box = self.look()
        self._remember(writer, previous.content if previous is not None else None)
        if box.running and not box.paused and self.reach(box).name == OVERLAY and not self.flatten:
            return box, self.survey(box, writer, watch)
        return box, None

    def _settings(self, box: Inspected) -> Settings:
        from takeback.sources.container.describing import settings_of

        return settings_of(self.daemon, box, secrets=self.secrets, flat=self.flatten)

    def _part(
        self, writer: Writer, box: Inspected, previous: Part | None, settings: Settings, seen: tuple[Access, Areas]
    ) -> Part:
        access, areas = seen
        tree = content.build(writer, settings.encode(), {area: areas.listed(area) for area in areas})
        if access.name == OVERLAY and (previous is None or tree != previous.content):
            writer.derived.put(self._cache_key(writer), self._recall.encode(tree))
        self._recalled = (tree, self._recall)
        left_out = [*access.not_captured, *self._beside(box)]
        left_out += [NotCaptured(f"settings/{hole}", "secret", "an environment variable") for hole in settings.holes]
        detail: dict[str, Any] = {"container": box.name, "id": box.id, "strategy": access.name}
        return Part(self.name, self.kind, {"content": tree}, detail, tuple(sorted(left_out)))

    def survey(self, box: Inspected, writer: Puts, watch: Watch) -> tuple[Access, Areas]:
        """All areas of a container as they are now, and by whom they were read."""
        from takeback.sources.container.overlay.reading import NotWhole

        recall = self._recall.copied() if isinstance(writer, Hashing) else self._recall  # what it sees is not stored
        access = self.reach(box, recall)
        try:
            return access, self._areas(access, box, writer, watch)
        except NotWhole:
            if self.strategy != AUTO:
                raise
            access = self._stream()
            return access, self._areas(access, box, writer, watch)

    def _areas(self, access: Access, box: Inspected, writer: Puts, watch: Watch) -> Areas:
        if self.flatten:
            from takeback.sources.container.flat import read_all

            found: dict[str, Iterable[Found]] = {FILESYSTEM: read_all(self.daemon, box, writer, watch)}
        else:
            found = {FILESYSTEM: access.read_delta(box, writer, watch)}
        for mount in self._mounts(box):
            found[mount.area] = access.read_mount(box, mount, writer, watch)
        return Areas(found)

    def reach(self, box: Inspected, recall: Recall | None = None) -> Access:
        """The way to a container's files that was asked for, or is best."""
        from takeback.sources.container.overlay.access import Overlay, why_not

        if self.strategy == STREAM:
            return self._stream()
        reason = why_not(box, self._mounts(box))
        if not reason:
            return Overlay(self.daemon, recall or Recall())
        if self.strategy == OVERLAY:
            raise Unavailable(
                f"the container {box.name!r} cannot be read with the strategy 'overlay': {reason}",
                hints=["strategy='stream' needs nothing but the Engine's API; 'auto' chooses"],
            )
        return self._stream()

    def _stream(self) -> Access:
        from takeback.sources.container.streaming.access import Stream

        return Stream(self.daemon)

    def _mounts(self, box: Inspected) -> list[Mount]:
        from takeback.sources.container.mounts import captured

        return captured(box, volumes=self.volumes, binds=self.binds)[0]

    def _beside(self, box: Inspected) -> list[NotCaptured]:
        from takeback.sources.container.mounts import captured

        return captured(box, volumes=self.volumes, binds=self.binds)[1]

    def _image(
        self, writer: Writer, box: Inspected, previous: Part | None, tree: bytes, holes: Iterable[str]
    ) -> dict[str, str] | None:
        """The image of this snapshot, if there is to be one; nothing new, no new image."""
        if not self.image:
            return None
        if previous is not None and previous.content == tree and isinstance(previous.detail.get("image"), dict):
            return dict(previous.detail["image"])
        from takeback.sources.container.images import commit

        id, tag = commit(self.daemon, box, writer.store_id, holes=list(holes))
        return {"id": id, "tag": tag}

    def _remember(self, writer: Writer, before: bytes | None) -> None:
        if self._recalled is not None and self._recalled[0] == before:
            self._recall = self._recalled[1].copied()
        else:
            self._recall = recall(writer.derived.get(self._cache_key(writer)), before, writer.reader)

    def _cache_key(self, writer: Writer) -> str:
        return f"container-{writer.scope}-{blake3(self.lock.encode()).hexdigest()[:16]}"

    def plan(self, reader: Reader, present: Part, target: Part, paths: Sequence[str] | None) -> Proposal:
        from takeback.sources.container import planning

        return planning.plan(reader, self.name, present, target, paths)

    def revert(self, reader: Reader, present: Part, steps: Sequence[Step]) -> Proposal:
        from takeback.sources.container import planning

        return planning.revert(reader, self.name, present, steps)

    def fresh(self, reader: Reader, part: Part, paths: Sequence[str] | None) -> list[Effect]:
        from takeback.sources.container.planning import as_told, with_attributes
        from takeback.sources.workspace import planning

        effects = planning.fresh(reader, self.name, part, None if paths is None else with_attributes(paths))
        return list(as_told(reader, effects))

    def moved(self, reader: Reader, present: Part, effects: Sequence[Effect]) -> tuple[str, ...]:
        from takeback.sources.container.planning import is_as

        view = trees.TreeView(reader, present.content)
        return tuple(each.path for each in effects if not is_as(reader, each, view.get(each.path)))

    def plan_at(self, reader: Reader, place: object, part: Part, paths: Sequence[str] | None) -> Proposal:
        from takeback.sources.container import copying

        return copying.plan(self, reader, place, part, paths)

    def make_at(self, reader: Reader, place: object, part: Part, paths: Sequence[str] | None, *, durable: bool) -> Made:
        from takeback.sources.container import copying

        return copying.make(self, reader, place, part, paths)

    def unmake_at(self, reader: Reader, place: object, part: Part, noted: Sequence[tuple[str, str]]) -> list[str]:
        """Remove what `make_at` noted; what is left of it."""
        from takeback.sources.container import copying

        return copying.unmake(self, place, noted)

    def noting_at(self, place: object, note: Callable[[str, str], None]) -> Copy:
        """A place that is told of what is made for it."""
        from dataclasses import replace

        from takeback.sources.container.copying import named

        return replace(named(place), noting=note)

    def lock_at(self, place: object) -> str:
        """The lock of what is to be made."""
        from takeback.sources.container.copying import named

        return self.called(named(place).name).lock

    def fork_place(self, name: str, directory: str) -> object:
        """What a fork's own container is called."""
        return f"{self.container}-{name}"

    def at_fork(self, part: Part, root: str) -> Container | None:
        """The same source for a fork's own container; None if there is none any more, or it is this very one."""
        name = part.detail.get("container")
        if not isinstance(name, str) or not name or name == self.container or self.daemon.find(name) is None:
            return None
        return self.called(name)

    def stage(self, reader: Reader, effects: Sequence[Effect], *, durable: bool = True) -> Staged:
        from takeback.sources.container.replacing import Replacement

        self._placed = frozenset()
        return Replacement(self, reader, effects)

    def called(self, name: str) -> Container:
        """The same source for a container of another name."""
        other = Container(
            name,
            self.volumes,
            self.strategy,
            self.image,
            name=self.name,
            binds=self.binds,
            secrets=self.secrets,
            flatten=self.flatten,
            allow_wider=self.allow_wider,
            client=self.daemon.given,
        )
        other.daemon = self.daemon  # one connection for both, which whoever made it closes
        return other

    def placed(self, effects: Sequence[Effect]) -> None:
        """The effects are in place: that was read back while nothing ran."""
        self._placed = frozenset((each.path, each.after.id if each.after else None) for each in effects)

    def unfinished(self, effects: Sequence[Effect]) -> tuple[Effect, ...]:
        """Look at the container again; but right after a restore, which has looked before anything ran in it."""
        left = [each for each in effects if (each.path, each.after.id if each.after else None) not in self._placed]
        if not left:
            return ()
        from takeback.sources.container.describing import settings_of
        from takeback.sources.container.planning import still_to_do

        box = self.look()
        with paused(self.daemon, box):
            _, areas = self.survey(box, Hashing(), Watch())
        settings = settings_of(self.daemon, box, secrets=self.secrets, flat=self.flatten).encode()
        return still_to_do(left, areas, Hashing().put(settings, BlobKind.DATA))

    def amend(self, writer: Writer, present: Part, effects: Sequence[Effect]) -> Part:
        for effect in effects:
            if effect.merged is not None:
                writer.put(effect.merged, BlobKind.DATA)
        tree = trees.patch(writer, present.content, {effect.path: effect.after for effect in effects})
        detail = {key: value for key, value in present.detail.items() if key != "image"}
        found = self.daemon.find(self.container)
        if found is not None:
            detail["id"] = found.id
        return present._replace(refs={**present.refs, "content": tree}, detail=detail)

    def diff(
        self, reader: Reader, a: Part | None, b: Part | None, paths: Sequence[str] | None = None
    ) -> Iterator[Change]:
        from takeback.sources.container.planning import differences

        return differences(reader, self.name, a, b, paths)

    def count(self, reader: Reader, part: Part) -> int:
        return sum(1 for change in self.diff(reader, None, part) if not change.is_directory)

    def state_at(self, reader: Reader, part: Part, path: str) -> object | None:
        from takeback.sources.container.planning import state_at

        return state_at(reader, part.content, path)

    def read(self, reader: Reader, part: Part, path: str) -> Iterator[bytes]:
        entry = trees.TreeView(reader, part.content).get(path)
        if entry is None:
            raise NotFound(
                f"there is no {path!r} in that snapshot of the container",
                hints=["what the image has, and nobody changed, is not in it"],
            )
        if entry.kind == DIRECTORY:
            raise InvalidInput(f"{path!r} is a directory in that snapshot, so it has no bytes to show")
        return exactly(entry.size, reader.stream(entry.id), path)
