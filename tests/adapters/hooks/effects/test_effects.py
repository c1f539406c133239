"""Which commands and tools have effects that no snapshot can take back, and how they are shown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from support.commands import DOES, DOES_NOT, IN_LINES
from takeback.adapters.hooks.effects import Effect, effects_of, matching, outside_root, programs
from takeback.adapters.hooks.effects.commands import Command, split
from takeback.adapters.hooks.effects.rules import KINDS, RULES, TOOLS
from takeback.model.effect_rule import EffectRule, parse_pattern


def kinds(command: str) -> list[str]:
    return [effect.kind for effect in effects_of("Bash", {"command": command})]


@pytest.mark.parametrize(("kind", "command"), [(kind, command) for kind, some in DOES.items() for command in some])
def test_a_command_with_an_effect_is_told(kind: str, command: str) -> None:
    assert kinds(command) == [kind]


@pytest.mark.parametrize("command", DOES_NOT)
def test_a_command_that_reads_or_only_mentions_another_is_not(command: str) -> None:
    assert kinds(command) == []


@pytest.mark.parametrize("text", IN_LINES)
def test_texts_of_several_lines(text: str) -> None:
    assert kinds(text) == IN_LINES[text]


def met(text: str) -> set[tuple[str, str]]:
    """The rules that decide about a text's commands."""
    found = set()

    def look(words: list[str], command: Command) -> None:
        while words:
            program = programs.name(words[0])
            arguments = matching._arguments(program, words[1:])
            rules = matching.built_in().get(program, [])
            first = next((rule for rule in rules if matching.meets(parse_pattern(rule[1]), arguments, command)), None)
            if first is not None:
                found.add(first)
                return
            for inner in programs.told(words, command):
                for each in split(inner):
                    look(each.words, each)
            words = programs.run_by(words) or []

    for command in split(text):
        look(command.words, command)
    return found


def test_every_rule_has_a_command_that_meets_it() -> None:
    examples = [command for some in DOES.values() for command in some]
    assert set(RULES) - {rule for command in examples for rule in met(command)} == set()


def test_every_rule_has_a_command_of_its_program_that_has_no_effect() -> None:
    quiet = {programs.name(word) for text in DOES_NOT for command in split(text) for word in command.words[:3]}
    assert [rule for rule in RULES if not quiet & set(parse_pattern(rule[1]).programs)] == []


def test_every_kind_is_explained() -> None:
    assert {kind for kind, _ in (*RULES, *TOOLS)} - {"none"} <= KINDS.keys()
    assert DOES.keys() <= KINDS.keys()


@pytest.mark.parametrize(
    ("tool", "input"),
    [
        ("Bash", {"command": "git push"}),
        ("Bash", {"cmd": "git push"}),
        ("exec_command", {"cmd": "git push"}),
        ("shell", {"command": ["bash", "-lc", "cd x && git push"]}),
        ("shell", {"command": ["git", "push"]}),
        ("shell", {"cmd": "git push"}),
        ("run_shell_command", {"command": "git push", "description": "npm publish"}),
        ("bash", {"command": "git push"}),
    ],
)
def test_every_agent_s_shell_is_known(tool: str, input: dict[str, Any]) -> None:
    assert effects_of(tool, input) == (Effect("push", "git push"),)


SERVICES = """mcp__slack__post_message mcp__github__create_issue mcp__github__merge_pull_request mcp__linear__createIssue
    mcp__gmail__send mcp__notion__update-page mcp_slack_post_message slack_post_message github_create_pull_request
    mcp__claude_ai_Gmail__send_email mcp__jira__transition_issue""".split()
OTHERS = {
    "mcp__supabase__execute_sql": "database",
    "mcp__playwright__browser_click": "browser",
    "mcp__chrome-devtools__fill_form": "browser",
}
READERS = """Read Write Edit MultiEdit Glob Grep WebFetch WebSearch TodoWrite Task TaskCreate TaskUpdate NotebookEdit
    apply_patch update_plan write_file read_file replace list_directory create_directory edit_file save_memory web_fetch
    google_web_search write_todos create_todos update_todos todo_update read_many_files search_file_content multi_edit
    mcp__github__get_issue mcp__github__list_issues mcp__slack__search_messages mcp__filesystem__create_directory
    mcp__filesystem__write_file mcp__playwright__browser_snapshot github_get_issue fetch webfetch ExitPlanMode Agent
    spawn_agent multi_agent_v1wait_agent invoke_agent mcp__supabase__list_tables
    mcp__chrome-devtools__take_snapshot""".split()


