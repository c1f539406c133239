"""What a text of ignore rules hides that another one did not, told by their lines.

A text hides no more than another if it lacks nothing but patterns that hide, and has nothing more than patterns that
re-include: whatever it leaves out, the other left out, too. Any other difference may hide something.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from takeback.model.line_diff.hunks import line_diff
from takeback.model.rule_change import RuleChange
from takeback.model.tree import name_text
from takeback.sources.workspace.ignore.judged import ABOVE, Key, digest, frame_digest, keyed, same_text
from takeback.sources.workspace.ignore.patterns import split_lines
from takeback.sources.workspace.ignore.record import Pair, RulesRecord
from takeback.sources.workspace.ignore.texts import DEFAULTS, GIT_EXCLUDE, GIT_GLOBAL, GIT_IGNORE


def hides_more(old: bytes, new: bytes) -> tuple[str, ...]:
    """The lines by which a text may hide more than an older one; a ``!`` pattern that is gone is among them."""
    before, after = split_lines(old), split_lines(new)
    found: list[bytes] = []
    for hunk in line_diff(before, after):
        found += (line for line in before[hunk.a : hunk.a_end] if line.startswith(b"!"))
        found += (line for line in after[hunk.b : hunk.b_end] if not line.startswith(b"!"))
    return tuple(map(name_text, found))


def hiding(old: RulesRecord, new: RulesRecord, agreed: Container[str] = ()) -> Iterator[RuleChange]:
    """The texts of rules by which more may be hidden than by those of another time."""
    before, after = keyed(old), keyed(new)
    for key in sorted({*before, *after}):
        then, now = before.get(key, b""), after.get(key, b"")
        if key[1] == DEFAULTS or same_text(then, now) or digest(key, now) in agreed:
            continue
        if lines := hides_more(then, now):
            yield RuleChange(_called(key), lines, digest(key, now), is_in_git=key[1] in (GIT_EXCLUDE, GIT_GLOBAL))
    if new.ignore_case and not old.ignore_case and (frame := frame_digest(new.prefix, True)) not in agreed:
        yield RuleChange("git's configuration", ("core.ignoreCase = true",), frame, is_in_git=True)


def unagreed(pair: Pair, agreed: Container[str]) -> Sequence[RuleChange]:
    """The texts that stood there and hid nothing, because nobody had agreed to them."""
    return () if pair.trusted is pair.rules else tuple(hiding(pair.trusted, pair.rules, agreed))


def _called(key: Key) -> str:
    """A text as a person knows it."""
    place, kind = key
    if kind == GIT_GLOBAL:
        return "git's global excludes"
    name = ".git/info/exclude" if kind == GIT_EXCLUDE else ".gitignore" if kind == GIT_IGNORE else ".takebackignore"
    if place.startswith(ABOVE):
        return f"{place.removeprefix(ABOVE)}{name} of the repository around"
    return f"{place}{name}"
