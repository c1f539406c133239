"""A container made anew from a snapshot, beside whatever else there is: with another name, and what that asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from takeback.errors import Conflict, InvalidInput, TakebackError
from takeback.model.plan import Effect
from takeback.model.progress import Watch
from takeback.model.snapshot import Part
from takeback.sources.container import aside, content, mounts, networks, ports, rights
from takeback.sources.container.access import changes_between
from takeback.sources.container.creating import Created, create, find_base, has_volume
from takeback.sources.container.decoding import decode
from takeback.sources.container.describing import settings_of
from takeback.sources.container.filled import check_filled
from takeback.sources.container.flat import image_of
from takeback.sources.container.found import FILESYSTEM
from takeback.sources.container.hashing import Hashing
from takeback.sources.container.settings import STOPPED, Settings, values_of
from takeback.sources.protocol import Made, Proposal

if TYPE_CHECKING:
    from takeback.sources.container.daemon import Inspected
    from takeback.sources.container.source import Container
    from takeback.store.reader import Reader

_NAME = re.compile("[a-zA-Z0-9][a-zA-Z0-9_.-]+")
_CHOSEN = re.compile("[0-9a-f]{12}")
"""A hostname that the engine chose: the beginning of an id."""
_VOLUMES = ("new", "same", "none")


@dataclass(frozen=True, slots=True)
class Copy:
    """Another container: its name, and in what it shall differ."""

    name: str
    environment: Mapping[str, str] = field(default_factory=dict)
    ports: Mapping[str, int] = field(default_factory=dict)
    """By port of the container (``80/tcp``, or ``80``)."""
    volumes: str = "new"
    """``new``: volumes of its own, with what the snapshot holds; ``same``: the very volumes, as they are now; ``none``. A
    container that is made again under its own name has its own volumes: those that are still there as they are."""
    networks: bool = True
    """Whether it is in the networks of the snapshot; otherwise only in the engine's default one."""

    def __str__(self) -> str:
        return f"the container {self.name}"

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise InvalidInput(
                f"no container can be called {self.name[:60]!r}",
                hints=["names are letters, digits, and _ . - after the first"],
            )
        if aside.is_ours(self.name):
            raise InvalidInput(
                f"{self.name!r} is a name that a container has only for a moment, while it takes another's place",
                hints=["choose another name"],
            )
        if self.volumes not in _VOLUMES:
            raise InvalidInput(f"volumes are {' or '.join(_VOLUMES)}, not {self.volumes!r}")


def named(place: object) -> Copy:
    """What was given as a place."""
    if isinstance(place, Copy):
        return place
    if isinstance(place, str):
        return Copy(place)
    raise InvalidInput(f"{place!r:.60} is no place for a container", hints=["a name, or tb.Container.copy(name, …)"])


def plan(source: Container, reader: Reader, place: object, part: Part, paths: Sequence[str] | None) -> Proposal:
    """What `make` would do."""
    copy = named(place)
    settings, notes = _settings(source, reader, copy, part)
    if not settings.image.flat:
        find_base(source.daemon, settings.image)
    _check_free(source, copy)
    return Proposal(tuple(_effects(source, reader, part, paths)), notes=tuple(notes))


def make(source: Container, reader: Reader, place: object, part: Part, paths: Sequence[str] | None) -> Made:
    """Make the container, fill it, and let it run if it ran."""
    copy = named(place)
    effects = _effects(source, reader, part, paths)
    settings, notes = _settings(source, reader, copy, part)
    _check_free(source, copy)
    image = ""
    if settings.image.flat:
        found = content.found_in(reader, part.content, FILESYSTEM)
        image = image_of(source.daemon, settings, copy.name, found, reader.stream, part.content.hex())
    made = create(source.daemon, settings, copy.name, volumes=_lent(source, copy, part), image=image)
    try:
        _fill(source, reader, part, settings, made, copy)
        if settings.state != STOPPED:
            aside.start(source.daemon, made.box)
    except BaseException:
        with suppress(TakebackError):
            aside.remove(source.daemon, made.box, volumes=True)
            for mount in made.new:
                source.daemon.call("remove a volume", source.daemon.api.remove_volume, mount.name)
        raise
    return Made(source.called(copy.name), tuple(effects), (*notes, *made.notes))


