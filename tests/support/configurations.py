"""JSON as people write it, generated: comments, odd blanks, trailing commas, other hooks, other line ends."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

BLANKS = st.sampled_from(
    ["", "", "", " ", "\n", "\n  ", "\t", "\r\n    ", " /* a, {b} */ ", " // c: [\n", "\n// d\n\n"]
)
KEYS = st.sampled_from(["model", "env", "permissions", "hooks", "Stop", "a b", 'qu"ote', "ünï", "\\u00e9"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.sampled_from(["// no comment", "/* nor this */", "\u2028", "-m takeback save", "}"]),
)
OTHERS = st.sampled_from(["echo done", "/usr/bin/python -m takeback hook other", "prettier --write ."])
EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "Notification")


@st.composite
def _hook(draw: st.DrawFn) -> dict[str, Any]:
    return {"type": "command", "command": draw(OTHERS), **draw(st.sampled_from([{}, {"timeout": 5}]))}


GROUPS = st.fixed_dictionaries(
    {"hooks": st.lists(_hook(), max_size=2)}, optional={"matcher": st.sampled_from(["", "*", "Bash"])}
)
HOOKS = st.dictionaries(st.sampled_from(EVENTS), st.lists(GROUPS, max_size=2), max_size=3)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def settings(draw: st.DrawFn) -> str:
    """A whole configuration of an agent, as text."""
    value = draw(st.dictionaries(KEYS.filter(lambda key: key != "hooks"), VALUES, max_size=4))
    items = list(value.items())
    if draw(st.booleans()):
        items.insert(draw(st.integers(0, len(items))), ("hooks", draw(HOOKS)))
    bom = draw(st.sampled_from(["", "", "\ufeff"]))
    pretty = draw(st.sampled_from([None, 0, 1, 2, 4, "\t"]))
    if pretty is not None and draw(st.booleans()):
        end = draw(st.sampled_from(["", "\n", "\r\n"]))
        text = json.dumps(dict(items), indent=pretty, ensure_ascii=draw(st.booleans())) + end
        return bom + (text.replace("\n", "\r\n") if draw(st.booleans()) else text)
    return bom + draw(BLANKS) + draw(written(dict(items))) + draw(BLANKS)


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """A value with blanks and comments wherever there may be some."""
    if isinstance(value, dict):
        items = [f"{_key(draw, key)}{draw(BLANKS)}:{draw(BLANKS)}{draw(written(each))}" for key, each in value.items()]
        opening, closing = "{}"
    elif isinstance(value, list):
        items = [draw(written(each)) for each in value]
        opening, closing = "[]"
    else:
        return json.dumps(value, ensure_ascii=draw(st.booleans()))
    inside = "".join(
        draw(BLANKS) + item + draw(BLANKS) + ("," if number + 1 < len(items) or draw(st.booleans()) else "")
        for number, item in enumerate(items)
    )
    return opening + inside + draw(BLANKS) + closing


def _key(draw: st.DrawFn, key: str) -> str:
    return json.dumps(key, ensure_ascii=draw(st.booleans()))
