from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.agent import TEXT, World, with_line
from takeback.errors import InvalidInput, NotFound
from takeback.views.choices import Wanted, plan
from takeback.views.colouring import coloured
from takeback.views.counts import Counts, counts
from takeback.views.desk import Desk
from takeback.views.differences import differences
from takeback.views.sides import FileSides, effect_sides, file_sides, hunked, line_counts


def compared(world: World, desk: Desk, path: str, context: int = 3) -> FileSides:
    """A path of the start, compared with the present."""
    found = differences(desk, desk.here, str(world.line.show("root").id), None)
    return file_sides(desk, desk.here, found, "workspace", path, context)


def test_both_sides_of_a_change_with_what_differs_marked(world: World, desk: Desk) -> None:
    world.write("a.py", "def old(a):\n    return a + 1\n")
    first = world.line.save().id
    world.write("a.py", "def new(a):\n    return a + 1\n")
    second = world.line.save().id
    found = differences(desk, desk.here, first, second)
    sides = file_sides(desk, desk.here, found, "workspace", "a.py")
    assert (sides.status, sides.added, sides.removed, sides.note) == ("modified", 1, 1, "")
    (hunk,) = sides.hunks
    assert hunk.head == "@@ -1,2 +1,2 @@"
    changed, same = hunk.rows
    assert (changed.kind, changed.left_no, changed.right_no) == ("~", 1, 1)
    assert ("!f", "old") in changed.left and ("!f", "new") in changed.right
    assert ("k", "return") in same.left and same.left == same.right


def test_what_a_plan_does_to_a_path_is_from_what_is_there_now(world: World, desk: Desk) -> None:
    world.write("a.txt", TEXT)
    world.write("gone/b.txt", "b\n")
    world.turn("before", {"c.txt": "c\n"})
    world.turn("agent", {"a.txt": with_line(TEXT, 9, "agent"), "gone/b.txt": None, "c.txt": "other\n"})
    world.write("a.txt", "mine\n" + with_line(TEXT, 9, "agent"))
    world.remove("c.txt")
    planned = plan(desk, Wanted("undo"))
    merged = effect_sides(desk, 0, planned, "workspace", "a.txt")
    (hunk,) = merged.hunks
    (changed,) = (row for row in hunk.rows if row.kind != " ")
    assert ["".join(text for _, text in side) for side in (changed.left, changed.right)] == ["agent", "line 9"]
    made = effect_sides(desk, 0, planned, "workspace", "gone/b.txt")
    assert (made.added, made.removed, made.before_size) == (1, 0, None)
    with pytest.raises(NotFound):
        effect_sides(desk, 0, planned, "workspace", "nowhere")


def test_lines_are_counted_path_by_path(world: World, desk: Desk) -> None:
    first = world.line.save().id
    world.edit({"a.txt": "two\nthree\n", "b.bin": bytes(99)})
    found = differences(desk, desk.here, first, None)
    every = [(row.part, row.path) for row in found.files]
    assert dict(line_counts(desk, desk.here, found, every)) == {
        ("workspace", "a.txt"): (2, 1),
        ("workspace", "b.bin"): None,
    }


def test_of_what_cannot_be_read_before_it_is_saved_no_lines_are_told(
    world: World, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = world.line.save().id
    world.edit({"a.txt": "two\n", "b.bin": bytes(99)})
    found = differences(desk, desk.here, first, None)
    monkeypatch.setattr("takeback.views.sides._unseen", lambda line, part: "later")  # as of a container
    assert not dict(line_counts(desk, desk.here, found, [("workspace", "b.bin")]))


def test_the_present_is_read_from_the_world(world: World, desk: Desk) -> None:
    world.write("a.txt", "one\ntwo\n")
    sides = compared(world, desk, "a.txt")
    assert [(row.kind, row.right) for row in sides.hunks[0].rows] == [(" ", (("", "one"),)), ("+", (("", "two"),))]


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (b"\0\1\2", "no text: nothing → 3 B"),
        (b"", "it is empty"),
        (b"x" * ((1 << 20) + 1), "too large to compare by lines"),
    ],
)
def test_what_has_no_lines_says_why(world: World, desk: Desk, content: bytes, note: str) -> None:
    world.write("b.bin", content)
    sides = compared(world, desk, "b.bin")
    assert not sides.hunks and sides.note.startswith(note)


def test_a_mode_alone_is_said(world: World, desk: Desk) -> None:
    world.chmod("a.txt", 0o600)
    assert compared(world, desk, "a.txt").note == "mode 644 → 600"


