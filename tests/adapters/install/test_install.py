"""Installing, installing again and uninstalling: the same bytes, modes, links and directories as before."""

from __future__ import annotations

import json
import os
import shlex
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as profile

from support.configurations import settings
from support.installing import PYTHON, MakePlace
from support.privileges import as_ordinary_user
from takeback.adapters import install
from takeback.adapters.install import files
from takeback.errors import Conflict, InvalidInput, NotFound, TakebackError, Unavailable

ODD = b'\xef\xbb\xbf{ // mine\r\n\t"model" : "opus", "n\\u00fc": [1,2 , 3,],\r\n\t"hooks": {"Stop": [ ] ,},\r\n}'
JSON_AGENTS = [
    (agent.name, scope) for agent in install.AGENTS.values() if agent.format == "jsonhooks" for scope in agent.files
]


@pytest.mark.parametrize(("agent", "scope"), JSON_AGENTS)
@pytest.mark.parametrize("data", [None, b"", b"{}", b"{\n}\n", b'{"a": 1}', ODD], ids=repr)
def test_install_twice_and_uninstall_gives_back_the_same_bytes(
    place: MakePlace, agent: str, scope: str, data: bytes | None
) -> None:
    here = place(agent, scope)
    if data is not None:
        here.write(data, 0o640)
    before = here.world()

    here.install()
    installed = here.world()
    again = here.install()

    assert installed != before
    assert again.changes == () and here.world() == installed
    here.uninstall()
    assert here.world() == before


@given(text=settings())
@profile(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_configuration_comes_back_to_the_byte(place: MakePlace, text: str) -> None:
    here = place()
    here.write(text.encode())

    here.install()
    here.install("/another/python")
    here.uninstall()

    assert here.file.read_bytes() == text.encode()
    here.file.unlink()


@pytest.mark.parametrize(("agent", "scope"), JSON_AGENTS)
def test_every_event_calls_takeback_by_its_interpreter(place: MakePlace, agent: str, scope: str) -> None:
    here = place(agent, scope)
    here.install()

    hooks = json.loads(here.file.read_bytes())["hooks"]

    assert set(hooks) == {on.event for on in here.agent.events}
    for groups in hooks.values():
        (hook,) = groups[0]["hooks"]
        assert shlex.split(hook["command"]) == [PYTHON, "-P", "-m", "takeback", "hook", agent]


def test_another_interpreter_takes_the_place_of_the_old_one(place: MakePlace) -> None:
    here = place()
    here.write(b'{"a": 1} // end\n')
    before = here.world()

    here.install("/old/python")
    changed = here.install("/new/python")

    text = here.file.read_text()
    assert "/old/python" not in text and text.count("/new/python -P -m takeback hook") == len(here.agent.events)
    assert len(changed.changes) == 3, "the slash commands name the interpreter, too"
    here.uninstall()
    assert here.world() == before


def test_an_older_shape_of_our_hooks_is_replaced(place: MakePlace) -> None:
    here = place()
    old = {"hooks": [{"type": "command", "command": "/old/python -m takeback hook claude-code", "timeout": 5}]}
    mine = {"matcher": "Bash", "hooks": [{"type": "command", "command": "say hello"}]}
    here.write(json.dumps({"hooks": {"Stop": [old, old], "Retired": [old], "PreToolUse": [mine]}}).encode())

    here.install()

    hooks = json.loads(here.file.read_bytes())["hooks"]
    assert "Retired" not in hooks and len(hooks["Stop"]) == 1 and hooks["PreToolUse"][0] == mine
    here.uninstall()
    assert json.loads(here.file.read_bytes()) == {"hooks": {"PreToolUse": [mine]}}


def test_what_a_person_added_meanwhile_stays(place: MakePlace) -> None:
    here = place()
    here.install()
    value = json.loads(here.file.read_bytes())
    value["model"] = "opus"
    value["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "say done"}]})
    here.file.write_text(json.dumps(value, indent=4))

    assert here.install().changes == (), "ours are all there, wherever they stand"
    here.uninstall()

    assert json.loads(here.file.read_bytes()) == {
        "model": "opus",
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]},
    }


def test_a_file_that_install_made_goes_although_it_was_reformatted(place: MakePlace) -> None:
    here = place()
    before = here.world()
    here.install()
    here.file.write_text(json.dumps(json.loads(here.file.read_bytes())))

    here.uninstall()

    assert here.world() == before


def test_our_hooks_go_without_the_record_of_how_they_came(place: MakePlace) -> None:
    here = place("claude-code", "project")
    here.write(b'{\n  "model": "opus" // mine\n}\n')
    before = here.file.read_bytes()
    here.install()
    os.unlink(os.path.join(here.where.state, "installed.json"))

    here.uninstall()

    assert here.file.read_bytes() == before


