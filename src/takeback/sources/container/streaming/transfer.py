"""Archives from and to the Engine, as streams: the only place that speaks about them to the Engine's client.

The client's own `get_archive` leaves its connection open when it is not read to its end, and the Engine then waits for a
reader that never comes.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

from takeback.errors import NotFound
from takeback.model.jsontext import parse_json
from takeback.model.tree import name_bytes
from takeback.sources.container.daemon import Daemon

_PIECE = 1 << 20


@contextmanager
def archived(daemon: Daemon, container: str, path: str, doing: str) -> Iterator[Iterator[bytes]]:
    """What the Engine archives of a path in a container, piece by piece; whatever is not read is never sent."""
    with daemon.speaking(doing):
        response = daemon.api.get(
            _address(daemon, container),
            params={"path": name_bytes(path)},
            headers={"Accept-Encoding": "identity"},  # otherwise the Engine takes eight times as long to compress it
            stream=True,
            timeout=daemon.api.timeout,
        )
    try:
        with daemon.speaking(doing):
            _check(response)
        yield _pieces(daemon, doing, response)
    finally:
        response.close()


def _pieces(daemon: Daemon, doing: str, response: Any) -> Iterator[bytes]:
    with daemon.speaking(doing):
        yield from response.iter_content(_PIECE)


def unpack(daemon: Daemon, container: str, pieces: Iterable[bytes], doing: str, *, replacing: bool = False) -> None:
    """Have the Engine unpack an archive into the root of a container. What ``pieces`` raises is raised.

    A directory that stands where a file is to come, or a file where a directory is, is an error unless it is ``replacing``.

    Only there: for the other names of a file, the Engine looks for the first one below the root to give it its mode again,
    which giving it an owner has taken away.
    """
    with daemon.speaking(doing):
        response = daemon.api.put(
            _address(daemon, container),
            params={"path": "/", "noOverwriteDirNonDir": "false" if replacing else "true"},
            data=iter(pieces),
            timeout=daemon.api.timeout,
        )
        _check(response)


def mode_at(daemon: Daemon, container: str, path: str) -> int | None:
    """The mode of what is at a path, as Go writes it; None if nothing is, or if the Engine cannot say."""
    try:
        with daemon.speaking(f"look at {path} of the container {container[:12]!r}"):
            response = daemon.api.head(
                _address(daemon, container), params={"path": name_bytes(path)}, timeout=daemon.api.timeout
            )
            _check(response)
        said = parse_json(base64.b64decode(response.headers["X-Docker-Container-Path-Stat"]), "an answer of the engine")
        return int(said["mode"])
    except (NotFound, KeyError, TypeError, ValueError, binascii.Error):
        return None


def _address(daemon: Daemon, container: str) -> str:
    return f"{daemon.api.base_url}/v{daemon.api.api_version}/containers/{quote(container, safe='')}/archive"


def _check(response: Any) -> None:
    from docker.errors import create_api_error_from_http_exception
    from requests import HTTPError

    try:
        response.raise_for_status()
    except HTTPError as error:
        create_api_error_from_http_exception(error)
