"""Images that snapshots make: by ``docker commit`` where one was asked for, and from all files where there is no base.

Their tags say whose they are, so that what no snapshot needs any more is found and removed, and nothing else.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from takeback.errors import Conflict, NotFound, Unavailable
from takeback.sources.container.settings import Settings

if TYPE_CHECKING:
    from takeback.sources.container.daemon import Daemon, Inspected

_OURS = "takeback/"
_FLAT = "flat-"
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")


def commit(daemon: Daemon, box: Inspected, store_id: str, *, holes: Collection[str] = ()) -> tuple[str, str]:
    """An image of a container, which is paused already or need not be; its id and its tag.

    Of variables that are ``holes`` the image has no values: an image is made to be handed on.
    """
    repository, tag = _repository(box.name), f"{store_id[:8]}-{secrets.token_hex(4)}"
    made = daemon.call(
        f"make an image of {box.name!r}",
        daemon.api.commit,
        box.id,
        repository=repository,
        tag=tag,
        pause=False,
        conf={"Env": [f"{name}=" for name in sorted(holes)]} if holes else None,
    )
    return str(made["Id"]), f"{repository}:{tag}"


def release(daemon: Daemon, store_id: str, needed: Collection[str]) -> list[str]:
    """Remove the images that a store's snapshots have made, apart from the tags that are ``needed``; those removed.

    One that somebody has made a container from stays until that is gone.
    """
    ours = [tag for tag in _tags(daemon) if tag.rpartition(":")[2].startswith(f"{store_id[:8]}-")]
    return _remove(daemon, [tag for tag in ours if tag not in needed])


def flat_image(daemon: Daemon, settings: Settings, name: str, key: str, archive: Iterable[bytes]) -> str:
    """The name of an image that holds all files of a snapshot: made from ``archive``, a tar stream, unless there is one
    with this ``key`` already."""
    repository, tag = _repository(name), f"{_FLAT}{key[:32]}"
    full = f"{repository}:{tag}"
    if full in set(_tags(daemon)):
        return full
    said = daemon.call(
        f"make an image for {name!r}",
        daemon.api.import_image_from_stream,
        archive,
        repository=repository,
        tag=tag,
        changes=[_set(each) for each in settings.image.environment if "\n" not in each],
    )
    for line in str(said).splitlines():
        if "errorDetail" in line:
            raise Unavailable(f"cannot make an image for {name!r}: {json.loads(line).get('error')}")
    return full


def release_flat(daemon: Daemon, name: str) -> list[str]:
    """Remove the images of all files that were made for a container and that no container is made from."""
    ours = f"{_repository(name)}:{_FLAT}"
    return _remove(daemon, [tag for tag in _tags(daemon) if tag.startswith(ours)])


def _tags(daemon: Daemon) -> Iterator[str]:
    with daemon.speaking("list images"):
        listed = daemon.api.images(filters={"reference": f"{_OURS}*"})
    for image in listed:
        yield from (tag for tag in image.get("RepoTags") or () if tag.startswith(_OURS))


def remove(daemon: Daemon, tags: Iterable[str]) -> list[str]:
    """Remove some of the images that snapshots have made, and nothing else; those that are gone then."""
    wanted = [tag for tag in tags if tag.startswith(_OURS)]
    there = set(_tags(daemon))
    return [tag for tag in wanted if tag not in there] + _remove(daemon, [tag for tag in wanted if tag in there])


def _remove(daemon: Daemon, tags: Iterable[str]) -> list[str]:
    removed = []
    for tag in tags:
        try:
            daemon.call(f"remove the image {tag}", daemon.api.remove_image, tag)
        except NotFound:
            continue
        except Conflict:
            continue  # a container is made from it
        removed.append(tag)
    return removed


def _repository(name: str) -> str:
    """A container's name as an image can be called: both may not have the same letters."""
    return _OURS + (_NOT_IN_NAMES.sub("-", name.lower()).strip("-") or "container")


def _set(variable: str) -> str:
    name, _, value = variable.partition("=")
    for special in ("\\", '"', "$"):
        value = value.replace(special, f"\\{special}")
    return f'ENV {name}="{value}"'
