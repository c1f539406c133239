"""Containers for one test, and what is left of it: everything that a test makes carries the test's own word in its name, so
that tests which share an engine can tell their things apart, also those that takeback made for them."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tarfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import docker
from docker.errors import NotFound
from docker.utils.socket import frames_iter

from support.containers.image import IMAGE

PATIENCE = 60.0
_NSENTER = shutil.which("nsenter") or "nsenter"
_NAMESPACES = ("--mount", "--uts", "--ipc", "--net", "--pid")


@dataclass(frozen=True, order=True)
class Thing:
    """Something in an engine: a container, an image, a volume or a network."""

    kind: str
    name: str
    """An image's tag, or its id if it has none; of all others their name."""
    state: str = field(default="", compare=False)
    attached: bool = field(default=True, compare=False)
    """Whether it shows whose it is: by its name, or as an anonymous volume by the container that has it."""


class Engine:
    """A running engine: its address, and the SDK's client of it."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.client = docker.DockerClient(base_url=address, timeout=120)
        self.api = self.client.api

    def things(self) -> set[Thing]:
        """All that is there now."""
        return {*self._containers(), *self._images(), *self._volumes(), *self._networks()}

    def close(self) -> None:
        self.client.close()

    def _containers(self) -> Iterator[Thing]:
        for each in self.api.containers(all=True):
            whose = each["Labels"].get("takeback.for", "")
            for name in each["Names"]:
                yield Thing("container", f"{name.lstrip('/')} {whose}".strip(), each["State"])

    def _images(self) -> Iterator[Thing]:
        for each in self.api.images():
            tags = [tag for tag in each["RepoTags"] or [] if tag != "<none>:<none>"]
            for tag in tags or [each["Id"]]:
                yield Thing("image", tag, attached=bool(tags))

    def _volumes(self) -> Iterator[Thing]:
        dangling = {each["Name"] for each in self.api.volumes(filters={"dangling": "true"})["Volumes"] or []}
        for each in self.api.volumes()["Volumes"] or []:
            name = each["Name"]
            yield Thing("volume", name, attached=not (name in dangling and _is_anonymous(name)))

    def _networks(self) -> Iterator[Thing]:
        for each in self.api.networks():
            yield Thing("network", each["Name"])


class Boxes:
    """Makes containers, volumes and networks whose names hold ``word``, and removes them."""

    def __init__(self, engine: Engine, word: str) -> None:
        self.engine, self.word = engine, word
        self._before = engine.things()
        self._made: list[Thing] = []

    def name(self, name: str) -> str:
        """The full name of something of this test's, which is removed in the end whether it is there or not."""
        return f"{self.word}-{name}"

    def run(self, name: str = "box", command: str | Sequence[str] | None = None, **options: Any) -> str:
        """A running container and its full name; ``options`` as for the SDK's ``containers.create``."""
        full = self.create(name, command, **options)
        self.engine.api.start(full)
        return full

    def create(self, name: str = "box", command: str | Sequence[str] | None = None, **options: Any) -> str:
        """One that does not run yet. It has a network only if it is given one, or ports. For any network, also ``none``, an
        engine starts its own program once more, which is half of the cost of starting a container."""
        if not options.keys() & {"network", "network_mode", "ports", "networking_config"}:
            options |= {"network_mode": "none", "network_disabled": True}
        full = self.own("container", self.name(name))
        self.engine.client.containers.create(options.pop("image", IMAGE), command, name=full, **options)
        return full

    def volume(self, name: str = "data", **options: Any) -> str:
        full = self.own("volume", self.name(name))
        self.engine.client.volumes.create(full, **options)
        return full

    def network(self, name: str = "net", **options: Any) -> str:
        full = self.own("network", self.name(name))
        self.engine.client.networks.create(full, **options)
        return full

    def own(self, kind: str, full: str) -> str:
        """Have something removed in the end that takeback is to make: it is wanted, not left behind."""
        self._made.append(Thing(kind, full))
        return full

    def sh(self, container: str, script: str) -> str:
        """The output of a shell in a running container; it has to succeed. It enters the container's namespaces, which costs
        a tenth of `execute`; a process that it leaves behind is not paused with the container."""
        found = self.inspect(container)
        state, config = found["State"], found["Config"]
        assert state["Running"] and not state["Paused"], f"{container} is {state['Status']}"
        environment = {"HOME": "/root", "HOSTNAME": config["Hostname"], "PATH": "/bin"}
        environment |= dict(each.split("=", 1) for each in config["Env"] or ())
        done = subprocess.run(
            [
                _NSENTER,
                *_NAMESPACES,
                "--target",
                str(state["Pid"]),
                "sh",
                "-euc",
                f"cd '{config['WorkingDir'] or '/'}'\n{script}",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
        )
        assert done.returncode == 0, f"exit code {done.returncode}: {done.stdout.decode(errors='replace')}"
        return done.stdout.decode()

    def execute(self, container: str, script: str) -> str:
        """The same through the engine, as `docker exec` does it."""
        api = self.engine.api
        begin = "read -r _; exec </dev/null\n"  # only once somebody listens: an engine may lose what is said before
        id = api.exec_create(container, ["sh", "-euc", f"{begin}{script}"], stdin=True)["Id"]
        stream = api.exec_start(id, socket=True)
        try:
            stream._sock.sendall(b"\n")
            output = b"".join(piece for _, piece in frames_iter(stream, tty=False))
        finally:  # the SDK leaves that to the collector of garbage
            stream._response.close()
            stream.close()
        code = api.exec_inspect(id)["ExitCode"]
        assert code == 0, f"exit code {code}: {output.decode(errors='replace')}"
        return output.decode()

    def read(self, container: str, path: str) -> bytes:
        """A file of a container, past any process: on a busy machine an engine may lose what one says."""
        pieces, _ = self.engine.api.get_archive(container, path)
        with tarfile.open(fileobj=BytesIO(b"".join(pieces))) as archive:
            file = archive.extractfile(archive.getmembers()[0])
            assert file is not None, f"{path} is no file"
            return file.read()

    def inspect(self, container: str) -> dict[str, Any]:
        found: dict[str, Any] = self.engine.api.inspect_container(container)
        return found

    def state(self, container: str) -> str:
        """created, running, paused, restarting, exited or dead; "" if there is none of that name."""
        try:
            return str(self.inspect(container)["State"]["Status"])
        except NotFound:
            return ""

    def mine(self) -> set[Thing]:
        """What is there of this test's, made by it or for it."""
        return {thing for thing in self.engine.things() if self.word in thing.name}

    def remove_all(self) -> list[Thing]:
        """Remove what this test made; then what is left, if it is left for good, is a leak: returned, and removed too."""
        for thing in reversed(self._made):
            _remove(self.engine, thing)
        left = self._left()
        for thing in left:
            _remove(self.engine, thing)
        return left

    def _left(self) -> list[Thing]:
        """Others' nameless things come and go, and are waited for: what is left is what was there all the time."""
        deadline = time.monotonic() + PATIENCE
        new = self.engine.things() - self._before
        nameless = {thing for thing in new if not thing.attached}
        while True:
            named = {thing for thing in new if self.word in thing.name}
            if named or not nameless or time.monotonic() > deadline:
                return sorted(named or nameless)
            time.sleep(0.1)
            new = self.engine.things() - self._before
            nameless &= {thing for thing in new if not thing.attached}


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _remove(engine: Engine, thing: Thing) -> None:
    name = thing.name.partition(" ")[0]
    try:
        match thing.kind:
            case "container":
                engine.api.remove_container(name, v=True, force=True)
            case "image":
                engine.api.remove_image(name, force=True)
            case "volume":
                engine.api.remove_volume(name, force=True)
            case "network":
                engine.api.remove_network(name)
    except NotFound:
        pass


def _is_anonymous(volume: str) -> bool:
    return len(volume) == 64 and set(volume) <= set("0123456789abcdef")
