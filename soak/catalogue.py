"""The campaigns: what each tries, where its tests are, how long it takes, and how many runs a full record has at least.

A campaign's tests name it with ``@pytest.mark.campaign``; ``tests`` only spares pytest from reading the others. ``seconds`` is the time of
one campaign beside another one on a machine with two cores.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Campaign:
    """Tests that repeat one thing for confidence."""

    name: str
    section: str
    """The table of docs/reliability.md that shows it."""
    what: str
    tests: tuple[str, ...]
    seconds: int
    runs: int
    """At least so many belong to a full record."""


def _crash(operation: str, what: str, runs: int) -> Campaign:
    """Every fault at every point of an operation; a run takes about a tenth of a second."""
    return Campaign(f"crash-{operation}", "crash", what, ("tests/crash/test_operations.py",), max(20, runs // 10), runs)


CAMPAIGNS: tuple[Campaign, ...] = (
    _crash("save-new-store", "A first save, which makes the store.", 747),
    _crash("save-hot", "A small save, kept in the catalogue.", 355),
    _crash("save-packed", "A large save, kept in a pack.", 511),
    _crash("save-finishes-an-undo", "A save that first ends the interrupted undo of another process.", 775),
    _crash("turn", "The start and the end of a turn.", 566),
    _crash("hook-before-a-tool", "A hook before a tool.", 368),
    _crash("hook-end-of-a-turn", "A hook at the end of a turn.", 317),
    _crash("restore", "A restore in place.", 784),
    _crash("restore-elsewhere", "A restore into another directory.", 403),
    _crash("undo", "An undo.", 820),
    _crash("undo-sealed-directories", "An undo below directories that forbid writing.", 659),
    _crash("redo", "A redo.", 848),
    _crash("fork", "A fork into another directory.", 678),
    _crash("drop", "A drop of a snapshot.", 280),
    _crash("prune", "Retention.", 280),
    _crash("maintain", "Upkeep: folding, sweeping, tidying.", 1363),
    _crash("purge", "A purge of a secret.", 1899),
    _crash("export", "An export into a file.", 138),
    _crash("import", "An import from a file.", 472),
    _crash("push", "A push into another store.", 956),
    _crash("relocate", "A relocation of a project.", 136),
    _crash("repair-torn-pack", "A repair of a store with a torn pack.", 842),
    _crash("repair-no-catalogue", "A repair of a store without its catalogue.", 1192),
    Campaign(
        "crash-hook-answer",
        "crash",
        "A hook's work fails at every write; the agent is answered with 0.",
        ("tests/crash/test_hooks.py",),
        30,
        200,
    ),
    Campaign(
        "crash-placing",
        "crash",
        "A process is killed while it puts files into directories that forbid writing.",
        ("tests/crash/test_placing.py",),
        5,
        90,
    ),
    Campaign(
        "locks-killed",
        "crash",
        "A process is killed while it holds locks of containers and teams.",
        ("tests/engine/test_journal_of_locks.py",),
        11,
        160,
    ),
    Campaign(
        "relocate-killed", "crash", "A relocation is killed at each step.", ("tests/engine/test_relocate.py",), 5, 110
    ),
    Campaign(
        "export-killed",
        "crash",
        "An export is killed at each step.",
        ("tests/engine/copying/test_interrupted.py",),
        5,
        20,
    ),
    Campaign(
        "import-killed",
        "crash",
        "An import is killed at each step.",
        ("tests/engine/copying/test_interrupted.py",),
        20,
        160,
    ),
    Campaign(
        "together-restore",
        "together",
        "A restore of four parts, with every failure at every step.",
        ("tests/engine/together/test_faults.py",),
        430,
        560,
    ),
    Campaign(
        "together-undo",
        "together",
        "An undo of four parts, with every failure at every step.",
        ("tests/engine/together/test_faults.py",),
        410,
        560,
    ),
    Campaign(
        "together-killed-restore",
        "together",
        "A restore of four parts, killed at every step.",
        ("tests/engine/together/test_faults.py",),
        140,
        150,
    ),
    Campaign(
        "together-killed-undo",
        "together",
        "An undo of four parts, killed at every step.",
        ("tests/engine/together/test_faults.py",),
        180,
        150,
    ),
    Campaign(
        "together-interrupted",
        "together",
        "A restore is killed after each part, and the engine is away meanwhile.",
        ("tests/engine/together/test_interrupted.py",),
        20,
        8,
    ),
    Campaign(
        "together-consistency",
        "together",
        "Snapshots of four parts beside a program that writes to all of them.",
        ("tests/engine/together/test_consistency.py",),
        840,
        2000,
    ),
    Campaign(
        "stateful-four",
        "histories",
        "Four parts: save, restore, undo and redo of all or some of them.",
        ("tests/stateful/test_four.py",),
        590,
        60,
    ),
    Campaign(
        "container-strategies",
        "containers",
        "Every other test of containers, with both ways to read one.",
        ("tests",),
        340,
        110,
    ),
    Campaign(
        "container-killed",
        "containers",
        "A restore is killed before and after each call of the engine.",
        ("tests/sources/container/live/test_killed.py",),
        140,
        95,
    ),
    Campaign(
        "container-faults",
        "containers",
        "The engine is restarted at its calls, with the stream at every third; its disk or ours is full.",
        ("tests/sources/container/live/test_failing_engine.py",),
        50,
        6,
    ),
    Campaign(
        "container-meddling",
        "containers",
        "Another program stops, removes or changes the container in the middle of a restore.",
        ("tests/sources/container/live/test_meddling.py",),
        110,
        50,
    ),
    Campaign(
        "container-cycles",
        "containers",
        "200 cycles of snapshot and restore leave the same container.",
        ("tests/sources/container/live/test_cycles.py",),
        480,
        400,
    ),
    Campaign(
        "crash-teams",
        "teams",
        "Every fault at every step of a restore of a team.",
        ("tests/crash/test_teams.py",),
        160,
        2000,
    ),
    Campaign(
        "team-consistency",
        "teams",
        "Snapshots of a team beside four processes of ClawTeam.",
        ("tests/sources/team/test_consistent.py",),
        680,
        10000,
    ),
    Campaign(
        "team-busy",
        "teams",
        "Restores of a team beside four processes that write: no letter is lost.",
        ("tests/sources/team/test_busy.py",),
        560,
        150,
    ),
    Campaign(
        "team-workspaces-killed",
        "teams",
        "A restore of a team with worktrees is killed at its steps.",
        ("tests/sources/team/test_workspaces_killed.py",),
        100,
        550,
    ),
    Campaign(
        "hooks-turns",
        "agents",
        "Made-up turns of each agent: forty workplaces with thirty turns each.",
        ("tests/adapters/hooks/test_turns.py", "tests/adapters/hooks/test_recorded.py"),
        1240,
        6500,
    ),
    Campaign(
        "agent-claude",
        "agents",
        "The whole suite of the real Claude Code.",
        (
            "tests/e2e",
            "tests/docs",
        ),
        170,
        19,
    ),
    Campaign(
        "agent-codex",
        "agents",
        "The whole suite of the real Codex.",
        (
            "tests/e2e",
            "tests/docs",
        ),
        90,
        16,
    ),
    Campaign(
        "agent-gemini",
        "agents",
        "The whole suite of the real Gemini CLI.",
        (
            "tests/e2e",
            "tests/docs",
        ),
        160,
        16,
    ),
    Campaign(
        "agent-opencode",
        "agents",
        "The whole suite of the real opencode.",
        (
            "tests/e2e",
            "tests/docs",
        ),
        130,
        9,
    ),
    Campaign(
        "power-cuts",
        "power-cuts",
        "The power is cut at hundreds of moments of a day's work, on each filesystem.",
        ("tests/crash/test_power_cut.py",),
        650,
        2300,
    ),
    Campaign(
        "crowd", "crowds", "Twelve processes on one store for two minutes.", ("tests/crash/test_crowd.py",), 370, 1
    ),
    Campaign(
        "shared-workspace",
        "crowds",
        "Two agents and a person in one directory for two minutes.",
        ("tests/crash/test_shared_workspace.py",),
        130,
        1,
    ),
    Campaign(
        "stateful-timeline",
        "histories",
        "A person and two agents in two timelines, some of them killed.",
        ("tests/stateful/test_timeline.py",),
        830,
        500,
    ),
    Campaign(
        "whose-change",
        "histories",
        "Two agents through their hooks, killed or stopped anywhere, and a person who edits at any time.",
        ("tests/stateful/test_whose_change.py",),
        1000,
        2000,
    ),
    Campaign(
        "stateful-choosing",
        "histories",
        "Undo and redo of chosen moves, paths and sessions.",
        ("tests/stateful/test_choosing.py",),
        1000,
        400,
    ),
    Campaign(
        "stateful-memory",
        "histories",
        "An agent's memory and a file, and another process that restores both.",
        ("tests/stateful/test_memory.py",),
        830,
        400,
    ),
    Campaign(
        "stateful-team",
        "histories",
        "A team: work, save, restore, undo and cleanup.",
        ("tests/stateful/test_team.py",),
        100,
        300,
    ),
    Campaign(
        "stateful-rollback",
        "histories",
        "The session rollback manager.",
        ("tests/stateful/test_rollback.py",),
        90,
        300,
    ),
    Campaign(
        "store-damage",
        "damage",
        "A bit is flipped, or the end is cut off, at many places of each file of a store.",
        ("tests/store/test_damage.py",),
        400,
        2400,
    ),
    Campaign("repair-killed", "damage", "A repair is killed at each step.", ("tests/engine/test_repair.py",), 19, 350),
    Campaign(
        "faulty-backend",
        "backend",
        "Generated orders of work and faults of the backend.",
        ("tests/conformance/test_faulty_backend.py",),
        280,
        1800,
    ),
    Campaign(
        "hostile-catalogue",
        "hostile",
        "Each wrong kind of value in each column of each table.",
        ("tests/hostile/test_catalogue.py",),
        230,
        13,
    ),
    Campaign(
        "fuzz-targets",
        "hostile",
        "Mutations of the seeds of each parser, and any bytes.",
        ("tests/fuzz/test_targets.py",),
        1240,
        260000,
    ),
    Campaign(
        "generated",
        "generated",
        "Every other test that Hypothesis drives, with all its examples.",
        ("tests",),
        50,
        11000,
    ),
    Campaign(
        "text-merges",
        "generated",
        "Merges of made-up texts, against real git, and against every way to apply both sides' changes.",
        ("tests/sources/workspace/test_text_merge.py",),
        200,
        55000,
    ),
    Campaign(
        "web-fuzz",
        "faces",
        "Any query and any body, to every address of the page.",
        ("tests/web/test_fuzz.py",),
        60,
        18000,
    ),
    Campaign("tui-chaos", "faces", "Random keys and sizes of the terminal.", ("tests/tui/test_chaos.py",), 60, 100),
    Campaign(
        "deep-values",
        "sizes",
        "Values thousands deep, and lists of a million elements, are captured and read back.",
        ("tests/documents/test_round_trips.py", "tests/documents/test_splitting.py"),
        30,
        13,
    ),
    Campaign(
        "large-workspaces",
        "sizes",
        "A file of 4 GiB and a tree of 200,000 files are saved in bounded memory.",
        (
            "tests/sources/workspace/test_memory.py",
            "tests/engine/copying/test_memory.py",
            "tests/store/test_processes.py",
        ),
        70,
        4,
    ),
)
