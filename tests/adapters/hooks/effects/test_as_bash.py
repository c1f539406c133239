"""What is found in a text is what bash runs of it: random scripts, run by the real bash, whose commands say that they ran."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from takeback.adapters.hooks.effects import effects_of
from takeback.model.effect_rule import EffectRule

BASH = shutil.which("bash")
RULES = (EffectRule("probe", command="probe"),)

pytestmark = pytest.mark.skipif(BASH is None, reason="there is no bash here to compare with")

PROBE = st.integers(0, 99).map(lambda number: f"probe {number}")
SIMPLE = PROBE.flatmap(
    lambda probe: st.sampled_from(
        [
            probe,
            f"A=1 B='x y' {probe}",
            f"timeout 9 {probe}",
            f"env -u X Y=2 {probe}",
            f"nice -n 1 {probe} '; probe 100'",
            f"command {probe}",
            f"{probe} 2>&1 >/dev/null </dev/null",
            f"{probe} \\\n  'probe\n100'",
            f"'pro'be {probe[6:]}",
            f"echo {probe}",
            f"echo '{probe}; {probe}' \"a; {probe}\" # {probe}",
            f"x='{probe}'",
            f"cat <<< '{probe}' >/dev/null",
            f'echo a\\;{probe} \\# "\\$({probe})"',
            f"echo $'it\\'s {probe};' ${{y:-1}} ${{#y}} $(( 1 << 2 ))",
            f"! {probe}",
            f"[[ a < b && {probe[6:]} -ge 0 ]]",
        ]
    )
)


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(inner, inner).flatmap(lambda two: st.sampled_from(_around(*two)))


def _around(a: str, b: str) -> list[str]:
    """Scripts of two others, so that each is either run or only mentioned."""
    end = f"END{len(a)}"  # no script has one of its own length inside
    return [
        f"{a}\n{b}",
        f"( {a}\n)",
        f"{{ {a}\n}}",
        f'echo "a $( {a}\n) b"',
        f"z=$( {a}\n)",
        f'echo "${{w:-$( {a}\n)}}"',
        f"true && {{ {a}\n}} ; {{ {b}\n}}",
        f"true | {{ {a}\n}} | cat",
        f"if true\nthen\n{a}\nfi\n{b}",
        f"for i in 1; do\n{a}\ndone",
        f"case a in\n(b) true;;\na) {a}\n;; esac\n{b}",
        f"case a in a|b) {a}\n;; *) true; esac; {b}",
        f"bash -c {shlex.quote(a)}",
        f"eval {shlex.quote(a)}",
        f"echo {shlex.quote(a)}",
        f"echo {shlex.quote(a)} >/dev/null && {{ {b}\n}}",
        f"cat <( {a}\n) >/dev/null; wait",
        f"cat >/dev/null <<'{end}'\n{a}\n{end}\n{b}",
        f"bash <<'{end}'\n{a}\n{end}\n{b}",
        f"cat <<'{end}' | bash\n{a}\n{end}\n{b}",
        f"cat >/dev/null <<-'{end}' && true\n\tit's\n\t{end}\n{b}",
        f'cat >/dev/null <<{end}\n\\$(probe 100) it\'s "$( {b}\n)"\n{end}\n{b}',
        f"message=\"$(cat <<'{end}'\n{a}\n{end}\n)\"\n{b}",
    ]


SCRIPTS = st.recursive(SIMPLE, _compound, max_leaves=8)


def ran(script: str) -> set[str]:
    """The commands that bash runs of a script."""
    assert BASH is not None
    with tempfile.TemporaryDirectory() as place:
        probe, notes = Path(place, "probe"), Path(place, "notes")
        probe.write_text('#!/bin/sh\nprintf "%s\\n" "$1" >> "$NOTES"\n')
        probe.chmod(0o755)
        notes.touch()
        environment = {"PATH": f"{place}:{os.environ['PATH']}", "NOTES": str(notes)}
        done = subprocess.run(
            [BASH, "-c", script], cwd=place, env=environment, capture_output=True, text=True, timeout=60
        )
        assume("syntax error" not in done.stderr)  # bash 5.2 itself fails at a heredoc in a case in a substitution
        return set(notes.read_text().split())


def found(script: str) -> set[str]:
    effects = effects_of("Bash", {"command": script}, RULES)
    assert {effect.kind for effect in effects} <= {"probe"}
    words = [effect.what.split() for effect in effects]
    return {line[line.index("probe") + 1] for line in words}


@settings(max_examples=120, deadline=None)
@given(SCRIPTS)
def test_what_is_found_is_what_bash_runs(script: str) -> None:
    assert found(script) == ran(script)
