"""Whatever an agent types, it is read within bounds and without an error. Work is counted, not timed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from support.commands import DOES, DOES_NOT, IN_LINES
from takeback.adapters.hooks.effects import MOST, effects_of, outside_root
from takeback.adapters.hooks.effects.commands import KEYWORDS, STEPS, Budget, split

PIECES = st.sampled_from(
    ["git push", "'", '"', "\\", "`", "$(", ")", "(", "${", "}", "<<EOF", "<<-'E'", "\n", ";", "&&", "|", "&", "#", " ", "$'", "((",
     "))", "EOF\n", "case x in", "esac", "bash -c ", "2>&1", ">", "<(", "$", "a", "{ ", "\0", "\udcff", "é", "x=", "-", "[["]
)  # fmt: skip

COMMANDS = [*(command for some in DOES.values() for command in some), *DOES_NOT, *IN_LINES]


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join))
@example("`\\")
@example("$'\\")
@example("<<")
@example("git push <<")
def test_no_text_raises(text: str) -> None:
    for effect in effects_of("Bash", {"command": text}):
        assert effect.kind and effect.what.isprintable()


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(COMMANDS), st.integers(0, 200), PIECES)
def test_no_mutation_of_a_command_raises(text: str, at: int, piece: str) -> None:
    effects_of("Bash", {"command": text[:at] + piece + text[at:]})


@given(
    st.text(max_size=60),
    st.dictionaries(st.text(max_size=8), st.none() | st.text() | st.integers() | st.lists(st.text())),
)
def test_no_tool_raises(tool: str, input: dict[str, object]) -> None:
    effects_of(tool, input)


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1), min_size=1, max_size=6
    ).filter(
        lambda words: words[0] not in KEYWORDS
    )  # what stands behind one is read as a command, also if it is quoted
)
def test_quoted_words_come_back_as_they_were(words: list[str]) -> None:
    import shlex

    (command,) = split(shlex.join(words))
    assert command.words == words


MANY = 5_000_000
HOSTILE: dict[str, tuple[Callable[[], str], list[str] | None]] = {
    "a long word in quotes": (lambda: "echo '" + "a b; " * MANY + "' && git push", ["push"]),
    "a long heredoc": (lambda: "cat > x <<'EOF'\n" + "git push\n" * MANY + "EOF\ngit push", ["push"]),
    "a long message": (lambda: "git push -o '" + "a b; " * MANY + "'", ["push"]),
    "many words": (lambda: "a b " * MANY, ["unread"]),
    "many commands": (lambda: "git push;" * MANY, ["push", "unread"]),
    "many texts": (lambda: "bash -c 'x;';" * MANY, ["unread"]),
    "a long text for a shell": (lambda: "bash -c '" + "x;" * MANY + "'", ["unread"]),
    "parentheses": (lambda: "(" * MANY, []),
    "substitutions": (lambda: "$(" * MANY, None),
    "quoted substitutions": (lambda: '"$(' * MANY, None),
    "braces": (lambda: "${a:-" * MANY, None),
    "backticks": (lambda: "`" * (MANY + 1), None),
    "backslashes": (lambda: "\\" * MANY, None),
    "escapes": (lambda: "$'" + "\\'" * MANY, None),
    "heredocs": (lambda: "<<a " * MANY, None),
    "sums": (lambda: "((a)+" * MANY, None),
    "tabs": (lambda: "cat <<-A\n" + "\t" * MANY, None),
    "zeros": (lambda: "\0" * MANY, None),
    "an open quote": (lambda: "'" + "git push; " * MANY, ["push"]),
    "secrets": (lambda: "curl -d '" + "password: x " * MANY + "' h", ["network"]),
    "statements": (lambda: "psql -c '" + "select 1;/*" * MANY + "'", ["database"]),
}
"""Made when they are read: every process that a test forks would carry them all."""


@pytest.fixture
def calls() -> Iterator[list[int]]:
    """How many functions of ours were called."""
    count = [0]

    def note(frame: object, event: str, argument: object) -> None:
        count[0] += event == "call"

    sys.setprofile(note)
    yield count
    sys.setprofile(None)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_huge_input_is_read_within_bounds(name: str, calls: list[int]) -> None:
    text, kinds = HOSTILE[name]
    found = effects_of("Bash", {"command": text()})
    sys.setprofile(None)
    assert calls[0] < 40 * STEPS
    assert len(found) <= MOST + 2 and all(len(effect.what) <= 200 for effect in found)
    if kinds is not None:
        assert [effect.kind for effect in found] == kinds


def test_nested_shells_end_at_some_depth() -> None:
    import shlex

    text = "git push"
    for _ in range(12):
        text = f"bash -c {shlex.quote(text)}"
        effects_of("Bash", {"command": text})
    assert len(text) > 1000


def test_a_budget_is_shared_by_all_texts_of_a_command() -> None:
    budget = Budget(100)
    split("a b; " * 12, budget)
    assert 0 < budget.left < 100
    split("a b; " * 30, budget)
    assert budget.spent


def test_only_so_many_effects_of_one_call_are_listed() -> None:
    found = effects_of("Bash", {"command": "\n".join(f"git push remote{number}" for number in range(2 * MOST))})
    assert [effect.kind for effect in found[:-1]] == ["push"] * MOST
    assert found[-1] == ("unread", f"{MOST} more of the same command")
    files = outside_root([f"/x/{number}" for number in range(2 * MOST)], "/root")
    assert len(files) == MOST + 1 and files[-1].what == f"{MOST} more"
