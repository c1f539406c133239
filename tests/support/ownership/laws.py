"""The laws, as questions to what a command of a person did to a directory in which agents work, too. Each is a function that
raises `Broken`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from support.ownership.deed import CONFLICT, DONE, NOTHING, Broken, Deed, holds, listed, paths_of, require
from support.ownership.evidence import (
    effects_in_place,
    excuse,
    follows,
    in_stretch,
    in_window,
    is_certain,
    is_claimed,
    is_directory,
    is_never_captured,
    is_ordinary,
    is_own,
    own_paths,
    stands_below_ignored,
)
from support.ownership.ledger import PERSON, TAKEBACK, Entry, Tree, differing, lines_in, without_directories
from support.trees import Node

Read = Callable[[str, str], bytes]
"""The bytes of a path in a snapshot."""

_DIRECTORY = Node("dir", 0, b"")


# what holds for every command


def it_reports_what_it_changed(deed: Deed) -> None:
    altered = without_directories(differing(deed.before, deed.after), deed.before, deed.after)
    if not deed.worked:
        require(not altered, "changed without success", f"exit {deed.code}, and yet {listed(altered)} changed")
        return
    told = without_directories({*deed.paths("changed"), *deed.paths("merged")}, deed.before, deed.after)
    require(told == altered, "reported changes", f"said {listed(told)}, but {listed(altered)} changed")
    left = deed.paths("kept") | deed.paths("conflicts")
    both = {path for path in left & altered if deed.before.get(path, _DIRECTORY).kind != "dir"}
    require(not both, "left alone or changed", f"{listed(both)}: said to be left alone, and changed")


def the_present_is_in_the_safety_snapshot(deed: Deed, read: Read) -> None:
    if not deed.worked:
        return
    for path in sorted(differing(deed.before, deed.after)):
        node = deed.before.get(path)
        if node is None or node.kind == "dir":
            continue
        safety = str(deed.said["safety"] or "")
        try:
            held = read(safety, path)
        except Exception as error:
            raise Broken("saved first", f"{path} was changed, and is not in the safety snapshot: {error}") from error
        require(held == node.data, "saved first", f"{path} was changed, and is otherwise in the safety snapshot")


def it_does_what_it_showed(deed: Deed) -> None:
    if deed.worked and deed.verb == "undo" and not deed.is_shared and "error" not in deed.planned:
        shown = without_directories(paths_of(deed.planned.get("changed")), deed.before, deed.after)
        done = without_directories(deed.paths("changed"), deed.before, deed.after)
        require(shown == done, "dry run", f"showed {listed(shown)}, and changed {listed(done)}")


def what_is_undecided_is_brought_back_or_left(deed: Deed) -> None:
    if not deed.worked:
        return
    for path in sorted(deed.paths("brought_back")):
        holds = path not in deed.before and path in deed.after
        require(holds, "brought back", f"{path} is said to be brought back, and was there or is not")
    for path in sorted(deed.paths("shared") | (deed.paths("undecided") - deed.paths("brought_back"))):
        steps = {entry.step for entry in deed.ledger.of(path) if deed.took_entry(entry)}
        several = len(steps) > 1 or any(entry.step not in steps for entry in deed.ledger.of(path))
        holds = deed.is_shared or several or deed.before.get(path) == deed.after.get(path)
        require(holds, "undecided", f"{path} is undecided, and was changed")


def what_was_to_be_kept_is_kept(deed: Deed) -> None:
    for option, path in pairwise(deed.arguments):
        if option == "--keep":
            require(deed.before.get(path) == deed.after.get(path), "--keep", f"{path} was changed")


def the_exit_code_says_what_was_left(deed: Deed) -> None:
    if not deed.worked:
        return
    conflicts, left = deed.paths("conflicts"), deed.paths("shared")
    undecided = deed.paths("undecided") - deed.paths("brought_back") - deed.paths("kept")
    require(bool(conflicts) == (deed.code == CONFLICT), "exit code", f"{deed.code} with conflicts {listed(conflicts)}")
    if left or (undecided and not deed.is_shared):
        require(deed.code != DONE, "exit code", f"0, though {listed(left | undecided)} is left undecided")
    if "undecided" in deed.said:
        require(left <= deed.paths("undecided"), "undecided", f"{listed(left)} is left in no group")


# undo


def nothing_of_others_is_lost(deed: Deed) -> None:
    """Every line that stood there, and that is not the moves' own, stands there still."""
    if not deed.worked or deed.is_of_person:
        return
    here, there = lines_in(deed.before), lines_in(deed.after)
    for line, paths in here.items():
        author = deed.ledger.authors.get(line)
        if author is None or line in there or (author.call is not None and is_own(deed, author.call)):
            continue
        protected = [path for path in paths if (path, line) not in deed.ledger.copies]
        excuses = [excuse(deed, path, line) for path in protected]
        if protected and not any(excuses):
            is_beside = author.who.startswith("run-") or any(move.level == "run" for move in deed.moves)
            law = "beside a run" if author.who != PERSON and is_beside else "somebody's work"
            raise Broken(law, f"“{line}” stood in {listed(protected)}, and is gone")
        deed.excuses.update(each for each in excuses[:1] if each)


