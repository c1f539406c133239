"""takeback show"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

import click

from takeback.cli import agent_files, shapes
from takeback.cli import given as beside
from takeback.cli.app import Command
from takeback.cli.call import Call
from takeback.cli.completing import references_or_paths
from takeback.cli.people import say
from takeback.errors import InvalidInput, NotFound
from takeback.model.diff import HIDDEN
from takeback.model.ids import short
from takeback.model.kinds import DOCUMENTS, NAMED
from takeback.model.sizes import format_size
from takeback.model.tree import DIRECTORY
from takeback.views import missed
from takeback.views.differing import container_lines, state_lines
from takeback.views.differing_team import team_lines
from takeback.views.lines import Line, table
from takeback.views.text import age, count

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline
    from takeback.model.diff import Diff
    from takeback.model.snapshot import Part, Snapshot

_MOST = 40
_SIGNS = {"added": ("+", "plus"), "deleted": ("-", "minus")}
_ENDS = {DIRECTORY: "/", HIDDEN: "  (the image has it, and it was deleted)"}


@click.command("show", cls=Command)
@click.argument("reference", metavar="REF[:PATH]|FILE", shell_complete=references_or_paths)
@click.argument("path", required=False)
@click.option(
    "--part", metavar="PART", help="What a part holds: the value of an agent's memory, or the files of a container."
)
@beside.options
@click.pass_obj
def command(call: Call, reference: str, path: str | None, part: str | None, given: beside.Given) -> None:
    """Show a snapshot, or a file as a snapshot has it.

    REF:PATH writes the file's bytes to stdout as they are; REF:DIR lists what is in a directory, and REF: everything.
    PATH is relative to the current directory; of a container, it is absolute as in there. FILE is an agent's snapshot file (.json.gz or .json.zst), of which the
    metadata is shown.

    For example:
      takeback show @
      takeback show "10m ago"
      takeback show 4f2a:src/app.py > app.py
      takeback show agent.json.gz
      takeback show @- --part memory
      takeback show @-:/etc/hosts
      takeback show @- --part container /etc/hosts
    """
    if part is not None:
        _show_part(call, call.line(), reference, part, path)
        return
    if path is not None:
        raise InvalidInput("PATH is for a part: --part container", hints=["REF:PATH is a file of the workspace"])
    if (file := agent_files.named(call, reference)) is not None:
        _show_agent(call, file)
        return
    try:
        line = call.line()
        given.add(call, line)
        snapshot, path = _resolve(call, line, reference)
    except NotFound as error:
        raise agent_files.missing(call, reference) or error from None
    if path is not None:
        _show_path(call, line, snapshot, path, beside.part_with(line, snapshot, path))
        return
    step = line.step(snapshot)
    if call.json:
        shapes.print_json(shapes.shown(snapshot, step))
        return
    say(*_lines(snapshot, step))


def _show_part(call: Call, line: Timeline, reference: str, part: str, path: str | None) -> None:
    snapshot = line.show(reference)
    held = snapshot.parts.get(part)
    if held is not None and held.kind in NAMED:
        _show_path(call, line, snapshot, path or "", part)
    elif path is not None:
        raise InvalidInput(f"the part {part!r} has no paths", hints=[f"`takeback show {reference} --part {part}`"])
    else:
        _show_value(call, line, reference, part)


def _show_value(call: Call, line: Timeline, reference: str, part: str) -> None:
    from takeback.documents import showing

    snapshot = line.show(reference)
    value = line.value(snapshot, part, unknown="record")
    if call.json:
        shapes.print_json({"id": snapshot.id, "part": part, "value": showing.as_json(value)})
        return
    for text in showing.lines(value):
        say(text)


def _show_agent(call: Call, file: str) -> None:
    from takeback.adapters.persist import layout

    metadata = layout.read_metadata(file)
    if call.json:
        shapes.print_json(agent_files.shape(file, metadata))
        return
    say(*agent_files.lines(metadata))


def _lines(snapshot: Snapshot, step: Diff | None) -> Iterator[Line]:
    files = [] if step is None else [change for change in step.files if not change.is_directory]
    yield [("snapshot ", "quiet"), (snapshot.id, "id")]
    facts: list[Line] = [
        [("timeline", "quiet"), f"{snapshot.timeline} of {snapshot.root}".removesuffix(" of ")],
        [("made", "quiet"), f"{snapshot.time:%Y-%m-%d %H:%M:%S} UTC, {age(snapshot.time_ns)}, by {snapshot.trigger}"],
        [("after", "quiet"), (short(snapshot.parent), "id") if snapshot.parent else "nothing: it is the first"],
    ]
    if snapshot.labels or snapshot.pinned:
        labels = ", ".join(snapshot.labels)
        facts.append([("labels", "quiet"), (labels + (" (pinned)" if snapshot.pinned else ""), "label")])
    git = snapshot.context.get("git")
    if isinstance(git, dict) and git.get("commit"):
        branch = f" on {git['branch']}" if git.get("branch") else ""
        facts.append([("git", "quiet"), f"{str(git['commit'])[:10]}{branch}"])
    facts += [[("part", "quiet"), _about(part)] for name, part in snapshot.parts.items() if name not in snapshot.missed]
    yield from table(facts, indent=2)
    yield from missed.lines(snapshot.missed)
    if files:
        yield [(f"{count(len(files), 'file')} changed since {short(snapshot.parent or '')}", "head")]
        for change in files[:_MOST]:
            sign, style = _SIGNS.get(change.status, ("~", "name"))
            yield ["  ", (sign, style), " ", change.path]
        if len(files) > _MOST:
            yield [(f"  … and {len(files) - _MOST:,} more; --json lists them all", "quiet")]
    if step is not None and step.container:
        yield from container_lines(step.container, _MOST)
    if step is not None and step.teams:
        yield from team_lines(step.teams, step.team, _MOST)
    if step is not None and step.state:
        yield from state_lines(step.state, _MOST)
    if left := [said for _, said in missed.left_out(snapshot)]:
        yield [("not captured, and never touched by a restore", "warn")]
        yield from ([f"  {said}"] for said in left)


def _about(part: Part) -> str:
    """A part in words."""
    agent, session = part.detail.get("agent"), part.detail.get("session")
    of = f" of {agent}, session {session}" if isinstance(agent, str) and isinstance(session, str) else ""
    known = _about_value(part) if part.kind in DOCUMENTS else beside.about(part)
    return f"{part.name} ({part.kind}){of}{known}"


def _about_value(part: Part) -> str:
    """What is known of a value without looking into it."""
    if part.purged:
        return ": it held something that was purged"
    kind, size, holes = part.detail.get("type"), part.detail.get("size"), len(part.not_captured)
    facts = [
        *([kind.removeprefix("builtins:")] if isinstance(kind, str) else []),
        *([format_size(size)] if type(size) is int else []),
        *([f"{count(holes, 'thing')} in it not captured"] if holes else []),
        *(["pending: its owner puts it in place when it saves next"] if part.pending else []),
    ]
    return f": {', '.join(facts)}" if facts else ""


def _resolve(call: Call, line: Timeline, reference: str) -> tuple[Snapshot, str | None]:
    """The snapshot, and the path in it; a label may hold a colon."""
    name, colon, path = reference.partition(":")
    if not colon:
        return line.show(reference), None
    try:
        return line.show(reference), None
    except NotFound:
        snapshot = line.show(name or "@")
        others = beside.is_beside(line, snapshot.id, path)
        return snapshot, beside.inside(call, line, path, others) if path else ""


def _show_path(call: Call, line: Timeline, snapshot: Snapshot, path: str, part: str = "workspace") -> None:
    if path:
        pieces = line.stream(snapshot, path, part)
        try:
            first = next(pieces, b"")
        except InvalidInput:
            pass  # a directory
        except NotFound as error:
            raise NotFound(
                error.message, hints=[*error.hints, f"`{_listing(snapshot, part)}` lists what it holds"]
            ) from None
        else:
            _show_file(call, snapshot, path, chain((first,), pieces))
            return
    found = [(name, entry) for name, entry in line.files(snapshot, path, part) if name != path]
    if call.json:
        shapes.print_json(shapes.entries(snapshot.id, path, found))
        return
    say(*(name + _ENDS.get(entry.kind, "") for name, entry in found))


def _listing(snapshot: Snapshot, part: str) -> str:
    id = short(snapshot.id)
    return f"takeback show {id}:" if part == "workspace" else f"takeback show {id} --part {part}"


def _show_file(call: Call, snapshot: Snapshot, path: str, pieces: Iterator[bytes]) -> None:
    if call.json:
        data = b"".join(pieces)
        try:
            content, encoding = data.decode("utf-8"), "utf-8"
        except UnicodeDecodeError:
            from base64 import b64encode

            content, encoding = b64encode(data).decode("ascii"), "base64"
        shapes.print_json({"id": snapshot.id, "path": path, "encoding": encoding, "content": content})
        return
    out = getattr(sys.stdout, "buffer", None)
    if out is None:
        raise InvalidInput("stdout takes text only, so a file's bytes cannot be written to it")
    sys.stdout.flush()
    for piece in pieces:
        out.write(piece)
    out.flush()
