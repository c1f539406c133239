"""A window on a directory of the Engine's machine: a container that is never started, with nothing but that mounted.

Through it the Engine's archives show and fill the raw directory: a volume without what is mounted inside it, or the
differences of a container with the marks of what was deleted. It costs two requests of some milliseconds.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from takeback.errors import NotFound, TakebackError
from takeback.sources.container.daemon import Daemon, Inspected, Mount

PLACE = "takeback"
"""Where the directory is mounted, directly below the root."""

_HELPER = "takeback.helper"
_FOR = "takeback.for"
_OURS = ".takeback-"


class NoWindow(NotFound):
    """There is nothing to make a window of, or nothing to look at: the image is gone, or the engine hides the directory."""


@contextmanager
def window(daemon: Daemon, box: Inspected, source: dict[str, Any], **config: Any) -> Iterator[str]:
    """The id of a container, made from the same image as ``box``, that has ``source`` mounted; removed in the end."""
    name = f"{_owner(box.name)}{_OURS}helper-{secrets.token_hex(4)}"
    host = {"NetworkMode": "none", "Mounts": [{"Target": f"/{PLACE}", **source}], "Tmpfs": _own_volumes(box)}
    body = {
        "Image": box.image,
        "Entrypoint": ["takeback"],
        "Cmd": [],
        "Labels": {_HELPER: "1", _FOR: _owner(box.name)},
        "HostConfig": host | config.pop("HostConfig", {}),
        **config,
    }
    try:
        made = daemon.call(f"look into the container {box.name!r}", daemon.api.create_container_from_config, body, name)
    except NotFound as error:
        raise NoWindow(error.message, hints=["the image of a container is needed: `docker pull` it again"]) from error
    try:
        yield str(made["Id"])
    except BaseException:
        try:
            _remove(daemon, name)
        except TakebackError:
            pass  # what went wrong first is what matters; the next command sweeps
        raise
    _remove(daemon, name)


def on_upper(box: Inspected, *, readonly: bool) -> dict[str, Any]:
    """The directory of a container's differences, to be mounted."""
    if box.upper is None:
        raise NoWindow(f"the engine does not say where it keeps the files of the container {box.name!r}")
    return {"Type": "bind", "Source": box.upper, "ReadOnly": readonly}


def on_mount(mount: Mount, *, readonly: bool) -> dict[str, Any]:
    """A volume or a bind mount, to be mounted."""
    if mount.type == "volume":
        return {"Type": "volume", "Source": mount.name, "ReadOnly": readonly, "VolumeOptions": {"NoCopy": True}}
    return {"Type": "bind", "Source": mount.source, "ReadOnly": readonly}


def sweep(daemon: Daemon, name: str) -> None:
    """Remove what killed processes left behind of windows for a container. Its lock is to be held."""
    wanted = [f"{_HELPER}=1", f"{_FOR}={_owner(name)}"]
    for each in daemon.call("list containers", daemon.api.containers, all=True, filters={"label": wanted}):
        _remove(daemon, each["Id"])


def _remove(daemon: Daemon, name: str) -> None:
    try:
        daemon.call(f"remove the container {name!r}", daemon.api.remove_container, name, v=True, force=True)
    except NotFound:
        pass


def _owner(name: str) -> str:
    """Whose it is: a container that a restore is making belongs to the one that it replaces."""
    return name.partition(_OURS)[0]


def _own_volumes(box: Inspected) -> dict[str, str]:
    """Volumes that the image declares: something else in their place keeps the Engine from making and filling them."""
    return dict.fromkeys((box.raw.get("Config") or {}).get("Volumes") or {}, "")
