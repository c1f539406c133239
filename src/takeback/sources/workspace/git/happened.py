"""What git's log of HEAD says happened between two moments, in words: commits gained, and what else moved HEAD."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from takeback.model.plan import Outside
from takeback.sources.workspace.git import Head, Repository, reflog
from takeback.sources.workspace.git.reflog import Entry

_SECOND = 1_000_000_000
_COMMITS = {"commit": "commit", "cherry-pick": "cherry-pick", "revert": "revert", "am": "commit"}
_MOVES = ("merge", "pull", "reset")
_LONG = 160


class Span(NamedTuple):
    """Two moments, and where HEAD was at each; a commit that is None is unknown, or there was none yet."""

    opened: Head
    closed: Head
    since_ns: int
    until_ns: int


def happened(repository: Repository, spans: Sequence[Span]) -> list[Outside]:
    """What moved HEAD, oldest first and each once; a sentence about the two ends where there is no log."""
    log = reflog.read(repository.git_dir)
    told: list[Outside] = []
    known: set[int] = set()
    for span in sorted(spans, key=lambda span: span.since_ns):
        before, after = span.opened.commit, span.closed.commit
        found = reflog.between(log, before, after, span.since_ns // _SECOND, span.until_ns // _SECOND)
        told += _told([log[at] for at in found if at not in known], span.opened.branch)
        known |= set(found)
        if not found and before and after and before != after:
            told.append(Outside("commit", f"git's HEAD went from {before[:10]} to {after[:10]}", span.until_ns))
    return told


def way_back(spans: Iterable[Span], now: Head) -> str:
    """How a person makes a branch what it was, where that is simple; nothing where it is not."""
    ordered = sorted(spans, key=lambda span: span.since_ns)
    before, after = ordered[0].opened, ordered[-1].closed
    if not before.commit or not now.branch or now.commit == before.commit or now.commit != after.commit:
        return ""
    if any(span.opened.branch != now.branch for span in ordered):
        return ""
    if any(a.closed.commit != b.opened.commit for a, b in pairwise(ordered)):
        return ""  # what somebody else committed in between would go, too
    return (
        f"`git reset {before.commit[:10]}` makes {now.branch} what it was before, and leaves the files as they are; "
        "once it is pushed, commit the files as they are now instead"
    )


def _told(entries: Iterable[Entry], branch: str | None) -> Iterator[Outside]:
    for rebasing, some in groupby(entries, _is_rebase):
        if rebasing:
            group = list(some)
            yield from _rebase(group, branch)
            branch = _returned(group) or branch
            continue
        for entry in some:
            what = _one(entry, branch)
            if what is not None:
                yield what
            branch = _branch_after(entry, branch)


def _one(entry: Entry, branch: str | None) -> Outside | None:
    head, _, rest = entry.message.partition(": ")
    verb, _, detail = head.partition(" ")
    when, old, new = entry.time_s * _SECOND, entry.old[:10], entry.new[:10]
    where = f" on {branch}" if branch else ""
    if verb in _COMMITS:
        if "amend" in detail:
            return Outside("amend", _line(f"{old} became {new}{where}: {rest}"), when)
        kind = "merge" if "merge" in detail else _COMMITS[verb]
        return Outside(kind, _line(f"{new}{where}: {rest}"), when)
    if verb == "checkout":
        return Outside("checkout", _line(rest.removeprefix("moving ") or f"from {old} to {new}"), when)
    if entry.old == entry.new:
        return None  # the index or a branch's name, as a reset to HEAD itself
    kind = verb if verb in _MOVES else "git"
    about = detail if verb == "merge" and detail else rest or entry.message
    return Outside(kind, _line(f"{branch or 'HEAD'} went from {old} to {new} ({about})"), when)


def _is_rebase(entry: Entry) -> bool:
    return re.match(r"rebase\b|pull [^:]*\((?:start|pick|finish|continue|abort)\)", entry.message) is not None


def _rebase(group: list[Entry], branch: str | None) -> Iterator[Outside]:
    old, new = group[0].old, group[-1].new
    if old == new:
        return  # it was given up, or had nothing to do
    picked = sum(
        1 for entry in group if re.match(r"[^:]*\((?:pick|reword|edit|squash|fixup|continue|merge)\)", entry.message)
    )
    about = f"{picked} commit{'' if picked == 1 else 's'} written anew, " if picked else ""
    yield Outside("rebase", f"{branch or 'HEAD'}: {about}{old[:10]} became {new[:10]}", group[-1].time_s * _SECOND)


def _returned(group: list[Entry]) -> str | None:
    """The branch that a rebase came back to."""
    found = re.search(r"returning to refs/heads/(\S+)", group[-1].message)
    return found[1] if found else None


def _branch_after(entry: Entry, branch: str | None) -> str | None:
    moved = re.fullmatch(r"checkout: moving from \S+ to (\S+)", entry.message)
    if moved is not None:
        return None if re.fullmatch(r"[0-9a-f]{7,64}|.*[~^@:].*|HEAD|FETCH_HEAD", moved[1]) else moved[1]
    renamed = re.fullmatch(r"Branch: renamed refs/heads/\S+ to refs/heads/(\S+)", entry.message)
    return renamed[1] if renamed is not None else branch


def _line(text: str) -> str:
    printable = "".join(char if char.isprintable() else " " for char in text)
    return printable if len(printable) <= _LONG else f"{printable[: _LONG - 1]}…"