@pytest.mark.parametrize("tool", SERVICES)
def test_a_service_s_tool_that_writes_is_told_from_its_name(tool: str) -> None:
    assert effects_of(tool, {"text": "hello"}) == (Effect("service", f"{tool} hello"),)


@pytest.mark.parametrize(("tool", "kind"), OTHERS.items())
def test_other_tools_have_kinds_of_their_own(tool: str, kind: str) -> None:
    assert [effect.kind for effect in effects_of(tool, {})] == [kind]


@pytest.mark.parametrize("tool", READERS)
def test_a_tool_that_reads_or_writes_files_is_not(tool: str) -> None:
    assert effects_of(tool, {"file_path": "x", "prompt": "create a file and git push"}) == ()


def test_every_rule_for_tools_decides_about_one() -> None:
    tools = [*SERVICES, *OTHERS, *READERS]
    deciding = {next((rule for rule in TOOLS if re.fullmatch(rule[1], tool)), None) for tool in tools if "_" in tool}
    assert set(TOOLS) <= deciding
    assert None in deciding


def test_a_user_s_rule_comes_first() -> None:
    rules = (
        EffectRule("pager", command="make page|call"),
        EffectRule("none", command="git push !--force"),
        EffectRule("pager", tool="mcp__pager__.*"),
    )
    assert effects_of("Bash", {"command": "make -s page && make test"}, rules) == (Effect("pager", "make -s page"),)
    assert effects_of("Bash", {"command": "git push"}, rules) == ()
    assert effects_of("Bash", {"command": "git push --force"}, rules) == (Effect("push", "git push --force"),)
    assert effects_of("mcp__pager__ring", {}, rules) == (Effect("pager", "mcp__pager__ring"),)


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("git push https://bob:hunter2@example.com/x", "git push https://***@example.com/x"),
        ("git push https://ghp_hunter2hunter2@example.com/x", "git push https://***@example.com/x"),
        ('curl -d x -H "Authorization: Bearer hunter2" h', "curl -d x -H 'Authorization: Bearer ***' h"),
        ("curl -d x -H 'X-Api-Key: hunter2' h", "curl -d x -H 'X-Api-Key: ***' h"),
        ("curl -d x -u bob:hunter2 h", "curl -d x -u bob:*** h"),
        ("curl -d x -b 'cookie: hunter2' h", "curl -d x -b 'cookie: ***' h"),
        ("curl -d x 'https://h/?token=hunter2&a=b'", "curl -d x https://h/?token=***&a=b"),
        ("""curl h -d '{"password": "hunter2", "a": 1}'""", """curl h -d '{"password": "***", "a": 1}'"""),
        ("twine upload -u bob --password hunter2 dist/*", "twine upload -u bob --password *** dist/*"),
        ("twine upload --password=hunter2 dist/*", "twine upload --password=*** dist/*"),
        ("NPM_TOKEN=hunter2 npm publish", "NPM_TOKEN=*** npm publish"),
        (
            "npm publish --//registry.npmjs.org/:_authToken=hunter2",
            "npm publish --//registry.npmjs.org/:_authToken=***",
        ),
        ("AWS_SECRET_ACCESS_KEY=hunter2 aws s3 rm s3://b/x", "AWS_SECRET_ACCESS_KEY=*** aws s3 rm s3://b/x"),
        ("mysql -u root -phunter2 -e 'drop table a'", "mysql -u root -p*** -e 'drop table a'"),
        ("sshpass -p hunter2 ssh host", "sshpass -p *** ssh host"),
        ("redis-cli -a hunter2 flushall", "redis-cli -a *** flushall"),
        ("psql postgres://bob:hunter2@db/app -f x.sql", "psql postgres://***@db/app -f x.sql"),
        ("gh secret set A --body sk-hunter2hunter2", "gh secret set A --body ***"),
        ("git push $REMOTE", "git push $REMOTE"),
    ],
)
def test_secrets_are_not_shown(command: str, shown: str) -> None:
    (effect,) = effects_of("Bash", {"command": command})
    assert effect.what == shown


def test_a_secret_in_a_tool_s_input_is_not_shown() -> None:
    (effect,) = effects_of("mcp__x__send_it", {"to": "bob", "auth": "token=hunter2"})
    assert "hunter2" not in effect.what and "bob" in effect.what


