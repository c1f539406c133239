"""Containers that a command is told of: ``--container [PART=]NAME``, which adds them to the timeline's sources."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from takeback.cli.people import Line
from takeback.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from takeback.cli.call import Call
    from takeback.engine.timeline import Timeline
    from takeback.model.snapshot import Part, Snapshot
    from takeback.sources.container.source import Container

F = TypeVar("F", bound=Callable[..., Any])

PART = "container"


def option(command: F) -> F:
    """The option, for a command whose parameter is ``containers``."""
    return click.option(
        "--container",
        "containers",
        multiple=True,
        metavar="[PART=]NAME",
        shell_complete=_names,
        help="A Docker container, too: its files, volumes and settings. May be given several times.",
    )(command)


def add(call: Call, line: Timeline, given: Sequence[str], *, wider: bool = False) -> None:
    """Have containers at hand. InvalidInput if the latest snapshot has another one as that part."""
    parts = [_parsed(each) for each in given]
    for part, _ in parts:
        if [each for each, _ in parts].count(part) > 1 or part in line.sources:
            raise InvalidInput(
                f"two parts are called {part!r}", hints=["name the parts: --container web=NAME --container db=NAME"]
            )
    latest = _latest(line) if parts else None
    for part, name in parts:
        source = _container(call, name, part, wider=wider)
        _check_same(source, latest.parts.get(part) if latest is not None else None)
        line.add(source)


def check(call: Call, given: Sequence[str]) -> None:
    """NotFound or Unavailable if a container that was named cannot be looked at."""
    for each in given:
        part, name = _parsed(each)
        _container(call, name, part).look()


def of_snapshot(call: Call, line: Timeline, snapshot: Snapshot, given: Sequence[str], *, wider: bool = False) -> str:
    """The part of a snapshot that is to become another container; its source is at hand then."""
    found = [name for name, part in snapshot.parts.items() if part.kind == PART]
    wanted = [_parsed(each)[0] for each in given] or found
    if len(wanted) != 1:
        raise InvalidInput(
            "the snapshot holds no container" if not wanted else f"--as names one container, not {len(wanted)}",
            hints=["`takeback show REF` lists the parts"] + [f"add --container {each}=NAME" for each in wanted[:3]],
        )
    part = snapshot.parts.get(wanted[0])
    if part is None or part.kind != PART:
        raise NotFound(f"snapshot {snapshot.id[:8]} has no container {wanted[0]!r}")
    if wanted[0] not in line.sources:
        line.add(_container(call, _called(part) or wanted[0], wanted[0], wider=wider))
    return wanted[0]


def about(part: Part) -> str:
    """What is known of a container's part, in words."""
    facts = [_called(part)] if _called(part) else []
    if isinstance(strategy := part.detail.get("strategy"), str):
        facts.append(f"read with the strategy {strategy}")
    image = part.detail.get("image")
    if isinstance(image, dict) and isinstance(image.get("tag"), str):
        facts.append(f"image {image['tag']}")
    return f": {', '.join(facts)}" if facts else ""


def lines(snapshot: Snapshot, names: Sequence[str]) -> Iterator[Line]:
    """What a save says of the containers that it looked at."""
    for name, part in snapshot.parts.items():
        if part.kind == PART and name in names:
            yield [("container" if name == PART else f"container {name}", "quiet"), about(part)]


def inside(call: Call, line: Timeline, path: str, boxed: bool) -> str:
    """A path as it was typed: of the root, or, where there is a container and it is not inside the root, of that."""
    if boxed and (not line.root or (os.path.isabs(path) and not _is_below(line.root, path))):
        return path
    return call.inside(line.root, path)


def part_with(line: Timeline, snapshot: Snapshot, path: str) -> str:
    """The part of a snapshot that a path is of; InvalidInput if it may be one of several containers."""
    if not is_inside_one(line, snapshot.id, path):
        return "workspace"
    found = [name for name, part in snapshot.parts.items() if part.kind == PART]
    if len(found) > 1:
        raise InvalidInput(
            f"{path!r} may be in any of {len(found)} containers",
            hints=[f"`takeback show {snapshot.id[:8]} --part {each} {path}`" for each in found],
        )
    return found[0]


def is_inside_one(line: Timeline, reference: str, path: str) -> bool:
    """Whether a path can only be one of a container that a snapshot holds."""
    if not os.path.isabs(path) or _is_below(line.root, path):
        return False
    try:
        return any(part.kind == PART for part in line.show(reference).parts.values())
    except NotFound:
        return False


def _is_below(root: str, path: str) -> bool:
    return bool(root) and f"{os.path.normpath(path)}/".startswith(root.rstrip("/") + "/")


def copy(name: str, env: Sequence[str], port: Sequence[str], same_volumes: bool) -> object:
    """Where a restore with ``--as`` goes."""
    import takeback

    return takeback.Container.copy(
        name,
        environment=dict(_variable(each) for each in env),
        ports=dict(_port(each) for each in port),
        volumes="same" if same_volumes else "new",
    )


def _parsed(given: str) -> tuple[str, str]:
    part, equals, name = given.partition("=")
    part, name = (part, name) if equals else (PART, given)
    if not part.strip() or not name.strip():
        raise InvalidInput(f"--container {given!r} names no container", hints=["--container NAME, or PART=NAME"])
    return part, name


def _variable(given: str) -> tuple[str, str]:
    name, equals, value = given.partition("=")
    if not name:
        raise InvalidInput(f"--env {given!r} sets no variable", hints=["--env NAME=VALUE, or --env NAME"])
    if not equals:
        if name not in os.environ:
            raise InvalidInput(f"--env {name}: there is no such variable here", hints=["--env NAME=VALUE"])
        value = os.environ[name]
    return name, value


def _port(given: str) -> tuple[str, int]:
    host, colon, inside = given.partition(":")
    if not colon or not host.isdecimal() or not inside.partition("/")[0].isdecimal() or int(host) > 65535:
        raise InvalidInput(f"--port {given!r} is no port", hints=["--port HOST:CONTAINER, such as 8081:80"])
    return inside if "/" in inside else f"{inside}/tcp", int(host)


def _container(call: Call, name: str, part: str, *, wider: bool = False) -> Container:
    import takeback

    source = takeback.Container(name, name=part, allow_wider=wider)
    call.closing(source.daemon)
    return source


def _latest(line: Timeline) -> Snapshot | None:
    return line.show("@") if line.head is not None else None


def _check_same(source: Container, part: Part | None) -> None:
    if part is None:
        return
    if part.kind != PART:
        raise InvalidInput(
            f"the part {source.name!r} of this timeline is no container", hints=["--container PART=NAME"]
        )
    known = _called(part)
    if known and known != source.container:
        raise InvalidInput(
            f"the part {source.name!r} of this timeline is the container {known!r}, not {source.container!r}",
            hints=[
                f"--container {known}, or a part of its own: --container {source.container}={source.container}",
                "another timeline has other containers: --timeline NAME",
            ],
        )


def _called(part: Part) -> str:
    name = part.detail.get("container")
    return name if isinstance(name, str) else ""


def _names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What Docker has; whatever goes wrong is silent."""
    part, equals, begun = incomplete.partition("=")
    front, begun = (f"{part}=", begun) if equals else ("", incomplete)
    try:
        from takeback.sources.container.daemon import Daemon

        daemon = Daemon()
        known = [name for box in daemon.api.containers(all=True) for name in box.get("Names") or ()]
        daemon.close()
    except Exception:  # a completion that fails must not disturb who types
        return []
    return [CompletionItem(front + name.lstrip("/")) for name in known if name.lstrip("/").startswith(begun)]
