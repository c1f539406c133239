"""How much work a run does: the sizes that the targets are meant for by default, smaller ones with --quick, more with --full."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    name: str
    small: int = 10_000
    """Files of the small tree."""
    large: int = 50_000
    """Files of the large tree."""
    small_captures: int = 3
    large_captures: int = 1
    turns: int = 11
    """Rounds of a measured turn."""
    undos: int = 5
    restores: int = 2
    history: int = 1_000
    """Turns after which the bytes are counted."""
    history_files: int = 500
    restic_history: int = 50
    """restic takes long for each backup, so it is compared after fewer turns."""
    snapshots: int = 10_000
    """In the store whose log and undo are compared with those of a store of 100."""
    faces: int = 100_000
    """Snapshots of the history whose first screen is compared with that of 100."""
    messages: int = 20_000
    """Of the session that is rolled back."""
    rollbacks: int = 21
    agent_steps: tuple[int, ...] = (200, 800)
    """Of a LangGraph agent whose checkpoints are kept."""
    container_files: int = 1024
    """Of a mebibyte each, in a container."""
    container_snapshots: int = 20
    """Of it, after the first."""
    team_tasks: int = 10_000
    """Of a team; it has five times as many events."""
    team_snapshots: int = 50
    together_tasks: int = 1_000
    """Of the team that is saved together with files, a container and memory."""
    together_mebibytes: int = 64
    """In that container."""


DEFAULT = Scale("default")
QUICK = Scale(
    "quick",
    small=1_000,
    large=5_000,
    small_captures=2,
    turns=5,
    undos=3,
    restores=1,
    history=100,
    history_files=200,
    restic_history=20,
    snapshots=1_000,
    rollbacks=7,
    agent_steps=(200,),
    container_files=64,
    container_snapshots=5,
    team_tasks=1_000,
    team_snapshots=10,
    faces=10_000,
    messages=5_000,
    together_tasks=200,
    together_mebibytes=16,
)
FULL = Scale("full", large_captures=3, turns=21, undos=9, restores=5, restic_history=1_000, snapshots=100_000)
