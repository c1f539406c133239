"""Sources beside the files that a command is told of: ``--container [PART=]NAME``, ``--team [PART=]NAME``, and with the
latter ``--with-workspaces``.

`options` gives a command these options, and the command a `Given`, which adds them to the timeline's sources. What is
particular to a kind is in `takeback.cli.containers` and `takeback.cli.teams`.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from takeback.cli import containers, teams
from takeback.cli.named import parsed
from takeback.engine.naming import name_of
from takeback.errors import InvalidInput, NotFound
from takeback.model.kinds import NAMED
from takeback.views.lines import Line
from takeback.views.text import visible

if TYPE_CHECKING:
    from takeback.cli.call import Call
    from takeback.engine.timeline import Timeline
    from takeback.model.snapshot import Part, Snapshot
    from takeback.sources.protocol import Source

F = TypeVar("F", bound=Callable[..., Any])

_ABOUT = {containers.KIND: containers.about, teams.KIND: teams.about, "worktree": teams.about_worktree}


@dataclass(frozen=True, slots=True)
class Given:
    """What a command was told to look at beside the files, as it was typed."""

    containers: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    data_dir: str | None = None
    """ClawTeam's, where the teams are."""
    with_workspaces: bool = False
    """What belongs to the members of the teams, too."""

    @property
    def typed(self) -> str:
        """The options again, as a shell takes them, with a space before each."""
        named = [*(("--container", each) for each in self.containers), *(("--team", each) for each in self.teams)]
        place = [("--data-dir", self.data_dir)] if self.data_dir is not None and self.teams else []
        members = [("--with-workspaces",)] if self.with_workspaces else []
        return "".join(f" {shlex.join(words)}" for words in (*named, *members, *place))

    def add(
        self, call: Call, line: Timeline, *, wider: bool = False, force: bool = False, merge: bool = False
    ) -> list[str]:
        """Have them at hand; what is left out of what belongs to members, and why, which is said if nobody reads JSON.
        InvalidInput if the latest snapshot has another one as that part."""
        every = [each for each in self._each() if not _is_there(line, *each, place=self._place(call))]
        _grant(line, wider=wider, force=force, merge=merge)
        for _, part, _ in every:
            if [each for _, each, _ in every].count(part) > 1 or part in line.sources:
                raise InvalidInput(f"two parts are called {part!r}", hints=[f"name the parts: {_named_apart(every)}"])
        latest = line.show("@") if every and line.head is not None else None
        for kind, part, name in every:
            source: Source
            if kind == containers.KIND:
                source = containers.source(call, name, part, wider=wider)
            else:
                source = teams.source(call, name, part, self.data_dir, force=force, merge=merge)
            _check_same(source, name, latest.parts.get(part) if latest is not None else None)
            line.add(source)
        if self.with_workspaces and not any(source.kind == teams.KIND for source in line.sources.values()):
            raise InvalidInput("--with-workspaces is for the members of a team", hints=["add --team TEAM"])
        return self._add_members(call, line) if self.with_workspaces else []

    def _place(self, call: Call) -> str:
        """Where the teams are that were named; empty if that was left to what is declared, or to ClawTeam."""
        if not self.teams or self.data_dir is None:
            return ""
        from takeback.locate.teams import data_directory

        return os.path.realpath(data_directory(teams.given_place(call, self.data_dir)))

    def _add_members(self, call: Call, line: Timeline) -> list[str]:
        from takeback.locate.members import add_members

        left_out = add_members(line)
        for each in left_out if not call.json else ():
            print(f"takeback: left out: {visible(each)}", file=sys.stderr)
        return left_out

    def check(self, call: Call, held: Collection[str] = ()) -> None:
        """NotFound or Unavailable if one that was named cannot be looked at. The parts that are ``held`` were there once, so
        those that are gone are no typing errors."""
        for kind, part, name in self._each():
            try:
                if kind == containers.KIND:
                    containers.source(call, name, part).look()
                else:
                    teams.source(call, name, part, self.data_dir).check_there()
            except NotFound:
                if part not in held:
                    raise

    def _each(self) -> Iterator[tuple[str, str, str]]:
        """Kind, part and name of each."""
        for kind, given in ((containers.KIND, self.containers), (teams.KIND, self.teams)):
            for each in given:
                yield kind, *parsed(kind, each)


