"""Makes a container from settings: made, in all its networks, with all its volumes, and not started.

All or nothing: if any of it fails, neither the container nor a volume that was made for it stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from takeback.errors import Conflict, InvalidInput, NotFound, TakebackError, Unavailable
from takeback.sources.container import mounts, networks
from takeback.sources.container.describing import settings_of
from takeback.sources.container.differing import differences
from takeback.sources.container.settings import Image, Settings

if TYPE_CHECKING:
    from takeback.sources.container.daemon import Daemon, Inspected, Mount


class Created(NamedTuple):
    """A container that was made."""

    box: Inspected
    new: tuple[Mount, ...]
    """Those of its volumes that were made with it. The engine has put into them what the image has at their places."""
    notes: tuple[str, ...]
    """What is not as the settings say, because this engine, or what is there, does not allow it."""


class Base(NamedTuple):
    """What a container is made from."""

    image: str
    """A name, or an id."""
    note: str = ""


def create(
    daemon: Daemon, settings: Settings, name: str, *, volumes: Mapping[str, str] | None = None, image: str = ""
) -> Created:
    """A container called ``name`` with these settings, which have no holes.

    ``volumes`` are there already, by where they are mounted, and are used where the settings name none. ``image`` is what
    stands for the image of settings that need none.
    """
    if settings.holes:
        raise InvalidInput(f"secrets have no values: {', '.join(sorted(settings.holes))}")
    base = Base(image) if settings.image.flat else find_base(daemon, settings.image)
    networks.check_there(daemon, settings)
    notes = [base.note] if base.note else []
    lenders = [each.partition(":")[0] for each in settings.host.get("VolumesFrom") or ()]
    gone = [each for each in lenders if daemon.find(each) is None]
    if gone:
        notes.append(
            f"volumes that were mounted from {', '.join(gone)}, which is not there, are mounted by their names"
        )
        settings = mounts.with_own_volumes(settings)
    asked = mounts.attached(settings, volumes or {})
    with _undone_if_it_fails(daemon) as made:
        for volume in _make_volumes(daemon, settings):
            made.volumes.append(volume)
        made.container = _make(daemon, body(asked, base.image), name)
        networks.attach(daemon, made.container, asked)
        box = daemon.inspect(made.container)
        new = tuple(each for each in mounts.mounts_of(box) if _is_new(each, made, settings, volumes or {}))
        return Created(box, new, (*notes, *_not_as_asked(daemon, box, settings)))


def body(settings: Settings, image: str) -> dict[str, Any]:
    """What the engine is sent to make a container."""
    made = {**settings.config, "Image": image, "Env": list(settings.environment) or None, "HostConfig": settings.host}
    first = networks.first_of(settings)
    asked = dict(settings.networks.get(first) or {})
    if first and settings.config.get("MacAddress"):
        asked["MacAddress"] = settings.config["MacAddress"]  # where engines since API 1.44 look for it
    if asked:
        made["NetworkingConfig"] = {"EndpointsConfig": {first: asked}}
    return made


def find_base(daemon: Daemon, image: Image) -> Base:
    """The image by its name if that still means the same one, else by its id; Unavailable if it is not there."""
    named = _image_id(daemon, image.name)
    if named == image.id:
        return Base(image.name)
    if _image_id(daemon, image.id):
        what = "is another image now" if named else "is no image's name any more"
        return Base(image.id, f"{image.name} {what}: the container is made from {image.id[:19]}, as it was")
    pulls = [f"get it again: docker pull {each}" for each in image.digests]
    why = f"{image.name} is another image now, with another content" if named else f"there is no image {image.name}"
    raise Unavailable(
        f"the container was made from the image {image.name} ({image.id[:19]}), which is not there: {why}",
        hints=[
            *(pulls or [f"it was in no registry: build or load it again, so that its id is {image.id}"]),
            "snapshots with flatten=True need no image",
        ],
    )


def _image_id(daemon: Daemon, name: str) -> str:
    try:
        return str(daemon.call(f"look at the image {name!r}", daemon.api.inspect_image, name)["Id"])
    except NotFound:
        return ""


class _Made:
    def __init__(self) -> None:
        self.container = ""
        self.volumes: list[str] = []


@contextmanager
def _undone_if_it_fails(daemon: Daemon) -> Iterator[_Made]:
    made = _Made()
    try:
        yield made
    except BaseException:
        if made.container:
            with suppress(TakebackError):
                daemon.call("remove a container", daemon.api.remove_container, made.container, v=True, force=True)
        for volume in made.volumes:
            with suppress(TakebackError):
                daemon.call("remove a volume", daemon.api.remove_volume, volume)
        raise


def _make_volumes(daemon: Daemon, settings: Settings) -> Iterator[str]:
    """Named volumes that are not there, with the drivers, options and labels that they had."""
    for name, volume in {each.name: each for each in settings.volumes.values() if each.name}.items():
        if not volume.borrowed and not has_volume(daemon, name):
            daemon.call(
                f"make the volume {name!r}",
                daemon.api.create_volume,
                name,
                driver=volume.driver,
                driver_opts=dict(volume.options),
                labels=dict(volume.labels),
            )
            yield name


def has_volume(daemon: Daemon, name: str) -> bool:
    try:
        daemon.call(f"look at the volume {name!r}", daemon.api.inspect_volume, name)
    except NotFound:
        return False
    return True


def _make(daemon: Daemon, body: Mapping[str, Any], name: str) -> str:
    try:
        return str(
            daemon.call(f"make the container {name!r}", daemon.api.create_container_from_config, body, name)["Id"]
        )
    except Conflict as error:
        if daemon.find(name) is None:
            raise
        raise Conflict(
            f"there is a container called {name!r} already",
            hints=["choose another name", f"or put that one away: docker rename {name} {name}-old"],
        ) from error


def _is_new(mount: Mount, made: _Made, settings: Settings, volumes: Mapping[str, str]) -> bool:
    volume = settings.volumes.get(mount.destination)
    if mount.type != "volume" or (volume is not None and volume.borrowed):
        return False
    return mount.name in made.volumes or (mount.anonymous and volumes.get(mount.destination) != mount.name)


def _not_as_asked(daemon: Daemon, box: Inspected, settings: Settings) -> list[str]:
    """What another engine made of settings that it knows otherwise; the image has been spoken of."""
    found = settings_of(daemon, box, secrets=True)
    if not settings.config.get("Hostname"):  # the engine chooses
        found = replace(found, config={**found.config, "Hostname": settings.config.get("Hostname")})
    return differences(replace(found, image=settings.image, state=settings.state), settings)
