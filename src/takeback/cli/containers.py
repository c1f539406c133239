"""What is particular to containers among the sources that a command is told of (`takeback.cli.given`)."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from takeback.cli.named import offered, parsed
from takeback.engine.naming import name_of
from takeback.errors import InvalidInput, NotFound
from takeback.model.snapshot import RUNNING

if TYPE_CHECKING:
    from takeback.cli.call import Call
    from takeback.engine.timeline import Timeline
    from takeback.model.snapshot import Part, Snapshot
    from takeback.sources.container.source import Container

F = TypeVar("F", bound=Callable[..., Any])

KIND = "container"


def option(command: F) -> F:
    """The option, for a command whose parameter is ``containers``."""
    return click.option(
        f"--{KIND}",
        "containers",
        multiple=True,
        metavar="[PART=]NAME",
        shell_complete=_names,
        help="A Docker container, too: its files, volumes and settings. May be given several times.",
    )(command)


def source(call: Call, name: str, part: str, *, wider: bool = False) -> Container:
    import takeback

    found = takeback.Container(name, name=part, allow_wider=wider)
    call.closing(found.daemon)
    return found


def _meant(held: Mapping[str, str], part: str, name: str) -> str:
    """The part of a snapshot that somebody means; as which part a container was saved need not be said again."""
    called = [each for each, known in held.items() if known == name]
    return called[0] if part == KIND and part not in held and len(called) == 1 else part


def of_snapshot(call: Call, line: Timeline, snapshot: Snapshot, given: Sequence[str], *, wider: bool = False) -> str:
    """The part of a snapshot that is to become another container; its source is at hand then."""
    held = {name: name_of(part) for name, part in snapshot.parts.items() if part.kind == KIND}
    wanted = [_meant(held, *parsed(KIND, each)) for each in given] or list(held)
    if len(wanted) != 1:
        raise InvalidInput(
            "the snapshot holds no container" if not wanted else f"--as names one container, not {len(wanted)}",
            hints=["`takeback show REF` lists the parts"]
            + [f"add --container {shlex.quote(f'{each}={held.get(each) or each}')}" for each in wanted[:3]],
        )
    part = snapshot.parts.get(wanted[0])
    if part is None or part.kind != KIND:
        raise NotFound(f"snapshot {snapshot.id[:8]} has no container {wanted[0]!r}")
    if wanted[0] not in line.sources:
        line.add(source(call, name_of(part) or wanted[0], wanted[0], wider=wider))
    return wanted[0]


def about(part: Part) -> str:
    """What is known of a container's part, in words."""
    facts = [name] if (name := name_of(part)) else []
    if isinstance(strategy := part.detail.get("strategy"), str):
        facts.append(f"read with the strategy {strategy}")
    image = part.detail.get("image")
    if isinstance(image, dict) and isinstance(image.get("tag"), str):
        facts.append(f"image {image['tag']}")
    if any(item.reason == RUNNING for item in part.not_captured):
        facts.append("without what runs in it")
    return f": {', '.join(facts)}" if facts else ""


def copy(name: str, env: Sequence[str], port: Sequence[str], same_volumes: bool) -> object:
    """Where a restore with ``--as`` goes."""
    import takeback

    return takeback.Container.copy(
        name,
        environment=dict(_variable(each) for each in env),
        ports=dict(_port(each) for each in port),
        volumes="same" if same_volumes else "new",
    )


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


def _names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What Docker has."""

    def known() -> list[str]:
        from takeback.sources.container.daemon import Daemon

        daemon = Daemon()
        found = [name.lstrip("/") for box in daemon.api.containers(all=True) for name in box.get("Names") or ()]
        daemon.close()
        return found

    return offered(known, incomplete)
