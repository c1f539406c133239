"""The Docker engine, spoken to through its API; every failure is one of ours, with what to do about it."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from takeback.errors import Conflict, InvalidInput, NotFound, TakebackError, Unavailable

if TYPE_CHECKING:
    from docker import APIClient

T = TypeVar("T")

_TIMEOUT = 300
_SOCKET = "unix:///var/run/docker.sock"
_FULL = ("no space left on device", "disk quota exceeded")
_START = (
    "start Docker: `sudo systemctl start docker`, or Docker Desktop; DOCKER_HOST names another engine",
    "everything else works without it",
)


@dataclass(frozen=True, slots=True)
class Mount:
    """Something that is mounted into a container."""

    type: str
    """``volume``, ``bind``, ``tmpfs`` or ``npipe``."""
    destination: str
    name: str = ""
    """A volume's."""
    source: str = ""
    """Where it lies on the engine's machine."""
    driver: str = ""
    writable: bool = True
    anonymous: bool = False
    """A volume that the engine gave a name, because nobody else did."""

    @property
    def area(self) -> str:
        """Where it stands in a part."""
        if self.type == "bind":
            return f"binds/{escaped(self.destination)}"
        return f"volumes/{'at' + escaped(self.destination) if self.anonymous else escaped(self.name)}"


def escaped(path: str) -> str:
    """A path as one name."""
    return path.replace("%", "%25").replace("/", "%2F")


@dataclass(frozen=True, slots=True)
class Inspected:
    """A container as the engine describes it."""

    raw: Mapping[str, Any] = field(repr=False)

    @property
    def id(self) -> str:
        return str(self.raw["Id"])

    @property
    def name(self) -> str:
        return str(self.raw["Name"]).lstrip("/")

    @property
    def image(self) -> str:
        """The id of the image that it was made from."""
        return str(self.raw["Image"])

    @property
    def running(self) -> bool:
        """Whether it has processes, paused or not."""
        return bool(self.raw["State"].get("Running"))

    @property
    def paused(self) -> bool:
        return bool(self.raw["State"].get("Paused"))

    def unpaused(self) -> Inspected:
        """The same, as it is when nobody pauses it."""
        state = {**self.raw["State"], "Paused": False}
        return Inspected({**self.raw, "State": {**state, "Status": "running"} if self.paused else state})

    @property
    def upper(self) -> str | None:
        """The directory, on the engine's machine, of what differs from the image; None if the engine does not say."""
        data = (self.raw.get("GraphDriver") or {}).get("Data") or {}
        found = data.get("UpperDir")
        return found if isinstance(found, str) and found else None


class Daemon:
    """One engine. Connects when it is first asked something, and again in a forked child."""

    def __init__(self, client: APIClient | None = None) -> None:
        self.given = client
        self._client = client
        self._process = os.getpid()

    @property
    def api(self) -> APIClient:
        """The engine's own client; what it raises is to go through `call` or `speaking`."""
        if self._client is None or self._process != os.getpid():
            self._client = client = _connect(self.given)
            self._process = os.getpid()
            weakref.finalize(self, client.close)
        return self._client

    def close(self) -> None:
        """Give the connection up; the next question makes another. A client that was given stays its owner's."""
        if self._client is not None and self._client is not self.given and self._process == os.getpid():
            self._client.close()
            self._client = None

    @property
    def address(self) -> str:
        """What tells this engine from others on the same machine."""
        if self.given is not None:
            socket = getattr(getattr(self.given, "_custom_adapter", None), "socket_path", "")
            return f"unix://{socket}" if socket else str(self.given.base_url)
        try:
            return str(_docker().utils.kwargs_from_env().get("base_url") or _SOCKET)
        except Unavailable:  # who speaks to it is told
            return _SOCKET

    def call(self, doing: str, what: Callable[..., T], *args: Any, **options: Any) -> T:
        """Ask the engine something; ``doing`` is what a message says that failed."""
        with self.speaking(doing):
            return what(*args, **options)

    @contextmanager
    def speaking(self, doing: str) -> Iterator[None]:
        """Whatever the engine's client raises in here is raised as one of ours."""
        try:
            yield
        except TakebackError:
            raise
        except Exception as error:
            ours = _ours(error, doing)
            if ours is None:
                raise
            raise ours from error

    def inspect(self, name: str) -> Inspected:
        """A container by name or id; NotFound if there is none."""
        with self.speaking(f"look at the container {name!r}"):
            return Inspected(self.api.inspect_container(name))

    def find(self, name: str) -> Inspected | None:
        """The same; None if there is none."""
        try:
            return self.inspect(name)
        except NotFound:
            return None

    def named(self, beginning: str) -> list[Inspected]:
        """Every container, running or not, whose name begins so."""
        with self.speaking("list containers"):
            listed = self.api.containers(all=True, filters={"name": f"^/{_literally(beginning)}"})
        found = (self.find(each["Id"]) for each in listed)
        return [each for each in found if each is not None and each.name.startswith(beginning)]


