"""What a person can do where an undo could not: commands that can be typed as they stand."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence

from takeback.engine.attribution import OwnedStep
from takeback.engine.line import Line, Present
from takeback.engine.naming import naming
from takeback.model.ids import short
from takeback.model.kinds import NAMED
from takeback.model.move import Move
from takeback.model.plan import Kept, Plan
from takeback.store.catalogue import moves as move_rows

_FEW = 3
"""So many paths are spelt out in a hint."""


def instead(line: Line, plan: Plan, targets: Sequence[Move]) -> tuple[str, ...]:
    """What else could be done, where nothing of a move can be taken back."""
    hints = []
    if plan.shared:
        which = f" {short(targets[0].id)}" if len(targets) == 1 else ""
        hints.append(f"`takeback undo{which} --shared` takes back what may be somebody else's, too")
    if len(targets) == 1 and (older := _older(line, targets[0])) is not None:
        hints.append(f"`takeback undo {short(older.id)}` takes back the next older move")
    return tuple(hints)


def of_values(parts: Sequence[str], steps: Sequence[OwnedStep]) -> Iterator[str]:
    """How a person makes values what they were, where that is in conflict with what came since."""
    if parts:
        back = f"takeback restore {short(steps[-1].before.id)} --only {','.join(parts)}"
        yield f"`{back}` makes it as it was; what is there now is saved first"


def of_paths(line: Line, present: Present, conflicts: Sequence[Kept], steps: Sequence[OwnedStep]) -> tuple[str, ...]:
    """How a person looks at both sides of a conflict, and takes the old one."""
    if not conflicts:
        return ()
    before = steps[-1].before
    named = [_typed(_root_of(line, item.part), item.path) for item in conflicts if item.path.isprintable()]
    paths = " ".join(named) if 0 < len(named) <= _FEW else "PATH"
    options = _at_hand(line, present) if any(present.parts[item.part].kind in NAMED for item in conflicts) else ""
    return (
        f"`takeback diff {short(before.id)}{options} -- {paths}` shows what it was before the move and is now",
        f"`takeback restore {short(before.id)} {paths}{options}` makes it as it was; what is there now is saved first",
    )


def _root_of(line: Line, part: str) -> str:
    source = line.sources.get(part)
    return source.root if source is not None and source.root else line.root


def _at_hand(line: Line, present: Present) -> str:
    """The options of all that is at hand beside files, with a space before each."""
    parts = (present.parts[name] for name in line.sources if name in present.parts)
    return "".join(f" {option}" for option in dict.fromkeys(map(naming, parts)) if option)


def _typed(root: str, path: str) -> str:
    """A path as it can be typed where this process stands."""
    try:
        here = os.getcwd()
    except FileNotFoundError:
        here = ""
    return shlex.quote(path if here == root else os.path.join(root, path))


def _older(line: Line, move: Move) -> Move | None:
    with line.blobs.database.read() as tx:
        every = move_rows.effective(tx, line.row(tx).number, (move.level,), verbs=("restore",))
        return next((each for each in every if each.opening_seq < move.opening_seq), None)
