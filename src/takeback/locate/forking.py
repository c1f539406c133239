"""What is remembered of a fork's directory beside the store: which timeline is its own, and that the containers and teams
that its copy of the project's file names are, there, the fork's own copies (`takeback.locate.agreed`)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from takeback.locate import agreed

if TYPE_CHECKING:
    from takeback.engine.line import Line
    from takeback.sources.protocol import Source


CONTAINER, TEAM = "container", "team"


class Forks:
    """What `takeback.engine.line.Registers` asks for."""

    @property
    def directory(self) -> str:
        return os.path.join(agreed.state_directory(), "forks")

    def enter(self, origin: Line, fork: Line) -> None:
        """Whatever is agreed to for the origin, or was typed there, means the fork's own in the fork; what the fork is
        without is left out there."""
        if not fork.root:
            return
        known = agreed.read(origin.root) if origin.root else None
        sources: dict[str, dict[str, Any]] = {}
        for part, source in origin.sources.items():
            if source.kind in (CONTAINER, TEAM):
                key, options = _key(known, part, source)
                sources[key] = {**options, **_own(fork.sources[part])} if part in fork.sources else {}
        if any(source.kind == "worktree" for source in fork.sources.values()):
            for key, each in sources.items():
                if each and key.startswith(f"{TEAM} "):
                    each["workspaces"] = True
        policy = known.policy if known is not None else {}
        agreed.write(agreed.Agreed(fork.root, fork.name, sources, policy))

    def leave(self, root: str, name: str) -> None:
        known = agreed.read(root)
        if known is not None and known.timeline == name:
            agreed.forget(root)


def _key(known: agreed.Agreed | None, part: str, source: Source) -> tuple[str, dict[str, Any]]:
    """By what a source is known at the origin, and the options that were agreed to. In a fork of a fork, that is still the
    name in the project's file."""
    for key, options in (known.sources if known is not None else {}).items():
        if key.startswith(f"{source.kind} {part}="):
            return key, {name: value for name, value in options.items() if name not in ("name", "data_dir")}
    return f"{source.kind} {part}={_name(source)}", {}


def _own(source: Source) -> dict[str, Any]:
    place = {"data_dir": source.root} if source.kind == TEAM else {}
    return {"name": _name(source), **place}


def _name(source: Source) -> str:
    return str(getattr(source, source.kind))