def _literally(text: str) -> str:
    """A name as a regular expression of the engine's: names hold letters, digits, and ``_.-``."""
    return text.replace(".", r"\.")


def _docker() -> Any:
    try:
        import docker
    except ImportError as error:
        raise Unavailable(
            "containers need the docker package, which is not installed", hints=["pip install 'takeback[docker]'"]
        ) from error
    return docker


def _connect(given: APIClient | None) -> APIClient:
    docker = _docker()
    try:
        if given is not None:
            return docker.APIClient(base_url=given.base_url, version=given.api_version, timeout=given.timeout)
        return docker.APIClient(**docker.utils.kwargs_from_env(), version="auto", timeout=_TIMEOUT)
    except Exception as error:
        raise _ours(error, "reach Docker") or Unavailable(f"cannot reach Docker: {error}", hints=_START) from error


def _ours(error: Exception, doing: str) -> TakebackError | None:
    """An error of the engine or its client as one of ours; None for one that is neither's."""
    import requests
    from docker import errors
    from urllib3.exceptions import HTTPError

    said = str(getattr(error, "explanation", None) or error).strip()
    if any(full in said.lower() for full in _FULL):
        return Unavailable(f"cannot {doing}: {said}", hints=["make room on the disk of the Docker engine"])
    if isinstance(error, errors.NotFound):
        return NotFound(f"cannot {doing}: {said}", hints=["`docker ps --all` lists containers"])
    if isinstance(error, errors.APIError):
        status = error.status_code
        if status == 409:
            return Conflict(f"cannot {doing}: {said}")
        if status == 400:
            return InvalidInput(f"cannot {doing}: {said}")
        return Unavailable(f"cannot {doing}: {said}", hints=["what the engine's own log says may help"])
    if _is_refused(error):
        return Unavailable(
            f"cannot {doing}: this user may not talk to Docker",
            hints=["`sudo usermod -aG docker $USER` and a new login, or act as root", *_START[1:]],
        )
    if isinstance(error, requests.RequestException | HTTPError | errors.DockerException | ConnectionError):
        return Unavailable(f"cannot {doing}: Docker does not answer ({_reason(error)})", hints=_START)
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error, and what is inside it: the client wraps an OSError several times."""
    seen: set[int] = set()
    todo: list[BaseException] = [error]
    while todo:
        each = todo.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        inner = (each.__cause__, each.__context__, getattr(each, "reason", None), *each.args)
        todo += [one for one in inner if isinstance(one, BaseException)]


def _is_refused(error: BaseException) -> bool:
    return any(isinstance(each, PermissionError) for each in _causes(error))


def _reason(error: BaseException) -> str:
    for each in _causes(error):
        if isinstance(each, OSError) and each.strerror:
            return each.strerror
    return str(error)[:200]
