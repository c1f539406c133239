"""Hooks are added to every agent of a YAML file and taken out again without touching anything else."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, assume, given, settings

from support.agents_yaml import agents_file
from takeback.adapters.install.agent import Entry, ours
from takeback.adapters.install.formats import yamlagents, yamlsettings, yamltext
from takeback.adapters.install.formats.text import without_bytes
from takeback.errors import InvalidInput

OURS = ours("docker-agent")
RUN = "/usr/bin/python3 -P -m takeback hook docker-agent"
ENTRIES = (
    Entry("session_start", RUN, None, 30),
    Entry("pre_tool_use", RUN, "*", 60),
    Entry("turn_end", RUN, None, 60),
)


@given(agents_file())
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_was_added_is_complete_and_can_be_taken_out_to_the_byte(text: str) -> None:
    assume(_is_sound(text))

    edited = yamlagents.add(text, ENTRIES)

    assert yamlagents.is_complete(edited.text, OURS, ENTRIES)
    assert without_bytes(edited.text.encode(), edited.spans) == text.encode()
    assert yamlagents.value_without(edited.text, OURS) == yamlagents.value_without(text, OURS)


@given(agents_file())
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
def test_everything_else_is_still_there_when_the_bytes_are_not_known(text: str) -> None:
    assume(_is_sound(text))
    edited = yamlagents.add(text, ENTRIES)

    stripped = yamlagents.strip(edited.text, OURS, edited.made).text

    assert yamlagents.find(stripped, OURS) == []
    assert yamlagents.value_without(stripped, OURS) == yamlagents.value_without(text, OURS)
    assert re.findall(r"#[^\r\n]*", stripped) == re.findall(r"#[^\r\n]*", text)


def test_the_result_looks_like_the_rest_of_the_file() -> None:
    text = "agents:\n  root:\n    # which\n    model: claude # the large one\n    instruction: |\n      Be good.\n\n"

    edited = yamlagents.add(text, ENTRIES[:2])

    assert edited.text == (
        "agents:\n  root:\n    # which\n    model: claude # the large one\n"
        "    hooks:\n"
        "      session_start:\n"
        "        - type: command\n"
        f'          command: "{RUN}"\n'
        "          timeout: 30\n"
        "      pre_tool_use:\n"
        '        - matcher: "*"\n'
        "          hooks:\n"
        "            - type: command\n"
        f'              command: "{RUN}"\n'
        "              timeout: 60\n"
        "    instruction: |\n      Be good.\n\n"
    )
    assert yamlagents.strip(edited.text, OURS, edited.made).text == text


def test_a_hook_that_somebody_put_into_our_group_stays_in_it() -> None:
    edited = yamlagents.add("agents:\n  root:\n    model: x\n", ENTRIES).text
    place = "          hooks:\n"
    mixed = edited.replace(place, f"{place}            - type: command\n              command: ./mine.sh\n")

    stripped = yamlagents.strip(mixed, OURS, None).text

    assert stripped == (
        "agents:\n  root:\n    model: x\n    hooks:\n      pre_tool_use:\n"
        '        - matcher: "*"\n          hooks:\n            - type: command\n              command: ./mine.sh\n'
    )


def test_one_agent_under_two_names_gets_its_hooks_once() -> None:
    edited = yamlagents.add("agents:\n  root: &it\n    model: x\n  again: *it\n", ENTRIES)

    assert edited.text.count(RUN) == 3 and yamlagents.is_complete(edited.text, OURS, ENTRIES)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("agents: [", "line 1 is not YAML"),
        ("agents:\n  root:\n\tmodel: x\n", "line 3 is not YAML"),
        ("--- \na: 1\n--- \nb: 2\n", "is not YAML that can be edited"),
        ("a: *nobody\n", "line 1 is not YAML that can be edited"),
        ("models: {}\n", "it has no agents"),
        ("agents:\n- a\n", "it has no agents"),
        ("agents:\n  root: text\n", "the agent 'root' is no mapping"),
        ("agents:\n  root:\n    hooks: [a]\n", "`agents.root.hooks` is no mapping"),
        ("agents:\n  root:\n    hooks:\n      turn_end: now\n", "`turn_end` is no list"),
        ("agents:\n  root:\n    hooks: {}\n    hooks: {}\n", "`hooks` is there 2 times"),
        ("[" * 3000, "is not YAML that can be edited"),
    ],
)
def test_what_cannot_be_edited_is_refused_with_its_place(text: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(why)):
        yamlagents.add(text, ENTRIES)


class TestSettings:
    """The user's own configuration has one place for hooks."""

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "# mine\n",
            "# mine",
            "settings:\n",
            "settings: # mine\naliases: {}\n",
            "settings:\n  theme: auto # mine",
            "settings:\n  hooks:\n    session_start:\n      - type: command\n        command: ls\n  sound: true\n",
            "settings: {theme: auto}\r\n",
            "aliases:\r\n  a:\r\n    path: x\r\n",
            "{}\n",
        ],
    )
    def test_hooks_come_and_go_to_the_byte(self, text: str) -> None:
        edited = yamlsettings.add(text, ENTRIES)

        assert yamlsettings.is_complete(edited.text, OURS, ENTRIES)
        assert without_bytes(edited.text.encode(), edited.spans) == text.encode()
        assert yamlsettings.value_without(edited.text, OURS) == yamlsettings.value_without(text, OURS)
        stripped = yamlsettings.strip(edited.text, OURS, edited.made).text
        assert yamlsettings.find(stripped, OURS) == []
        assert yamlsettings.value_without(stripped, OURS) == yamlsettings.value_without(text, OURS)

    def test_a_settings_that_is_something_else_is_refused(self) -> None:
        with pytest.raises(InvalidInput, match="`settings` is no mapping"):
            yamlsettings.add("settings: 5\n", ENTRIES)


def _is_sound(text: str) -> bool:
    try:
        yamltext.compose(text)
    except InvalidInput:
        return False
    return True
