"""Hooks are added to JSON and taken out again without touching anything else."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import settings as profile
from hypothesis import strategies as st

from support.configurations import settings
from takeback.adapters.install.agent import Entry, ours
from takeback.adapters.install.formats import jsonhooks
from takeback.adapters.install.formats.jsonc import parse
from takeback.adapters.install.formats.text import without_bytes
from takeback.errors import InvalidInput

OURS = ours("claude-code")
RUN = "/usr/bin/python3 -P -m takeback hook claude-code"
ENTRIES = (
    Entry("SessionStart", RUN, None, 30),
    Entry("PreToolUse", RUN, "^(Bash|mcp__.*)$", 60),
    Entry("Stop", RUN, None, 60),
)


def _plain(text: str) -> object:
    """What JSON itself makes of a text, for texts without comments."""
    return json.loads(text.removeprefix("\ufeff"))


@given(settings())
@profile(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_was_added_is_found_and_can_be_taken_out_to_the_byte(text: str) -> None:
    edited = jsonhooks.add(text, ENTRIES)

    assert sorted(found.entry for found in jsonhooks.find(edited.text, OURS)) == sorted(ENTRIES)
    assert without_bytes(edited.text.encode(), edited.spans) == text.encode()
    assert jsonhooks.value_without(edited.text, OURS) == jsonhooks.value_without(text, OURS)


@given(settings())
@profile(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
def test_everything_else_is_still_there_when_nobody_remembers_what_was_added(text: str) -> None:
    edited = jsonhooks.add(text, ENTRIES)

    stripped = jsonhooks.strip(edited.text, OURS, edited.made).text

    assert jsonhooks.find(stripped, OURS) == []
    assert parse(stripped).root.value() == parse(text).root.value()
    assert [token.text for token in parse(stripped).tokens] == [token.text for token in parse(text).tokens]


@given(settings())
@profile(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_file_with_members_comes_back_to_the_byte_without_any_memory(text: str) -> None:
    root = parse(text).root
    assume(root.items and not root.members("hooks"))
    edited = jsonhooks.add(text, ENTRIES)

    assert jsonhooks.strip(edited.text, OURS, None).text == text


@given(settings(), st.data())
@profile(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
def test_ours_go_from_a_file_that_was_reformatted_meanwhile(text: str, data: st.DataObject) -> None:
    value = _as_json(parse(jsonhooks.add(text, ENTRIES).text).root.value())
    other = json.dumps(value, indent=data.draw(st.sampled_from([None, 1, 4, "\t"])))

    stripped = jsonhooks.strip(other, OURS, None).text

    assert jsonhooks.find(stripped, OURS) == []
    assert jsonhooks.value_without(stripped, OURS) == jsonhooks.value_without(other, OURS)


def test_the_result_looks_like_the_rest_of_the_file() -> None:
    text = '{\n    "model": "opus", // mine\n    "env": {}\n}\n'

    edited = jsonhooks.add(text, ENTRIES[2:])

    assert edited.text == (
        '{\n    "model": "opus", // mine\n    "env": {},\n    "hooks": {\n        "Stop": [\n            {\n'
        '                "hooks": [\n                    {\n                        "type": "command",\n'
        f'                        "command": "{RUN}",\n                        "timeout": 60\n'
        "                    }\n                ]\n            }\n        ]\n    }\n}\n"
    )


def test_a_comment_stays_beside_what_it_is_about() -> None:
    text = '{\n  "model": "opus" // the large one\n}'

    edited = jsonhooks.add(text, ENTRIES[2:])

    assert '"model": "opus", // the large one\n  "hooks"' in edited.text
    assert jsonhooks.strip(edited.text, OURS, None).text == text


def test_hooks_of_others_in_the_same_event_stay() -> None:
    text = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}'
    edited = jsonhooks.add(text, ENTRIES)

    assert _plain(edited.text)["hooks"]["Stop"][0] == _plain(text)["hooks"]["Stop"][0]  # type: ignore[index]
    assert jsonhooks.strip(edited.text, OURS, edited.made).text == text


def test_a_hook_that_somebody_put_into_our_group_stays_in_it() -> None:
    mixed = {"hooks": [{"type": "command", "command": "say done"}, {"type": "command", "command": RUN}]}
    text = json.dumps({"hooks": {"Stop": [mixed]}})

    stripped = jsonhooks.strip(text, OURS, None).text

    assert _plain(stripped) == {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}


def test_containers_that_were_there_before_stay_when_they_are_empty_again() -> None:
    text = '{"hooks": {"Stop": []}, "a": 1}'
    edited = jsonhooks.add(text, ENTRIES)

    stripped = jsonhooks.strip(edited.text + "\n", OURS, edited.made).text

    assert _plain(stripped) == _plain(text)


def test_a_comment_inside_what_we_made_keeps_it() -> None:
    edited = jsonhooks.add("{}", ENTRIES[2:])
    text = edited.text.replace('"Stop": [', '"Stop": [ // one day: another')

    stripped = jsonhooks.strip(text, OURS, edited.made).text

    assert "// one day: another" in stripped
    assert parse(stripped).root.value() == (("hooks", (("Stop", []),)),)


@pytest.mark.parametrize("text", ["", "\n", "\ufeff", " \t\r\n"])
def test_an_empty_file_counts_as_an_empty_object(text: str) -> None:
    edited = jsonhooks.add(text, ENTRIES)

    assert len(jsonhooks.find(edited.text, OURS)) == 3
    assert without_bytes(edited.text.encode(), edited.spans) == text.encode()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "line 1 is not JSON: it ends where"),
        ('{\n"a": 1\n"b": 2}', "line 3 is not JSON"),
        ("{'a': 1}", "line 1 is not JSON"),
        ('{"a": 01}', "line 1 is not JSON"),
        ('{"a": "\\x"}', "line 1 is not JSON"),
        ('{"a": "\\u12"}', "line 1 is not JSON"),
        ("{} {}", "line 1 is not JSON"),
        ("{/* ", "line 1 is not JSON"),
        ("{,}", "line 1 is not JSON"),
        ("[" * 5000 + "]" * 5000, "nested too deeply"),
        ("[]", "the whole is a list instead of an object"),
        ("null", "the whole is None instead of an object"),
        ('{"hooks": []}', "`hooks` is a list instead of an object"),
        ('{"hooks": {"Stop": {}}}', "`hooks.Stop` is an object instead of a list"),
        ('{"hooks": {}, "hooks": {}}', "`hooks` is there 2 times"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_place(text: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(why)):
        jsonhooks.add(text, ENTRIES)


def _as_json(value: object) -> object:
    if isinstance(value, tuple):
        return {key: _as_json(each) for key, each in value}
    return [_as_json(each) for each in value] if isinstance(value, list) else value