def _is_there(line: Timeline, kind: str, part: str, name: str, *, place: str) -> bool:
    """Whether what was named is declared, and so at hand already; as which part it is declared need not be said again."""
    for source in line.sources.values():
        called = getattr(source, "given" if kind == containers.KIND else "team", "")
        if source.kind != kind or called != name or (place and source.root not in ("", place)):
            continue
        if part not in (source.name, kind):
            raise InvalidInput(
                f"the {kind} {name!r} is declared as the part {source.name!r}", hints=[f"leave --{kind} {name} out"]
            )
        return True
    return False


def _grant(line: Timeline, *, wider: bool, force: bool, merge: bool) -> None:
    """What a person allows holds for what is declared, too."""
    allowed = {containers.KIND: {"allow_wider": wider}, teams.KIND: {"force": force, "merge": merge}}
    for source in line.sources.values():
        for name, given in allowed.get(source.kind, {}).items():
            if given and hasattr(source, name):
                setattr(source, name, True)


def options(command: F) -> F:
    """The options, for a command whose parameter is ``given``."""

    @wraps(command)
    def with_given(
        *arguments: Any,
        containers: tuple[str, ...],
        teams: tuple[str, ...],
        data_dir: str | None,
        with_workspaces: bool,
        **more: Any,
    ) -> Any:
        return command(*arguments, given=Given(containers, teams, data_dir, with_workspaces), **more)

    return containers.option(teams.option(with_given))  # type: ignore[return-value]


def about(part: Part) -> str:
    """What is known of such a part, in words; empty for any other."""
    return _ABOUT[part.kind](part) if part.kind in _ABOUT else ""


def lines(snapshot: Snapshot, names: Sequence[str]) -> Iterator[Line]:
    """What a save says of those that it looked at."""
    for name, part in snapshot.parts.items():
        if part.kind in NAMED and name in names and name not in snapshot.missed:
            yield [(part.kind if name == part.kind else f"{part.kind} {name}", "quiet"), about(part)]


def inside(call: Call, line: Timeline, path: str, beside: bool) -> str:
    """A path as it was typed: of the root, or, where something is beside it and it is not inside the root, of that."""
    if beside and (not line.root or (os.path.isabs(path) and not _is_below(line.root, path))):
        return path
    return call.inside(line.root, path)


def holds(snapshot: Snapshot) -> bool:
    """Whether a snapshot has parts beside its files whose paths are absolute."""
    return any(part.kind in NAMED for part in snapshot.parts.values())


def part_with(line: Timeline, snapshot: Snapshot, path: str) -> str:
    """The part of a snapshot that a path is of; InvalidInput if it may be one of several."""
    from takeback.engine.paths import meant

    every = snapshot.parts.values()
    if not is_beside(line, snapshot.id, path):
        held = [part.name for part in every if part.kind in ("workspace", *NAMED)]
        return held[0] if len(held) == 1 else "workspace"
    found = [part.name for part in every if part.kind in NAMED and meant(part, [path], every)]
    if len(found) > 1:
        raise InvalidInput(
            f"{path!r} may be in any of {len(found)} parts",
            hints=[f"`takeback show {snapshot.id[:8]} --part {each} {path}`" for each in found],
        )
    return found[0] if found else "workspace"


def is_beside(line: Timeline, reference: str, path: str) -> bool:
    """Whether a path can only be one of something that a snapshot holds beside its files."""
    if not os.path.isabs(path) or _is_below(line.root, path):
        return False
    try:
        return holds(line.show(reference))
    except NotFound:
        return False


def _is_below(root: str, path: str) -> bool:
    return bool(root) and f"{os.path.normpath(path)}/".startswith(root.rstrip("/") + "/")


def _named_apart(every: Sequence[tuple[str, str, str]]) -> str:
    kinds = dict.fromkeys(kind for kind, _, _ in every)
    return " ".join(f"--{kind} {each}=NAME" for kind in kinds for each in ("one", "other"))


def _check_same(source: Source, name: str, part: Part | None) -> None:
    if part is None:
        return
    kind = source.kind
    if part.kind != kind:
        raise InvalidInput(f"the part {source.name!r} of this timeline is no {kind}", hints=[f"--{kind} PART=NAME"])
    known = name_of(part)
    if known and known != name:
        raise InvalidInput(
            f"the part {source.name!r} of this timeline is the {kind} {known!r}, not {name!r}",
            hints=[
                f"--{kind} {known}, or a part of its own: --{kind} {name}={name}",
                f"another timeline has other {kind}s: --timeline NAME",
            ],
        )
    if kind == teams.KIND:
        teams.check_place(source.root, part)