def test_what_is_shown_is_one_short_line() -> None:
    (effect,) = effects_of("Bash", {"command": "curl -d '" + "one\ntwo \x1b[31m" * 500 + "' h"})
    assert len(effect.what) == 200 and effect.what.endswith("…") and effect.what.isprintable()


def test_a_command_inside_another_is_shown_as_itself() -> None:
    assert effects_of("Bash", {"command": "bash -c 'cd x; sudo git push' && ls"}) == (Effect("push", "sudo git push"),)


def test_files_outside_the_root_are_told(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "out").symlink_to(tmp_path)
    paths = ["a", str(root / "b"), "../c", str(tmp_path / "d"), "out/e", str(root), "~/.bashrc", f"{root}x"]
    told = [effect.what for effect in outside_root(paths, str(root))]
    assert all(effect.kind == "files" for effect in outside_root(paths, str(root)))
    assert told == [str(tmp_path / name) for name in "cde"] + [
        str(Path("~/.bashrc").expanduser().resolve()),
        f"{root}x",
    ]


@pytest.mark.parametrize(
    "input", [{}, {"command": None}, {"command": 5}, {"command": [1]}, {"command": []}, {"command": ""}]
)
def test_an_input_that_is_no_command_has_no_effect(input: dict[str, Any]) -> None:
    assert effects_of("Bash", input) == ()


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("echo x >> ~/.bashrc", "echo x >> ~/.bashrc"),
        ("echo x > $HOME/.profile", "echo x > $HOME/.profile"),
        ("> /etc/motd", "> /etc/motd"),
        ("make 2> ../log", "make > ../log"),
        ("sudo tee /etc/hosts < hosts", "sudo tee /etc/hosts"),
        ("echo x | tee -a ${HOME}/notes", "tee -a ${HOME}/notes"),
        ("rm -rf ~/.cache/x", "rm -rf ~/.cache/x"),
        ("rm -rf ../sibling", "rm -rf ../sibling"),
        ("cd /srv; rm -f /srv/x", "rm -f /srv/x"),
        ("cp a.conf /etc/a.conf", "cp a.conf /etc/a.conf"),
        ("mv /home/bob/a .", "mv /home/bob/a ."),
        ("mv -t /home/bob a", "mv -t /home/bob a"),
        ("ln -s $PWD/x ~/bin/x", "ln -s $PWD/x ~/bin/x"),
        ("chmod 600 ~/.ssh/id", "chmod 600 ~/.ssh/id"),
        ("sed -i s/a/b/ /etc/hosts", "sed -i s/a/b/ /etc/hosts"),
        ("dd if=x of=/home/bob/y", "dd if=x of=/home/bob/y"),
        ("mkdir -p /opt/x", "mkdir -p /opt/x"),
        ("touch -r /etc/hosts ~/x", "touch -r /etc/hosts ~/x"),
        ("bash -c 'rm /srv/x'", "rm /srv/x"),
    ],
)
def test_a_command_that_writes_outside_the_root_is_told(command: str, shown: str) -> None:
    found = effects_of("Bash", {"command": command}, root="/home/me/project", cwd="/home/me/project")
    assert found == (Effect("files", shown),)
    assert effects_of("Bash", {"command": command}) == ()


@pytest.mark.parametrize(
    "command",
    [
        "echo x > file",
        "echo x > /home/me/project/file",
        "rm -rf build ./dist sub/../x",
        "rm /home/me/project/../project/x",
        "cp /etc/hosts .",
        "cp -r ~/template src/",
        "echo x > /dev/null 2>&1",
        "echo x > /tmp/scratch",
        "rm -rf /tmp/x",
        "cat /etc/hosts",
        "sed s/a/b/ /etc/hosts",
        "ln -s /etc/hosts hosts",
        "dd if=/dev/zero of=x",
        "ls ~ && cd ..",
        "touch -r /etc/hosts x",
        "echo 'rm -rf ~'",
        "grep x < /etc/hosts",
        "rm $file",
        "mkdir -m 700 x",
    ],
)
def test_a_command_that_writes_inside_or_only_reads_outside_is_not(command: str) -> None:
    assert effects_of("Bash", {"command": command}, root="/home/me/project", cwd="/home/me/project") == ()


def test_where_the_agent_stands_counts() -> None:
    command = {"command": "rm ../x"}
    assert effects_of("Bash", command, root="/home/me/project", cwd="/home/me/project/sub") == ()
    assert effects_of("Bash", command, root="/home/me/project", cwd="/home/me/project") != ()