def only_what_the_moves_touched_changes(deed: Deed) -> None:
    if not deed.worked or deed.is_of_person or deed.verb != "undo":
        return
    listed = deed.paths("while_running")
    for path in sorted(without_directories(differing(deed.before, deed.after), deed.before, deed.after)):
        entries = list(deed.ledger.of(path))
        if any(deed.took_entry(entry) for entry in entries) or follows(deed, path):
            continue
        was_absent = path not in deed.before
        if was_absent and path in deed.paths("brought_back"):
            continue
        carried = (entry for origin in deed.ledger.former_names(path) for entry in deed.ledger.of(origin))
        if path in listed and any(in_stretch(deed, entry) for entry in (*entries, *carried)):
            deed.excuses["listed as changed while a command ran"] += 1
            continue
        if path in listed and was_absent and any(in_window(deed, entry) for entry in entries):
            deed.excuses["a deletion in the time of a call, brought back"] += 1
            continue
        if deed.is_shared and {path, *deed.ledger.origins(path)} & deed.was_undecided:
            continue
        raise Broken("somebody's path", f"{path} was changed, and no call that was taken back had touched it")


def what_was_named_changed_meanwhile(deed: Deed) -> None:
    """Each path that is listed as changed while a command ran was changed then."""
    for path in sorted(deed.paths("while_running")):
        entries = list(deed.ledger.of(path))
        carried = [entry for origin in deed.ledger.former_names(path) for entry in deed.ledger.of(origin)]
        if not entries or any(in_stretch(deed, entry) for entry in (*entries, *carried)):
            continue
        if any(in_window(deed, entry) and entry.after is None for entry in entries):
            continue  # of what is gone, the directory above tells the time
        raise Broken("named while running", f"{path} is listed, and nobody changed it while the command ran")


def the_moves_own_changes_are_gone(deed: Deed) -> None:
    """Each path that only the moves changed is as it was before them, or the command says that it is not."""
    if deed.verb != "undo" or not deed.worked or deed.is_of_person or not deed.is_whole or deed.hushed:
        return
    for path, entries in own_paths(deed).items():
        node = entries[0].before
        if deed.after.get(path) == node:
            continue
        certain = not deed.pruned and all(is_certain(deed.ledger, entry) for entry in entries)
        theirs = {line for entry in entries for line in entry.added if _is_of_others(deed, line)}
        if certain and not (theirs and deed.mentions(path)):  # else it may be the only copy of somebody's
            raise Broken("certain", f"{path} is not as it was before the moves, though all is known of it")
        if not deed.mentions(path):
            raise Broken("left behind", f"{path} is not as it was before the moves, and nothing is said of it")
        if all(not entry.call.end for entry in entries if entry.call) and path not in deed.after:
            if not deed.paths("conflicts") & {path}:
                raise Broken("brought back", f"{path} is absent, and was not brought back")


