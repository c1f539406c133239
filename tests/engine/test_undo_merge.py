"""Undo, path by path: as the move left it, as it was before the move, and as it is now."""

from __future__ import annotations

import os

import pytest

import takeback as tb
from support.agent import TEXT, World, with_line
from takeback.model.plan import Report


def conflicts(report: Report) -> set[str]:
    return {kept.path for kept in report.conflicts}


# nobody touched it since


def test_an_untouched_path_goes_back_in_content_mode_and_kind(world: World) -> None:
    world.edit({"content": "0", "mode": "0", "gone": "0", "kind": "0"})
    (world.root / "empty").mkdir(mode=0o750)
    world.link("link", "content")
    before = world.tree()

    def work() -> None:
        world.edit({"content": "1", "gone": None, "new/deep/file": "1", "kind": None})
        world.chmod("mode", 0o755)
        world.link("kind", "content")
        world.link("link", "elsewhere")
        (world.root / "empty").rmdir()

    world.turn("one", work)
    after = world.tree()
    report = world.undo()
    assert world.tree() == before
    assert not report.conflicts and not report.merged
    world.redo()
    assert world.tree() == after


def test_a_path_that_is_already_as_it_was_is_no_conflict(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    world.turn("one", {"a": "1", "b": "1"})
    world.write("a", "0")
    report = world.undo()
    assert world.files() == {"a": b"0", "b": b"0"}
    assert report.changed == ("b",)
    assert not report.conflicts


def test_a_new_file_that_is_already_deleted_is_no_conflict(world: World) -> None:
    world.write("a", "0")
    world.turn("one", {"a": "1", "new": "a file like no other\n"})
    world.remove("new")
    report = world.undo()
    assert world.files() == {"a": b"0"}
    assert not report.conflicts


def test_a_deleted_file_that_is_already_back_is_no_conflict(world: World) -> None:
    world.edit({"a": "0", "gone": "0"})
    world.turn("one", {"a": "1", "gone": None})
    world.write("gone", "0")
    report = world.undo()
    assert world.files() == {"a": b"0", "gone": b"0"}
    assert not report.conflicts


# text merges


def test_later_edits_elsewhere_in_a_text_are_merged(world: World) -> None:
    world.write("app.py", TEXT)
    world.turn("one", {"app.py": with_line(TEXT, 2, "agent")})
    world.write("app.py", with_line(with_line(TEXT, 2, "agent"), 8, "person"))
    report = world.undo()
    assert world.read("app.py") == with_line(TEXT, 8, "person").encode()
    assert report.merged == ("app.py",)
    assert report.actions["app.py"] == "merge"


def test_lines_that_a_person_added_and_removed_are_merged(world: World) -> None:
    world.write("app.py", TEXT)
    agent = "import os\n" + TEXT
    world.turn("one", {"app.py": agent})
    world.write("app.py", agent.replace("line 7\n", "") + "the end\n")
    world.undo()
    assert world.read("app.py") == (TEXT.replace("line 7\n", "") + "the end\n").encode()


def test_crlf_line_endings_are_kept_by_a_merge(world: World) -> None:
    text = TEXT.replace("\n", "\r\n")
    world.write("app.bat", text)
    world.turn("one", {"app.bat": with_line(text, 2, "agent")})
    world.write("app.bat", with_line(with_line(text, 2, "agent"), 8, "person"))
    world.undo()
    assert world.read("app.bat") == with_line(text, 8, "person").encode()


def test_mixed_line_endings_are_kept_by_a_merge(world: World) -> None:
    text = TEXT.replace("line 4\n", "line 4\r\n").replace("line 6\n", "line 6\r\n")
    world.write("mixed", text)
    world.turn("one", {"mixed": with_line(text, 1, "agent")})
    world.write("mixed", with_line(with_line(text, 1, "agent"), 9, "person"))
    world.undo()
    assert world.read("mixed") == with_line(text, 9, "person").encode()


def test_a_missing_final_newline_is_kept_by_a_merge(world: World) -> None:
    text = TEXT.removesuffix("\n")
    world.write("app.py", text)
    world.turn("one", {"app.py": with_line(text, 2, "agent")})
    world.write("app.py", with_line(with_line(text, 2, "agent"), 7, "person"))
    world.undo()
    assert world.read("app.py") == with_line(text, 7, "person").encode()


def test_a_final_newline_that_the_agent_added_is_taken_back_by_a_merge(world: World) -> None:
    text = TEXT.removesuffix("\n")
    world.write("app.py", text)
    world.turn("one", {"app.py": TEXT})
    world.write("app.py", with_line(TEXT, 2, "person"))
    world.undo()
    assert world.read("app.py") == with_line(text, 2, "person").encode()


def test_text_in_another_encoding_is_merged_byte_for_byte(world: World) -> None:
    lines = [f"Größe {number} äöü\n".encode("latin-1") for number in range(9)]
    agent = [*lines[:1], "Änderung\n".encode("latin-1"), *lines[2:]]
    both = [*agent[:7], b"person\xff\n", *agent[8:]]
    world.write("text", b"".join(lines))
    world.turn("one", {"text": b"".join(agent)})
    world.write("text", b"".join(both))
    world.undo()
    assert world.read("text") == b"".join([*lines[:7], b"person\xff\n", *lines[8:]])


def test_a_merge_keeps_the_mode(world: World) -> None:
    world.write("run.sh", TEXT, mode=0o750)
    world.turn("one", {"run.sh": with_line(TEXT, 2, "agent")})
    world.write("run.sh", with_line(with_line(TEXT, 2, "agent"), 8, "person"))
    world.undo()
    assert world.tree()["run.sh"] == ("file", 0o750, with_line(TEXT, 8, "person").encode())


def test_a_merge_can_be_redone(world: World) -> None:
    world.write("app.py", TEXT)
    world.turn("one", {"app.py": with_line(TEXT, 2, "agent")})
    world.write("app.py", with_line(with_line(TEXT, 2, "agent"), 8, "person"))
    both = world.tree()
    world.undo()
    world.redo()
    assert world.tree() == both


# conflicts


def test_an_edit_of_the_very_line_is_a_conflict_and_the_move_stays(world: World) -> None:
    world.write("app.py", TEXT)
    world.turn("one", {"app.py": with_line(TEXT, 2, "agent")})
    world.write("app.py", with_line(TEXT, 2, "person"))
    with pytest.raises(tb.Conflict) as raised:
        world.undo()
    assert raised.value.exit_code == 14
    assert "app.py" in str(raised.value)
    assert world.read("app.py") == with_line(TEXT, 2, "person").encode()
    assert world.move("one").undone_by is None


def test_when_nothing_can_be_undone_the_hint_names_the_next_older_move(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    older = world.turn("older", {"b": "1"})
    world.turn("newer", {"a": "1"})
    world.write("a", "mine")
    with pytest.raises(tb.Conflict) as raised:
        world.undo()
    assert older[:8] in " ".join(raised.value.hints)
    world.undo(older)
    assert world.files() == {"a": b"mine", "b": b"0"}


def test_a_conflict_leaves_its_path_alone_and_takes_the_rest(world: World) -> None:
    world.edit({"app.py": TEXT, "b": "0"})
    world.turn("one", {"app.py": with_line(TEXT, 2, "agent"), "b": "1"})
    world.write("app.py", with_line(TEXT, 2, "person"))
    report = world.undo()
    assert world.files() == {"app.py": with_line(TEXT, 2, "person").encode(), "b": b"0"}
    assert conflicts(report) == {"app.py"}
    assert all(kept.reason for kept in report.conflicts)
    assert world.move("one").undone_by == report.move


def test_undo_of_the_move_again_retries_what_was_in_conflict(world: World) -> None:
    world.edit({"app.py": TEXT, "b": "0"})
    turn = world.turn("one", {"app.py": with_line(TEXT, 2, "agent"), "b": "1"})
    world.write("app.py", with_line(TEXT, 2, "person"))
    world.undo()
    world.write("app.py", with_line(with_line(TEXT, 2, "agent"), 8, "person"))
    report = world.undo(turn)
    assert world.files() == {"app.py": with_line(TEXT, 8, "person").encode(), "b": b"0"}
    assert not report.conflicts
    with pytest.raises(tb.NotFound):
        world.undo(turn)


def test_plain_undo_after_a_partial_one_goes_on_to_the_older_move(world: World) -> None:
    world.edit({"a": "0", "b": "0", "c": "0"})
    older = world.turn("older", {"c": "1"})
    world.turn("newer", {"a": "1", "b": "1"})
    world.write("a", "mine")
    assert conflicts(world.undo()) == {"a"}
    assert world.undo().moves == (older,)
    assert world.files() == {"a": b"mine", "b": b"0", "c": b"0"}


def test_redo_of_a_partial_undo_brings_back_what_it_took(world: World) -> None:
    world.edit({"a": "0", "b": "0"})
    world.turn("one", {"a": "1", "b": "1"})
    world.write("a", "mine")
    world.undo()
    world.redo()
    assert world.files() == {"a": b"mine", "b": b"1"}


def test_binary_files_are_never_merged(world: World) -> None:
    before, after, mine = (b"\0" + os.urandom(64) + b"\n" for _ in range(3))
    world.edit({"image": before, "other": "0"})
    world.turn("one", {"image": after, "other": "1"})
    world.write("image", after + mine)
    report = world.undo()
    assert conflicts(report) == {"image"}
    assert world.read("image") == after + mine


def test_a_file_that_the_move_made_and_a_person_edited_stays(world: World) -> None:
    world.write("other", "0")
    world.turn("one", {"new.py": TEXT, "other": "1"})
    world.write("new.py", with_line(TEXT, 5, "person"))
    report = world.undo()
    assert world.files() == {"new.py": with_line(TEXT, 5, "person").encode(), "other": b"0"}
    assert conflicts(report) == {"new.py"}


def test_a_file_that_the_move_deleted_and_a_person_made_anew_stays(world: World) -> None:
    world.edit({"gone.py": TEXT, "other": "0"})
    world.turn("one", {"gone.py": None, "other": "1"})
    world.write("gone.py", "a person's\n")
    report = world.undo()
    assert world.files() == {"gone.py": b"a person's\n", "other": b"0"}
    assert conflicts(report) == {"gone.py"}


def test_a_file_that_the_move_changed_and_a_person_deleted_stays_away(world: World) -> None:
    world.edit({"a.py": TEXT, "other": "0"})
    world.turn("one", {"a.py": with_line(TEXT, 2, "agent"), "other": "1"})
    world.remove("a.py")
    report = world.undo()
    assert world.files() == {"other": b"0"}
    assert conflicts(report) == {"a.py"}


def test_a_link_that_a_person_pointed_elsewhere_stays(world: World) -> None:
    world.write("other", "0")
    world.link("current", "v1")

    def work() -> None:
        world.write("other", "1")
        world.link("current", "v2")

    world.turn("one", work)
    world.link("current", "v3")
    report = world.undo()
    assert conflicts(report) == {"current"}
    assert os.readlink(world.root / "current") == "v3"


def test_a_file_that_a_person_replaced_by_a_link_stays(world: World) -> None:
    world.edit({"a": "0", "other": "0"})
    world.turn("one", {"a": "1", "other": "1"})
    world.remove("a")
    world.link("a", "other")
    report = world.undo()
    assert conflicts(report) == {"a"}
    assert os.readlink(world.root / "a") == "other"
    assert world.read("other") == b"0"


def test_undo_since_merges_over_several_moves_and_reports_conflicts_once(world: World) -> None:
    world.edit({"app.py": TEXT, "b": "0"})
    world.turn("one", {"app.py": with_line(TEXT, 2, "one"), "b": "1"})
    world.turn("two", {"app.py": with_line(TEXT, 2, "two")})
    world.write("app.py", with_line(TEXT, 2, "person"))
    report = world.undo(since="original")
    assert [kept.path for kept in report.conflicts] == ["app.py"]
    assert world.files() == {"app.py": with_line(TEXT, 2, "person").encode(), "b": b"0"}


# modes


def test_a_mode_goes_back_and_a_later_edit_of_the_content_stays(world: World) -> None:
    world.write("run.sh", "0\n")
    world.turn("one", lambda: world.chmod("run.sh", 0o755))
    world.write("run.sh", "person\n")
    report = world.undo()
    assert world.tree()["run.sh"] == ("file", 0o644, b"person\n")
    assert not report.conflicts


def test_the_content_goes_back_and_a_later_mode_stays(world: World) -> None:
    world.write("run.sh", "0\n")
    world.turn("one", {"run.sh": "1\n"})
    world.chmod("run.sh", 0o700)
    report = world.undo()
    assert world.tree()["run.sh"] == ("file", 0o700, b"0\n")
    assert not report.conflicts


def test_content_and_mode_go_back_around_a_later_edit(world: World) -> None:
    world.write("run.sh", TEXT)

    def work() -> None:
        world.write("run.sh", with_line(TEXT, 2, "agent"))
        world.chmod("run.sh", 0o755)

    world.turn("one", work)
    world.write("run.sh", with_line(with_line(TEXT, 2, "agent"), 8, "person"))
    world.undo()
    assert world.tree()["run.sh"] == ("file", 0o644, with_line(TEXT, 8, "person").encode())


def test_a_mode_that_both_changed_is_a_conflict(world: World) -> None:
    world.edit({"run.sh": "0\n", "other": "0"})

    def work() -> None:
        world.chmod("run.sh", 0o755)
        world.write("other", "1")

    world.turn("one", work)
    world.chmod("run.sh", 0o700)
    report = world.undo()
    assert conflicts(report) == {"run.sh"}
    assert world.mode("run.sh") == 0o700
    assert world.read("other") == b"0"


def test_the_mode_of_a_directory_goes_back(world: World) -> None:
    world.write("private/key", "0")
    world.chmod("private", 0o700)
    world.turn("one", lambda: world.chmod("private", 0o755))
    world.write("private/mine", "person")
    world.undo()
    assert world.mode("private") == 0o700
    assert world.files() == {"private/key": b"0", "private/mine": b"person"}


# renamed since


def test_a_file_renamed_twice_is_followed_to_where_it_stands(world: World) -> None:
    world.write("a.py", TEXT)
    world.turn("one", {"a.py": with_line(TEXT, 2, "agent")})
    world.rename("a.py", "b.py")
    world.line.save("in between")
    world.rename("b.py", "c.py")
    world.undo(world.move("one").id)
    assert world.files() == {"c.py": TEXT.encode()}


def test_files_are_followed_into_a_renamed_directory(world: World) -> None:
    world.edit({"src/a.py": TEXT, "src/b.py": "b\n", "src/c.py": "untouched\n"})
    world.turn("one", {"src/a.py": with_line(TEXT, 2, "agent"), "src/b.py": "agent\n"})
    world.rename("src", "lib")
    world.undo()
    assert world.files() == {"lib/a.py": TEXT.encode(), "lib/b.py": b"b\n", "lib/c.py": b"untouched\n"}
    assert not world.exists("src")


def test_a_rename_by_a_later_turn_is_followed(world: World) -> None:
    world.write("a.py", TEXT)
    first = world.turn("one", {"a.py": with_line(TEXT, 2, "agent")})
    world.turn("two", lambda: world.rename("a.py", "b.py"))
    world.undo(first)
    assert world.files() == {"b.py": TEXT.encode()}


def test_a_new_file_that_was_renamed_is_followed_and_removed(world: World) -> None:
    world.write("other", "0")
    world.turn("one", {"new.py": TEXT, "other": "1"})
    world.rename("new.py", "renamed.py")
    world.undo()
    assert world.files() == {"other": b"0"}


def test_a_file_whose_bytes_stand_at_two_new_paths_is_not_followed(world: World) -> None:
    agent = with_line(TEXT, 2, "agent")
    world.edit({"a.py": TEXT, "other": "0"})
    world.turn("one", {"a.py": agent, "other": "1"})
    world.rename("a.py", "b.py")
    world.write("c.py", agent)
    report = world.undo()
    assert world.files() == {"b.py": agent.encode(), "c.py": agent.encode(), "other": b"0"}
    assert conflicts(report) == {"a.py"}


def test_a_copy_that_stood_there_before_is_not_mistaken_for_a_rename(world: World) -> None:
    agent = with_line(TEXT, 2, "agent")
    world.edit({"a.py": TEXT, "copy.py": agent, "other": "0"})
    world.turn("one", {"a.py": agent, "other": "1"})
    world.remove("a.py")
    report = world.undo()
    assert world.files() == {"copy.py": agent.encode(), "other": b"0"}
    assert conflicts(report) == {"a.py"}


def test_a_file_that_was_renamed_and_edited_is_left_alone(world: World) -> None:
    agent = with_line(TEXT, 2, "agent")
    world.edit({"a.py": TEXT, "other": "0"})
    world.turn("one", {"a.py": agent, "other": "1"})
    world.rename("a.py", "b.py")
    world.write("b.py", with_line(agent, 8, "person"))
    report = world.undo()
    assert world.files() == {"b.py": with_line(agent, 8, "person").encode(), "other": b"0"}
    assert conflicts(report) == {"a.py"}


def test_a_rename_by_the_move_itself_is_taken_back(world: World) -> None:
    world.write("a.py", TEXT)
    world.turn("one", lambda: world.rename("a.py", "b.py"))
    world.undo()
    assert world.files() == {"a.py": TEXT.encode()}


# files and directories in each other's place


def test_a_file_that_became_a_directory_is_a_file_again(world: World) -> None:
    world.write("thing", TEXT)
    before = world.tree()
    world.turn("one", {"thing": None, "thing/inner/file": "1"})
    after = world.tree()
    world.undo()
    assert world.tree() == before
    world.redo()
    assert world.tree() == after


def test_a_directory_that_became_a_file_is_a_directory_again(world: World) -> None:
    world.edit({"thing/inner/file": "0", "thing/other": "0"})
    before = world.tree()

    def work() -> None:
        world.remove("thing")
        world.write("thing", "a file\n")

    world.turn("one", work)
    world.undo()
    assert world.tree() == before


def test_a_directory_that_became_a_link_is_a_directory_again_and_nothing_outside_changes(world: World) -> None:
    outside = world.base / "outside"
    outside.mkdir()
    (outside / "file").write_text("not ours")
    world.write("src/file", "0")
    before = world.tree()

    def work() -> None:
        world.remove("src")
        world.link("src", str(outside))

    world.turn("one", work)
    world.undo()
    assert world.tree() == before
    assert (outside / "file").read_text() == "not ours"


def test_a_link_put_in_place_of_a_directory_since_leads_no_write_outside(world: World) -> None:
    outside = world.base / "outside"
    outside.mkdir()
    world.edit({"src/file": "0", "other": "0"})
    world.turn("one", {"src/file": None, "src/new": "agent", "other": "1"})
    world.remove("src")
    (outside / "new").write_text("agent")
    world.link("src", str(outside))
    world.undo()
    assert world.read("other") == b"0"
    assert os.readlink(world.root / "src") == str(outside)
    assert sorted(os.listdir(outside)) == ["new"]


def test_a_directory_in_which_a_person_put_a_file_does_not_become_a_file_again(world: World) -> None:
    world.edit({"thing": "0", "other": "0"})
    world.turn("one", {"thing": None, "thing/inner": "1", "other": "1"})
    world.write("thing/mine", "person")
    report = world.undo()
    assert world.read("thing/mine") == b"person"
    assert "thing" in conflicts(report)
    assert world.read("other") == b"0"


def test_a_new_directory_stays_if_a_person_put_a_file_into_it(world: World) -> None:
    world.write("a", "0")
    world.turn("one", {"a": "1", "out/result": "1", "out/deep/result": "1"})
    world.write("out/mine", "person")
    world.undo()
    assert world.files() == {"a": b"0", "out/mine": b"person"}
    assert not world.exists("out/deep")


def test_a_new_directory_stays_if_it_holds_ignored_files(world: World) -> None:
    world.edit({"a": "0", ".takebackignore": "*.log\n"})
    world.turn("one", {"a": "1", "out/result": "1", "out/deep/debug.log": "kept"})
    world.undo()
    assert world.files() == {"a": b"0", ".takebackignore": b"*.log\n", "out/deep/debug.log": b"kept"}


def test_a_deleted_directory_comes_back_around_what_a_person_put_there(world: World) -> None:
    world.edit({"src/a": "0", "src/deep/b": "0"})
    world.turn("one", {"src": None})
    world.write("src/mine", "person")
    world.undo()
    assert world.files() == {"src/a": b"0", "src/deep/b": b"0", "src/mine": b"person"}


def test_a_new_empty_directory_goes_and_a_removed_one_comes_back(world: World) -> None:
    (world.root / "kept" / "empty").mkdir(parents=True)
    world.write("a", "0")
    before = world.tree()

    def work() -> None:
        (world.root / "kept" / "empty").rmdir()
        (world.root / "new" / "empty").mkdir(parents=True)

    world.turn("one", work)
    world.undo()
    assert world.tree() == before
