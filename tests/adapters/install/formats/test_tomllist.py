"""Patterns are added to a list of a TOML file, and everything else in it stays as it was written."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from takeback.adapters.install.formats.tomllist import extend
from takeback.errors import InvalidInput

LINES = st.sampled_from(
    [
        "# a comment\n",
        "\n",
        'store = "/srv" # mine\n',
        "keep_last = 50\n",
        "text = '''\ninclude = [1]\n[no.table]\n'''\n",
        "[[effects]]\n",
        "kind = 'x'\r\n",
        "[table]\n",
        'include = ["other"]\n',
    ]
)
LISTS = st.sampled_from(
    ["", 'include = ["a"]\n', "include=[]\n", "include = [ # first\n  'a',\n  'b', # last\n]\n", '"include" = [ \n ]\n']
)


@given(st.lists(LINES, max_size=6), LISTS, st.lists(LINES, max_size=6), st.booleans())
def test_only_the_list_grows(above: list[str], listed: str, below: list[str], ends: bool) -> None:
    text = "".join([*above, listed, *below])
    text = text if ends else text.removesuffix("\n")
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        with pytest.raises(InvalidInput, match="not TOML"):
            extend(text, "include", [".env"])
        return

    after = extend(text, "include", [".env", ".env.*"])

    assert tomllib.loads(after) == {**before, "include": [".env", ".env.*", *before.get("include", [])]}
    assert _is_subsequence(text, after)
    assert extend(after, "include", [".env"]) == after


def test_a_new_line_goes_below_the_comment_about_the_whole_file() -> None:
    text = "# takeback, all machines\n\n# where\nstore = '/srv'\n"

    assert extend(text, "include", [".env"]) == (
        "# takeback, all machines\n\ninclude = [\".env\"]\n# where\nstore = '/srv'\n"
    )


def test_an_empty_file_becomes_one_line() -> None:
    assert extend("", "include", [".env"]) == 'include = [".env"]\n'


def test_something_else_under_that_name_is_refused() -> None:
    with pytest.raises(InvalidInput, match="`include` is no list"):
        extend("include = '.env'\n", "include", [".env"])


def test_a_list_that_cannot_be_found_is_refused_with_what_to_add() -> None:
    with pytest.raises(InvalidInput, match="cannot be added to") as refused:
        extend('"\\u0069nclude" = ["a"]\n', "include", [".env"])
    assert refused.value.hints == ('add [".env"] to it',)


def _is_subsequence(short: str, long: str) -> bool:
    rest = iter(long)
    return all(character in rest for character in short)
