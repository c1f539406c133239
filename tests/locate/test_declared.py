"""How a configuration names containers and teams, and what it cannot say."""

from __future__ import annotations

from typing import Any

import pytest

from takeback.errors import InvalidInput
from takeback.locate.declared import Declared, check_modest, from_key, parse


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([], ()),
        (["sandbox"], (Declared("container", "container", "sandbox"),)),
        (["db=pg-1", "sandbox"], (Declared("container", "db", "pg-1"), Declared("container", "container", "sandbox"))),
        ([{"name": "sandbox"}], (Declared("container", "container", "sandbox"),)),
        (
            [{"name": "sandbox", "part": "box", "volumes": False, "strategy": "stream"}],
            (Declared("container", "box", "sandbox", {"volumes": False, "strategy": "stream"}),),
        ),
    ],
)
def test_a_container_is_a_text_or_a_table(value: Any, expected: tuple[Declared, ...]) -> None:
    assert parse("container", value) == expected
    assert parse("container", expected) == expected  # as it is once it was read


def test_a_team_has_options_of_its_own() -> None:
    (team,) = parse("team", [{"name": "alpha", "workspaces": True}])
    assert team == Declared("team", "team", "alpha", {"workspaces": True})
    with pytest.raises(InvalidInput, match="'volumes' is no option of a team"):
        parse("team", [{"name": "alpha", "volumes": True}])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("sandbox", "not a list"),
        ({"name": "sandbox"}, "not a list"),
        ([5], "5 is no container"),
        ([["a"]], "a list is no container"),
        ([""], "cannot be the name"),
        (["=a"], "cannot be the name of a part"),
        (["a="], "cannot be the name of a container"),
        (["a=b=c"], "cannot be the name"),
        (["../up"], "cannot be the name"),
        (["/abs"], "cannot be the name"),
        (["-rf"], "cannot be the name"),
        (["a b"], "cannot be the name"),
        (["a\n"], "cannot be the name"),
        (["a\x1b[2J"], "cannot be the name"),
        (["a" * 1000], "cannot be the name"),
        (["workspace=a"], "is takeback's own"),
        (["transcript-x=a"], "is takeback's own"),
        (["a", "b"], "two parts are called 'container'"),
        ([{"name": 5}], "cannot be the name"),
        ([{"part": "a"}], "cannot be the name"),
        ([{"name": "a", "image": "yes"}], "cannot be 'yes'"),
        ([{"name": "a", "image": 1}], "cannot be 1"),
        ([{"name": "a", "strategy": "magic"}], "'magic' is no strategy"),
        ([{"name": "a", "allow_wider": True}], "no option"),
        ([{"name": "a", "force": True}], "no option"),
        (["a"] * 33, "too many"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(value: Any, said: str) -> None:
    with pytest.raises(InvalidInput) as error:
        parse("container", value)
    assert said in error.value.message
    assert len(error.value.message) < 160 and error.value.message.isprintable()


@pytest.mark.parametrize("option", ["binds", "secrets"])
def test_only_a_persons_own_configuration_reaches_further_than_the_container(option: str) -> None:
    found = parse("container", [{"name": "sandbox", option: True}])
    with pytest.raises(InvalidInput, match=f"may not set '{option}' of the container sandbox"):
        check_modest(found)


def test_a_key_names_one_and_leads_back_to_it() -> None:
    one = Declared("container", "box", "sandbox", {"image": True})
    assert one.key == "container box=sandbox"
    assert from_key(one.key, one.options) == one
    assert from_key("team my crew=.alpha", {}) == Declared("team", "my crew", ".alpha")  # as a person may have typed it
    assert (one.said, Declared("team", "team", "alpha").said) == ("container box=sandbox", "team alpha")


@pytest.mark.parametrize(
    ("key", "options"),
    [
        ("", {}),
        ("container", {}),
        ("workspace a=b", {}),
        ("container a=\x1b", {}),
        ("container workspace=b", {}),
        ("container =b", {}),
        ("container a=", {}),
        ("container a=b", {"allow_wider": True}),
        ("container a=b", {"name": "c"}),
    ],
)
def test_a_key_that_nothing_can_have_names_nothing(key: str, options: dict[str, Any]) -> None:
    assert from_key(key, options) is None
