"""A container made anew from a snapshot, beside whatever else there is: with another name, and what that asks for.

It gets that name when all is in it; until then its name says that it is nobody's yet (`takeback.sources.container.aside`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
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
CHOSEN = re.compile("[0-9a-f]{12}")
"""A hostname that the engine chose: the beginning of an id."""
_VOLUMES = ("new", "same", "none")

CONTAINER, VOLUME, MAY_BE_VOLUME = "container", "volume", "may be volume"
"""What is noted of a copy. A volume is noted before and after it is made, because the engine gives an existing one, too."""


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
    noting: Callable[[str, str], None] | None = field(default=None, repr=False, compare=False)
    """Is told of what is made, so that somebody else can remove it: a kind, and an id or a name."""

    def note(self, kind: str, what: str) -> None:
        if self.noting is not None:
            self.noting(kind, what)

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
    for name in _to_be_made(source, settings):
        copy.note(MAY_BE_VOLUME, name)
    made = create(source.daemon, settings, aside.new_name(copy.name), volumes=_lent(source, copy, part), image=image)
    for mount in made.new:
        if not mount.anonymous:
            copy.note(VOLUME, mount.name)
    copy.note(CONTAINER, made.box.id)
    try:
        _fill(source, reader, part, settings, made, copy)
        _give_name(source, made.box, copy)
        if settings.state != STOPPED:
            aside.start(source.daemon, made.box)
    except BaseException:
        with suppress(TakebackError):
            aside.remove(source.daemon, made.box, volumes=True)
            for mount in made.new:
                if not mount.anonymous:
                    source.daemon.call("remove a volume", source.daemon.api.remove_volume, mount.name)
        raise
    return Made(source.called(copy.name), tuple(effects), (*notes, *made.notes))


def unmake(source: Container, place: object, noted: Sequence[tuple[str, str]]) -> list[str]:
    """Remove what `make` noted, and what it left unfinished; what is left of it, because nobody knows whose it is."""
    copy, daemon = named(place), source.daemon
    aside.heal(daemon, copy.name)
    for kind, id in noted:
        found = daemon.find(id) if kind == CONTAINER else None
        if found is not None and found.id == id:
            aside.remove(daemon, found, volumes=True)
    for kind, name in noted:
        if kind == VOLUME and has_volume(daemon, name):
            with suppress(Conflict):  # another container has it by now
                daemon.call(f"remove the volume {name!r}", daemon.api.remove_volume, name)
    known = {name for kind, name in noted if kind == VOLUME}
    unsure = [name for kind, name in noted if kind == MAY_BE_VOLUME and name not in known and has_volume(daemon, name)]
    return [f"the volume {name}" for name in unsure]


def _to_be_made(source: Container, settings: Settings) -> list[str]:
    """The volumes with a name that are not there yet."""
    names = dict.fromkeys(each.name for each in settings.volumes.values() if each.name and not each.borrowed)
    return [name for name in names if not has_volume(source.daemon, name)]


def _give_name(source: Container, box: Inspected, copy: Copy) -> None:
    try:
        source.daemon.call(f"call a container {copy.name!r}", source.daemon.api.rename, box.id, copy.name)
    except Conflict:
        _check_free(source, copy)
        raise


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
    if not again and CHOSEN.fullmatch(str(settings.config.get("Hostname"))):
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