def test_a_directory_that_was_there_stays(place: MakePlace) -> None:
    here = place()
    here.file.parent.mkdir()
    (here.file.parent / "commands").mkdir()
    before = here.world()

    here.install()
    here.uninstall()

    assert here.world() == before


def test_a_link_is_followed_and_stays_a_link(place: MakePlace, tmp_path: Path) -> None:
    here = place()
    dotfiles = tmp_path / "dotfiles.json"
    dotfiles.write_bytes(b'{"a": 1}')
    here.file.parent.mkdir()
    here.file.symlink_to(dotfiles)

    here.install()

    assert here.file.is_symlink() and b"takeback" in dotfiles.read_bytes()
    here.uninstall()
    assert here.file.is_symlink() and dotfiles.read_bytes() == b'{"a": 1}'


def test_the_mode_of_the_file_stays(place: MakePlace) -> None:
    here = place()
    here.write(b"{}", 0o600)

    here.install()

    assert stat.S_IMODE(here.file.stat().st_mode) == 0o600
    assert [path.name for path in here.file.parent.iterdir()] != [], "and no temporary file is left"
    assert not list(here.file.parent.glob("*.takeback-*"))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b'{"hooks": ', "line 1 is not JSON"),
        (b'{"hooks": []}', "`hooks` is a list"),
        (b'{"hooks": {"Stop": "x"}}', "`hooks.Stop` is 'x'"),
        (b"\xff\xfe{\x00}\x00", "it is not UTF-8"),
        (b'{"a": "' + b"x" * files.LARGEST + b'"}', "too many for a configuration"),
    ],
    ids=["broken", "list", "text", "utf-16", "huge"],
)
def test_what_cannot_be_edited_is_refused_untouched(place: MakePlace, data: bytes, why: str) -> None:
    here = place()
    here.write(data)
    before = here.world()

    with pytest.raises(InvalidInput, match=why) as refused:
        here.install()

    assert str(here.file) in refused.value.message and refused.value.hints
    assert here.world() == before


def test_a_read_only_file_is_refused_untouched(place: MakePlace) -> None:
    here = place()
    here.write(b"{}", 0o444)
    before = here.world()

    with pytest.raises(Unavailable, match="it is read-only"):
        here.install()
    assert here.world() == before


def test_an_unreadable_file_is_refused_untouched(place: MakePlace) -> None:
    here = place()
    here.write(b"{}", 0o000)

    with pytest.raises(Unavailable, match="cannot read .*settings.json: Permission denied"):
        as_ordinary_user(here.install)


def test_a_directory_that_cannot_be_written_is_refused_before_anything_is_made(place: MakePlace) -> None:
    here = place()
    here.home.chmod(0o555)
    try:
        with pytest.raises(Unavailable, match="not a directory that you may write to"):
            as_ordinary_user(here.install)
    finally:
        here.home.chmod(0o755)
    assert here.world() == {}


@pytest.mark.parametrize("kind", ["directory", "dangling"])
def test_what_is_no_file_is_refused(place: MakePlace, kind: str) -> None:
    here = place()
    if kind == "directory":
        here.file.mkdir(parents=True)
    else:
        here.file.parent.mkdir()
        here.file.symlink_to("nowhere")
    before = here.world()

    with pytest.raises(InvalidInput, match="it is not a file|which does not exist"):
        here.install()
    assert here.world() == before


def test_a_file_that_changed_since_it_was_read_is_left_alone(place: MakePlace) -> None:
    here = place()
    here.write(b"{}")
    plan = install.plan_install(here.agent, here.scope, here.where, PYTHON)
    here.write(b'{"a": 1}')
    before = here.world()

    with pytest.raises(Conflict, match="changed meanwhile"):
        install.apply(plan)
    assert here.world() == before


def test_a_failure_takes_back_what_was_already_written(place: MakePlace) -> None:
    here = place()
    here.write(b"{}")
    plan = install.plan_install(here.agent, here.scope, here.where, PYTHON)
    late = here.file.parent / "commands" / "snapshots.md"
    late.parent.mkdir()
    late.write_text("mine")
    before = here.world()

    with pytest.raises(TakebackError):
        install.apply(plan)
    assert here.world() == before


def test_a_slash_command_of_a_person_is_never_overwritten(place: MakePlace) -> None:
    here = place()
    own = here.file.parent / "commands" / "undo.md"
    own.parent.mkdir(parents=True)
    own.write_text("my own undo")
    before = here.world()

    plan = here.install()

    assert plan.commands == ("/takeback-undo", "/snapshots") and plan.notes == (
        "/undo is taken, so takeback's is /takeback-undo",
    )
    assert own.read_text() == "my own undo"
    here.uninstall()
    assert here.world() == before


def test_a_slash_command_that_was_edited_stays_and_is_named(place: MakePlace) -> None:
    here = place()
    here.install()
    edited = here.file.parent / "commands" / "undo.md"
    edited.write_text(edited.read_text() + "\nAnd be funny.\n")

    plan = here.uninstall()

    assert edited.exists() and any("it was edited since" in note for note in plan.notes)


