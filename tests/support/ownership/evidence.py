"""What the scripts prove of a change: whether it is certainly an agent's, and what may be lost all the same."""

from __future__ import annotations

from support.ownership.deed import Deed, holds
from support.ownership.ledger import PERSON, TAKEBACK, Entry, Ledger, Tree
from support.ownership.speech import NAMED, Call
from support.ownership.tree_ops import LIMIT
from support.trees import Node
from takeback.model.move import Move

SLACK_NS = 25_000_000
"""A change so near to the beginning or the end of a command may be taken for the command's."""

SURE_NS = 20_000_000
"""One that lies so far inside is certainly the command's."""


def is_ordinary(ledger: Ledger, entry: Entry) -> bool:
    """Whether a call went as calls mostly go: it was not asked about, it ended, and nobody else did anything meanwhile."""
    return entry.call is not None and not entry.call.asked and _is_alone(ledger, entry.call)


def is_certain(ledger: Ledger, entry: Entry) -> bool:
    """Whether the events of its call prove that an agent's change is an agent's."""
    call = entry.call
    if call is None or call.asked == "denied" or call.unsure or not _is_alone(ledger, call):
        return False
    if call.kind in NAMED:
        return entry.path == call.path and call.end == "ended"
    stretch = call.proved()
    return stretch is not None and entry.began_ns >= stretch[0] + SURE_NS


def _is_alone(ledger: Ledger, call: Call) -> bool:
    if call.kind == "background" or call.again or call.disturbed or not call.alone:
        return False
    if call.end not in ("ended", "failed"):
        return False
    return all(each.call is call for each in ledger.entries if call.opened_step <= each.step <= call.closed_step)


def is_never_captured(path: str, *nodes: Node | None) -> bool:
    """Whether a path may be in no snapshot, at one of its states at least."""
    if any(map(_is_ignored, path.split("/"))):
        return True
    return any(node is not None and len(node.data) > LIMIT for node in nodes)


def stands_below_ignored(tree: Tree, path: str) -> bool:
    """Whether a path is inside a directory that is ignored, and that still stands there."""
    names = path.split("/")
    first = next((number for number, name in enumerate(names[:-1]) if _is_ignored(name)), None)
    return first is not None and "/".join(names[: first + 1]) in tree


def _is_ignored(name: str) -> bool:
    return name in (".env", "build", ".git") or name.endswith(".log")


def is_directory(*nodes: Node | None) -> bool:
    return all(node is None or node.kind == "dir" for node in nodes)


def is_own(deed: Deed, call: Call) -> bool:
    """Whether a line of a call may go: the call is taken back, or was before."""
    return deed.took(call) or was_taken(deed, call)


def was_taken(deed: Deed, call: Call) -> bool:
    return any(holds(move, call) and move.undone_by is not None for move in deed.known)


def excuse(deed: Deed, path: str, line: str) -> str:
    """Why a line at a path may be lost all the same; empty if it may not."""
    put = deed.ledger.put_there(path, line)
    if deed.is_shared and {path, *deed.ledger.origins(path)} & deed.was_undecided:
        return "undecided, and taken with --shared"
    if put is not None and not deed.took_entry(put):
        carried = (deed.ledger.put_there(origin, line) for origin in deed.ledger.origins(path))
        places = [put, *(each for each in carried if each is not None and not deed.took_entry(each))]
        if put.who == TAKEBACK:  # a restore has brought it back
            places += [entry for entry in deed.ledger.of(path) if line in entry.added and not deed.took_entry(entry)]
    else:
        places = [entry for entry in deed.ledger.entries if line in entry.added and not deed.took_entry(entry)]
    if found := next((found for entry in places if (found := _excuse_at(deed, entry, path))), ""):
        return found
    hers = (entry for entry in deed.ledger.of(path) if entry.who == PERSON and in_stretch(deed, entry))
    last = next((entry for entry in reversed(deed.ledger.entries[: deed.first]) if entry.path == path), None)
    is_new = next(hers, None) is not None or (last is not None and last.who == TAKEBACK)
    return "listed, and written anew since it was moved there" if is_new and path in deed.paths("while_running") else ""