def _effects(source: Container, reader: Reader, part: Part, paths: Sequence[str] | None) -> list[Effect]:
    if paths is not None:
        raise InvalidInput("a container is made as a whole, not some paths of it", hints=["leave PATH out"])
    return source.fresh(reader, part, None)


def _settings(source: Container, reader: Reader, copy: Copy, part: Part) -> tuple[Settings, list[str]]:
    settings = decode(content.settings_in(reader, part.content))
    there = _original(source, part)
    now = settings_of(source.daemon, there) if there is not None else None
    rights.check(copy.name, now, settings, allowed=source.allow_wider)
    settings = settings.filled(values_of(there.raw) if there is not None else {}, copy.environment)
    settings = ports.overridden(settings, copy.ports) if copy.ports else settings
    settings, notes = ports.moved(settings, ports.taken(source.daemon), fixed=copy.ports)
    settings = settings if copy.networks else networks.by_default(settings)
    settings, more = networks.apart(source.daemon, settings)
    again = copy.name == part.detail.get("container")
    if not again and _CHOSEN.fullmatch(str(settings.config.get("Hostname"))):
        settings = replace(settings, config={**settings.config, "Hostname": ""})
    if copy.volumes == "new" and again:
        more += _volumes_of_its_own(source, settings, copy.name)
    elif copy.volumes == "new":
        settings, names = mounts.with_new_volumes(settings, copy.name, lambda each: has_volume(source.daemon, each))
        more += [f"volume {old}: its content goes into the new volume {new}" for old, new in names.items()]
    elif copy.volumes == "none":
        settings = mounts.without_volumes(settings)
    else:
        more += [f"volume {each.name}: shared, and left as it is" for each in settings.volumes.values() if each.name]
    return settings, [*notes, *more]


def _volumes_of_its_own(source: Container, settings: Settings, name: str) -> Iterator[str]:
    """Notes on the volumes of a container that is made again: those that outlived it are its own, and nothing in them is
    lost; the others are made and filled."""
    for volume in settings.volumes.values():
        if volume.name and has_volume(source.daemon, volume.name):
            yield (
                f"volume {volume.name}: is still there, and left as it is; "
                f"`takeback restore REF --container {name}` makes it as in the snapshot, too"
            )


def _original(source: Container, part: Part) -> Inspected | None:
    """The container that a part was captured from, if it is still there."""
    name = part.detail.get("container")
    return aside.called(source.daemon, name) if isinstance(name, str) and name else None


def _lent(source: Container, copy: Copy, part: Part) -> dict[str, str]:
    """Volumes without a name that the copy shares with its original."""
    there = _original(source, part) if copy.volumes == "same" else None
    return mounts.anonymous_in(there) if there is not None else {}


def _check_free(source: Container, copy: Copy) -> None:
    if aside.called(source.daemon, copy.name) is not None:
        raise Conflict(
            f"there is a container called {copy.name!r} already",
            hints=[
                "choose another name",
                f"to put a snapshot into its place: takeback restore REF --container {copy.name}",
            ],
        )


def _fill(source: Container, reader: Reader, part: Part, settings: Settings, made: Created, copy: Copy) -> None:
    """Put everything in place, and read it back."""
    access = source.reach(made.box)
    stored = content.areas_in(reader, part.content)
    wanted = {area: list(content.found_in(reader, part.content, area)) for area in stored}
    if not settings.image.flat:
        access.fill_delta(made.box, wanted[FILESYSTEM], reader.stream)
        check_filled(access, FILESYSTEM, wanted[FILESYSTEM], access.read_delta(made.box, Hashing(), Watch()))
    was = decode(content.settings_in(reader, part.content)).volumes
    for mount in mounts.captured(made.box)[0]:
        volume = was.get(mount.destination)
        if volume is None or mount.destination not in {each.destination for each in made.new}:
            continue
        area = replace(mount, name=volume.name, anonymous=not volume.name).area
        if area not in wanted:
            continue
        there = {each.path: each for each in access.read_mount(made.box, mount, Hashing(), Watch())}
        changes = changes_between(there, {each.path: each for each in wanted[area]})
        access.change_mount(made.box, mount, changes, reader.stream)
        check_filled(access, area, wanted[area], access.read_mount(made.box, mount, Hashing(), Watch()))
