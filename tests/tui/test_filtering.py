from __future__ import annotations

from takeback.tui.filtering import typed
from takeback.views.rows import Filter

SESSIONS = [("9f3c-long", "claude-code"), ("77aa", "codex")]


def test_words_are_looked_for_and_prefixes_narrow() -> None:
    assert typed("fix  the test") == Filter(text="fix the test")
    assert typed("fix part:files session:77aa agent:codex", SESSIONS) == Filter("fix", "77aa", "codex", "workspace")
    assert typed("part:memory") == Filter(part="state")
    assert typed("part:sandbox", actions=True) == Filter(part="sandbox", actions=True)


def test_the_beginning_of_a_name_is_enough() -> None:
    assert typed("session:9f agent:cl", SESSIONS) == Filter(session="9f3c-long", agent="claude-code")
    assert typed("agent:nobody", SESSIONS) == Filter(agent="nobody")


def test_a_prefix_that_is_still_being_typed_narrows_nothing_and_other_colons_are_words() -> None:
    assert typed("session: agent:") == Filter()
    assert typed("http://x a:b") == Filter(text="http://x a:b")