def test_uninstalling_what_is_not_there_says_so(place: MakePlace) -> None:
    with pytest.raises(NotFound, match="takeback is not installed in"):
        place().uninstall()


def test_what_is_installed_can_be_looked_up(place: MakePlace, tmp_path: Path) -> None:
    here, local = place(), place("claude-code", "local")
    python = tmp_path / "python"
    python.touch(0o755)
    here.install()
    local.install(str(python))

    user, own = install.found(here.where)

    assert (user.agent, user.scope, user.file, user.interpreter, user.runs) == (
        "claude-code",
        "user",
        str(here.file),
        PYTHON,
        False,
    )
    assert own.scope == "local" and own.runs


def test_a_file_that_cannot_be_read_is_found_with_its_problem(place: MakePlace) -> None:
    here = place()
    here.write(b"{")

    (broken,) = install.found(here.where)

    assert "is not JSON" in broken.problem and not broken.runs


def test_an_interpreter_that_no_slash_command_can_name_is_only_hooked(place: MakePlace) -> None:
    here = place()

    plan = here.install("/odd`path`/python")

    assert plan.commands == () and "cannot be written into one" in plan.notes[0]
    assert len(plan.changes) == 1


def test_a_scope_that_an_agent_does_not_have_is_refused_with_those_it_has(place: MakePlace) -> None:
    here = place("codex", "user")

    with pytest.raises(InvalidInput, match="Codex has no local configuration") as refused:
        install.plan_install(here.agent, "local", here.where, PYTHON)
    assert refused.value.hints == ("use --user or --project",)


@pytest.mark.parametrize(
    ("agent", "data", "odd"),
    [
        ("claude-code", b'{"a": 1, /* mine */ "b": [1,]}', ["comments", "trailing commas"]),
        ("claude-code", b'\xef\xbb\xbf{"a": "// ,}"}', []),
        ("gemini-cli", b'\xef\xbb\xbf{"a": 1, /* mine */ "b": [1,]}', ["a byte order mark", "trailing commas"]),
        ("gemini-cli", b'{"a": 1} // mine', []),
        ("codex", b'{"hooks": {}} // mine', ["comments"]),
    ],
)
def test_a_file_that_the_agent_itself_cannot_read_is_said_to_be_one(
    place: MakePlace, agent: str, data: bytes, odd: list[str]
) -> None:
    here = place(agent)
    here.write(data)

    notes = [note for note in here.install().notes if "does not read" in note]

    assert [note.partition(" a file with ")[2].partition(": no hook runs")[0] for note in notes] == odd


class TestPlugin:
    """opencode has no hooks: takeback's plugin is a file of its own."""

    @pytest.mark.parametrize("scope", ["user", "project"])
    def test_install_twice_and_uninstall_leaves_nothing(self, place: MakePlace, scope: str) -> None:
        here = place("opencode", scope)
        before = here.world()

        plan = here.install()

        assert plan.commands == ("/takeback-undo", "/snapshots"), "opencode has an /undo itself"
        assert here.install().changes == ()
        here.uninstall()
        assert here.world() == before

    def test_it_calls_takeback_by_its_interpreter(self, place: MakePlace) -> None:
        here = place("opencode")
        here.install()

        (found,) = install.found(here.where)

        assert shlex.split(found.command) == [PYTHON, "-P", "-m", "takeback", "hook", "opencode"]
        assert found.interpreter == PYTHON

    def test_another_interpreter_takes_the_place_of_the_old_one(self, place: MakePlace) -> None:
        here = place("opencode")
        here.install("/old/python")
        os.unlink(os.path.join(here.where.state, "installed.json"))

        here.install("/new/python")

        assert "/old/python" not in here.file.read_text() and "/new/python" in here.file.read_text()

    def test_a_file_of_that_name_that_is_not_ours_is_never_touched(self, place: MakePlace) -> None:
        here = place("opencode")
        here.write(b"export const Mine = async () => ({})\n")
        before = here.world()

        with pytest.raises(InvalidInput, match="it is there already"):
            here.install()
        with pytest.raises(NotFound):
            here.uninstall()
        assert here.world() == before


def test_hooks_in_two_files_of_codex_are_mentioned(place: MakePlace) -> None:
    here = place("codex")
    here.write(b"{}")
    beside = here.file.parent / "config.toml"
    beside.write_text('model = "x"\n[hooks.state]\na = 1\n')
    assert here.install().notes == ()
    beside.write_text('[[hooks.Stop]]\nhooks = [{type = "command", command = "ls"}]\n')

    assert "runs both" in here.install().notes[0]


def test_a_shared_file_is_said_to_name_this_machine(place: MakePlace) -> None:
    assert "whoever shares the file" in place("claude-code", "project").install().notes[0]
    assert place("claude-code", "local").install().notes == ()
