"""Files of agents for docker-agent as people write them, generated: styles, comments, anchors, line ends, other hooks."""

from __future__ import annotations

from hypothesis import strategies as st

COMMENTS = st.sampled_from(["", "", "", "\n", "# a comment: [\n", "      # another\n", "\n\n# - type: x\n"])
ENDS = st.sampled_from(["", "", " # why", "   "])
SCALARS = st.sampled_from(["claude", '"a: b # c"', "'it''s'", "5", "", "~", "*anchored", "[a, {b: c}]", "{}"])
TEXTS = st.sampled_from(["|\n{0}one\n\n{0}two\n", ">-\n{0}folded\n{0}text\n\n", "|+\n{0}kept\n\n\n", "|2\n{0}  deep\n"])
EVENTS = ["session_start", "user_prompt_submit", "pre_tool_use", "turn_end", "stop"]


@st.composite
def agents_file(draw: st.DrawFn) -> str:
    indent = draw(st.sampled_from([2, 4, 3]))
    pieces = [draw(st.sampled_from(["", "---\n", "#!/usr/bin/env docker agent run\n", 'version: "2"\n']))]
    pieces += ["base: &anchored x\n", draw(COMMENTS), "agents:", draw(ENDS), "\n"]
    for number in range(draw(st.integers(1, 3))):
        pieces += [draw(COMMENTS), draw(agent(f"agent{number}", indent))]
    pieces.append(draw(st.sampled_from(["", "models:\n  claude: {provider: anthropic}\n", "# the end\n"])))
    text = "".join(pieces)
    if draw(st.booleans()):
        text = text.removesuffix("\n")
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@st.composite
def agent(draw: st.DrawFn, name: str, indent: int) -> str:
    outer, inner = " " * indent, " " * 2 * indent
    if draw(st.integers(0, 5)) == 0:
        hooks = draw(st.sampled_from(["", ", hooks: {}", ", hooks: {turn_end: [], stop: [{command: ls}]}"]))
        return f"{outer}{name}: {{model: x{hooks}}}{draw(ENDS)}\n"
    keys = draw(st.permutations(["model", "instruction", "toolsets", "hooks"]))
    chosen = keys[: draw(st.integers(1, 4))]
    anchor = draw(st.sampled_from(["", " &it" + name, " # the " + name]))
    return f"{outer}{name}:{anchor}\n" + "".join(
        draw(COMMENTS).replace("      #", inner + "#") + draw(member(key, inner, indent)) for key in chosen
    )


@st.composite
def member(draw: st.DrawFn, key: str, inner: str, indent: int) -> str:
    if key == "model":
        return f"{inner}model: {draw(SCALARS)}{draw(ENDS)}\n"
    if key == "instruction":
        return f"{inner}instruction: " + draw(TEXTS).format(inner + "  ")
    if key == "toolsets":
        dash = inner + draw(st.sampled_from(["", "  "]))
        return draw(
            st.sampled_from(
                [
                    f"{inner}toolsets:\n{dash}- type: shell\n{dash}- type: think # well\n",
                    f"{inner}toolsets: [{{type: shell}},\n{inner}  {{type: think}}]\n",
                    f"{inner}toolsets:\n",
                    f"{inner}toolsets:\n{dash}- |\n{dash}  a\n{dash}-\n{dash}  b: c\n",
                ]
            )
        )
    return draw(hooks(inner, indent))


@st.composite
def hooks(draw: st.DrawFn, inner: str, indent: int) -> str:
    chosen = draw(st.sampled_from(["nothing", "flow", "block", "block"]))
    if chosen == "nothing":
        return f"{inner}hooks:{draw(ENDS)}\n"
    if chosen == "flow":
        return inner + draw(st.sampled_from(["hooks: {}", "hooks: { turn_end: [], stop: [{type: command}] }"])) + "\n"
    deeper = inner + " " * indent
    lines = [f"{inner}hooks:{draw(ENDS)}\n"]
    for event in draw(st.lists(st.sampled_from(EVENTS), min_size=1, max_size=4, unique=True)):
        dash = deeper + draw(st.sampled_from(["", "  "]))
        lines.append(
            draw(
                st.sampled_from(
                    [
                        f"{deeper}{event}:\n",
                        f"{deeper}{event}: []\n",
                        f"{deeper}{event}:\n{dash}- type: command\n{dash}  command: ./mine.sh # mine\n",
                        f"{deeper}{event}: [{{type: command, command: 'ls'}}]\n",
                        f"{deeper}{event}:\n{dash}- matcher: shell\n{dash}  hooks:\n{dash}  - command: |\n{dash}      a\n",
                    ]
                )
            )
        )
    return "".join(lines)