def _is_of_others(deed: Deed, line: str) -> bool:
    author = deed.ledger.authors.get(line)
    return author is not None and (author.call is None or not is_own(deed, author.call))


def count_ordinary(deed: Deed) -> None:
    """Of what undisturbed calls did that nobody was asked about: how much was taken back, and how much left undecided."""
    if deed.verb != "undo" or not deed.worked or not deed.is_whole or deed.is_shared:
        return
    for path, entries in own_paths(deed).items():
        if all(is_ordinary(deed.ledger, entry) for entry in entries):
            taken = deed.after.get(path) == entries[0].before
            deed.excuses["ordinary paths taken back" if taken else "ordinary paths left"] += 1


def nothing_is_lost_silently(deed: Deed) -> None:
    """Each line that the moves took away is there again, or the command says that it is not."""
    if deed.verb != "undo" or not deed.worked or deed.is_of_person or not deed.is_whole or deed.hushed:
        return
    there = lines_in(deed.after)
    for line, author in deed.ledger.authors.items():
        if line in there or (author.call is not None and is_own(deed, author.call)):
            continue
        entry = deed.ledger.taken_away(line)
        if entry is None or not deed.took_entry(entry) or entry.call is author.call:
            continue
        if entry.path in deed.ledger.came_from.values() or not _was_there(deed, entry, line):
            continue
        if any(each.who == TAKEBACK and entry.number < each.number < deed.first for each in deed.ledger.of(entry.path)):
            continue  # a restore, or another undo, has dealt with it since
        if excuse(deed, entry.path, line) or stands_below_ignored(deed.after, entry.path):
            continue
        if entry.path in deed.paths("brought_back") and entry.after is None:
            raise Broken("brought back", f"{entry.path} was brought back without “{line}”, which stood there before")
        if not deed.mentions(entry.path, present=False):
            raise Broken("silent loss", f"“{line}” stood in {entry.path} before the moves, and nothing is said of it")


def _was_there(deed: Deed, taken_away: Entry, line: str) -> bool:
    """Whether a line stood somewhere when the moves began: what a person wrote in the middle of them, and an agent took
    away before anything was saved, no snapshot has ever seen; and what she wrote while a command ran counts as its own."""
    put = deed.ledger.put_there(taken_away.path, line)
    if put is None or put.number > taken_away.number:
        return True
    return put.step < taken_away.step and not in_stretch(deed, put)


def own_lines_go(deed: Deed) -> None:
    """Lines that the moves wrote are gone, or the command says that they are left."""
    if deed.verb != "undo" or not deed.worked or deed.is_of_person or not deed.is_whole or deed.hushed:
        return
    for line, paths in lines_in(deed.after).items():
        author = deed.ledger.authors.get(line)
        if author is None or author.call is None or not deed.took(author.call):
            continue
        for path in paths:
            put = deed.ledger.put_there(path, line)
            if put is None or not deed.took_entry(put) or is_never_captured(path, put.before, put.after):
                continue  # somebody else has brought it there since
            if is_claimed(deed, path, put):
                continue
            if not deed.mentions(path) and not any(deed.mentions(each) for each in _places(deed, line)):
                raise Broken("left behind", f"“{line}” of the moves still stands in {path}, and nothing is said of it")


def _places(deed: Deed, line: str) -> set[str]:
    return {entry.path for entry in deed.ledger.entries if line in entry.added}