def test_nothing_in_a_line_can_be_obeyed(world: World, desk: Desk) -> None:
    world.write("a.txt", b"one\n\x1b[31mred\x07\r\n\xff \xe2\x80\xae\n")
    texts = ["".join(text for _, text in row.right) for row in compared(world, desk, "a.txt").hunks[0].rows]
    assert texts == ["one", "\\x1b[31mred\\x07␍", "\\xff \\u202e"]


def test_a_path_that_is_the_same_and_a_wrong_context_are_refused(world: World, desk: Desk) -> None:
    with pytest.raises(NotFound, match="same on both sides"):
        compared(world, desk, "a.txt")
    with pytest.raises(InvalidInput, match="number of lines"):
        compared(world, desk, "a.txt", context=-1)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = '\\u202e'\n", "x = '\u202e'\n"),
        ("␍\n", "\r\n"),
        ("\\x1b[31m\n", "\x1b[31m\n"),
    ],
)
def test_two_lines_that_differ_and_look_the_same_are_told_to_differ(
    world: World, desk: Desk, before: str, after: str
) -> None:
    world.write("a.txt", before)
    a = world.line.save().id
    world.write("a.txt", after)
    b = world.line.save().id
    found = file_sides(desk, desk.here, differences(desk, desk.here, a, b), "workspace", "a.txt")
    ((row,),) = (hunk.rows for hunk in found.hunks)
    assert row.kind == "~" and row.left == row.right and all(style.startswith("!") for style, _ in row.right)


def test_what_differs_far_in_a_long_line_is_shown(world: World, desk: Desk) -> None:
    world.write("a.txt", "x" * 50_000 + "old\n")
    a = world.line.save().id
    world.write("a.txt", "x" * 50_000 + "new\n")
    b = world.line.save().id
    found = file_sides(desk, desk.here, differences(desk, desk.here, a, b), "workspace", "a.txt")
    ((row,),) = (hunk.rows for hunk in found.hunks)
    assert [text[-4:] for ((_, text),) in (row.left, row.right)] == ["xold", "xnew"]


LINES = st.lists(st.sampled_from(["a", "b", "", "def f():", "    return 1", "x" * 30]), max_size=30)


@given(LINES, LINES, st.integers(0, 4))
def test_the_rows_make_both_sides_again(before: list[str], after: list[str], context: int) -> None:
    hunks = list(hunked(before, after, "x.py", context))
    old, new = list(before), list(after)
    for hunk in hunks:
        for row in hunk.rows:
            if row.left_no is not None:
                assert "".join(text for _, text in row.left) == before[row.left_no - 1]
            if row.right_no is not None:
                assert "".join(text for _, text in row.right) == after[row.right_no - 1]
    gone = {row.left_no for hunk in hunks for row in hunk.rows if row.kind in "-~"}
    come = {row.right_no for hunk in hunks for row in hunk.rows if row.kind in "+~"}
    assert [line for number, line in enumerate(old, 1) if number not in gone] == [
        line for number, line in enumerate(new, 1) if number not in come
    ]


@given(
    st.lists(st.text(st.characters(blacklist_characters="\n\r")), max_size=8),
    st.sampled_from(["a.py", "a.ts", "a.html", "Makefile", "a.md", "a"]),
)
def test_colours_change_no_text(lines: list[str], path: str) -> None:
    assert ["".join(text for _, text in line) for line in coloured(lines, path)] == lines


def test_what_keeps_a_lexer_busy_is_shown_without_colours() -> None:
    lines = ["["] * 100_000  # hours, for the lexer of Markdown
    assert coloured(lines, "README.md") == [(("", "["),)] * 100_000


def test_counts_of_a_step_and_of_the_present(world: World, desk: Desk) -> None:
    first = world.line.head
    world.write("a.txt", "two\n")
    world.write("b.txt", "b\nb\n")
    assert counts(desk, desk.here, first, None) == Counts(2, 3, 1, {"workspace": 2})
    second = world.line.save().id
    assert counts(desk, desk.here, first, second) == Counts(2, 3, 1, {"workspace": 2})
    assert counts(desk, desk.here, second, None).nothing
    assert counts(desk, desk.here, None, first).added is None


def test_too_much_is_not_counted_by_lines(world: World, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("takeback.views.counts._MOST_FILES", 1)
    world.write("b", "1\n")
    world.write("c", "1\n")
    found = counts(desk, desk.here, world.line.head, None)
    assert (found.files, found.added, found.removed) == (2, None, None)