def _excuse_at(deed: Deed, put: Entry, path: str) -> str:
    """Why what a change has put at a path may be lost; it may be at another ``path`` since."""
    if {put.path, path} & deed.paths("while_running") and _ran_meanwhile(deed, put.path, put):
        return "listed as changed while a command ran"
    for entry in deed.ledger.of(put.path):
        call = entry.call
        if call is None or call is put.call or not call.end or not deed.took_entry(entry):
            continue
        if entry.step == put.step:
            return "on the command's own path, in the same step"
        if call.kind in NAMED and call.opened_step <= put.step <= call.closed_step:
            return "on the path that the tool named, in the time of its call"
    return ""


def _ran_meanwhile(deed: Deed, path: str, put: Entry) -> bool:
    """Whether a command that is taken back certainly ran when a path was changed last in the step of an entry."""
    if put.call is not None and put.call.end and not put.call.again:
        return False  # two commands at once: that is undecided
    same = [entry for entry in deed.ledger.of(path) if entry.step == put.step]
    return any(in_stretch(deed, entry) for entry in same)


def in_stretch(deed: Deed, entry: Entry) -> bool:
    for call in deed.taken:
        stretch = call.proved()
        if (
            stretch is not None
            and entry.ended_ns >= stretch[0] - SLACK_NS
            and entry.began_ns <= stretch[1] + SLACK_NS
            and call.opened_step <= entry.step <= call.closed_step
        ):
            return True
    return False


def in_window(deed: Deed, entry: Entry) -> bool:
    return any(call.opened_step <= entry.step <= call.closed_step for call in deed.taken)


def follows(deed: Deed, path: str) -> bool:
    """Whether a person, or a call that is not taken back, has moved there what one that is taken back had touched."""
    names = deed.ledger.former_names(path)
    return any(deed.took_entry(entry) for name in names for entry in deed.ledger.of(name))


def is_claimed(deed: Deed, path: str, entry: Entry) -> bool:
    """Whether a tool of others had named the path then."""
    others = (call for call in deed.calls if call.kind in NAMED and call.path == path and not deed.took(call))
    return any(call.opened_step <= entry.step <= call.closed_step for call in others)


def own_paths(deed: Deed) -> dict[str, list[Entry]]:
    """The paths that nobody but the moves' calls has touched since the moves first did, and their changes."""
    found: dict[str, list[Entry]] = {}
    strangers: set[str] = set()
    for entry in deed.ledger.entries[: deed.first]:
        if deed.took_entry(entry):
            found.setdefault(entry.path, []).append(entry)
        elif entry.path in found:
            strangers.add(entry.path)
    strangers |= {path for path, entries in found.items() if any(is_claimed(deed, path, entry) for entry in entries)}
    for entry in deed.ledger.entries:  # before the first, but in the same step or call
        first = found.get(entry.path, [entry])[0]
        if entry.number < first.number and (entry.step == first.step or in_window(deed, entry)):
            strangers.add(entry.path)
    return {
        path: entries
        for path, entries in found.items()
        if path not in strangers
        and not any(is_never_captured(path, entry.before, entry.after) for entry in entries)
        and any(each is not None and each.kind != "dir" for entry in entries for each in (entry.before, entry.after))
    }


def effects_in_place(deed: Deed) -> list[tuple[Entry, Move]]:
    """What agents' calls certainly changed, and nobody since, with the moves in which they did; newest first."""
    ledger = deed.ledger
    found: list[tuple[Entry, Move]] = []
    seen: set[str] = set()
    for entry in reversed(ledger.entries):
        call = entry.call
        if entry.path in seen or entry.number >= deed.first or entry.is_undo:
            continue
        if call is not None and was_taken(deed, call) and deed.before.get(entry.path) != entry.after:
            continue
        seen.add(entry.path)
        if call is None or deed.before.get(entry.path) != entry.after or not is_certain(ledger, entry):
            continue
        if is_never_captured(entry.path, entry.before, entry.after) or is_directory(entry.before, entry.after):
            continue
        moves = [move for move in deed.known if holds(move, call)]
        frames = [move for move in moves if move.level == "turn"] or moves
        stands = frames and (frames[0].undone_by is None or frames[0].undone_by in deed.partial)
        if stands and not _goes_round(ledger, entry, frames[0]):
            found.append((entry, frames[0]))
    return found


def _goes_round(ledger: Ledger, last: Entry, move: Move) -> bool:
    """Whether a move has led a path back to what it was before it."""
    first = next(each for each in ledger.of(last.path) if each.call is not None and holds(move, each.call))
    return first.before == last.after