def the_newest_effect_goes(deed: Deed) -> None:
    """Plain undo takes the newest move of an agent that still has an effect."""
    if deed.verb != "undo" or deed.pruned or deed.hushed:
        return
    if deed.words and not (deed.words[0] == "--session" and len(deed.words) == 2):
        return
    session = deed.words[1] if deed.words else None
    effects = [(entry, move) for entry, move in effects_in_place(deed) if session in (None, move.session)]
    if not effects:
        return
    entry, newest = effects[0]
    what = f"{entry.path} is still as {newest.session} left it in “{newest.title}”"
    if deed.code == NOTHING:
        raise Broken("plain undo", f"nothing to undo, though {what}")
    if deed.code == CONFLICT and deed.mentions(entry.path):
        return  # to give the old name back, or to remove the new one, would cost somebody's work: it says so
    if not deed.worked:
        newer = [move for move in deed.known if move.opened_ns > newest.opened_ns and move.undone_by is None]
        closed = newest.closed_ns or 1 << 62
        inner = [move for move in newer if move.session == newest.session and move.opened_ns <= closed]
        if all(move in inner or move.verb in ("undo", "redo") for move in newer):
            raise Broken("plain undo", f"took nothing, though {what}: {deed.said}")
        return
    if any(move.id == newest.id for move in deed.moves):
        return
    if any(move.verb == "restore" for move in deed.moves):
        return
    later = [call for call in deed.taken if call.answered_ns > entry.ended_ns]
    if any(not call.end or deed.paths("while_running") for call in later):
        return  # its agent acts last: it is at work, or what a person did meanwhile counts as its doing
    if any(move.level == "manual" for move in deed.moves):
        raise Broken("plain undo", f"took what a person did after a save, though {what}")
    older = all(move.opened_ns < newest.opened_ns for move in deed.moves)
    numbers = [each.number for each in deed.ledger.entries if deed.took_entry(each)]
    first = min(each.number for each in deed.ledger.entries if each.call is not None and holds(newest, each.call))
    if older and numbers and max(numbers) < first:
        raise Broken("plain undo", f"took an older move, though {what}")


def since_takes_all(deed: Deed) -> None:
    """What nobody but agents ever changed is as it was at first."""
    if deed.words != ("--since", "root") or deed.pruned or deed.hushed or deed.is_of_person:
        return
    if not deed.worked and deed.code != NOTHING:
        return
    paths: dict[str, list[Entry]] = {}
    for entry in deed.ledger.entries[: deed.first]:
        paths.setdefault(entry.path, []).append(entry)
    for path, entries in paths.items():
        nodes = [node for entry in entries for node in (entry.before, entry.after)]
        if is_never_captured(path, *nodes) or is_directory(*nodes):
            continue
        known = all(entry.is_undo or is_certain(deed.ledger, entry) for entry in entries)
        if known and deed.after.get(path) != entries[0].before:
            raise Broken("--since root", f"exit {deed.code}, and {path} is not as it was before all agents' work")


def a_save_is_where_undo_leads(deed: Deed) -> None:
    """Where no agent works, undo leads back to what was saved last."""
    if deed.verb != "undo" or deed.saved is None or deed.words or deed.code not in (DONE, NOTHING):
        return
    differs = {
        path
        for path in without_directories(differing(deed.saved, deed.after), deed.saved, deed.after)
        if not is_never_captured(path, deed.saved.get(path), deed.before.get(path))
    }
    require(not differs, "manual", f"exit {deed.code}, and {listed(differs)} is not as it was saved")


# redo and restore


def redo_is_exact(deed: Deed, original: Tree) -> None:
    """Redo at once after an undo."""
    require(deed.worked, "redo", f"exit {deed.code}: {deed.said}")
    differs = differing(original, deed.after)
    require(not differs, "redo", f"{listed(differs)} is not as it was before the undo")


def what_was_written_since_stays(deed: Deed, since: int) -> None:
    """Redo leaves what a person wrote after the undo."""
    if not deed.worked or deed.verb != "redo":
        return
    there = lines_in(deed.after)
    for line, paths in lines_in(deed.before).items():
        author = deed.ledger.authors.get(line)
        if author is None or author.who != PERSON or line in there:
            continue
        put = [deed.ledger.put_there(path, line) for path in paths]
        is_new = any(each is not None and each.number >= since and each.who != TAKEBACK for each in put)
        if is_new:
            raise Broken("redo", f"“{line}” stood in {listed(paths)} and was written after the undo; it is gone")
