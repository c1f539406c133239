"""The plugin, run by node as opencode runs it: what it is told comes to the hook command, whatever is in it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.agents import installed
from takeback.adapters.install.agents.opencode import OPENCODE

HOOK = "{takeback} hook opencode"
DRIVE = """\
import { Takeback } from "./plugin.mjs"
const client = { session: { get: async () => ({ data: {} }) } }
const awake = setInterval(() => {}, 1000) // as opencode is
const plugin = await Takeback({ client, directory: "/project" })
const [sessionID, text] = JSON.parse(process.env.SAID)
await plugin["chat.message"]({ sessionID }, { parts: [{ type: "text", text: text.repeat(Number(process.env.TIMES)) }] })
clearInterval(awake)
"""


def told(directory: Path, text: str, times: int) -> Any:
    """What the hook command reads on stdin when somebody says something."""
    keep = shlex.join([sys.executable, "-c", "import sys; open('heard', 'wb').write(sys.stdin.buffer.read())"])
    assert HOOK in OPENCODE.whole
    (directory / "plugin.mjs").write_text(OPENCODE.whole.replace(HOOK, keep.replace('"', '\\"')))
    (directory / "drive.mjs").write_text(DRIVE)
    env = {**os.environ, "PATH": installed.search_path(), "SAID": json.dumps(["s-1", text]), "TIMES": str(times)}
    subprocess.run(["node", "drive.mjs"], cwd=directory, env=env, check=True)
    return json.loads((directory / "heard").read_bytes())


@pytest.mark.service("opencode")
@pytest.mark.parametrize("times", [1, 20_000], ids=["short", "long"])
def test_every_character_of_an_event_arrives(tmp_path: Path, times: int) -> None:
    text = "'quoted' \"twice\" $HOME `id` \\n \\\\ %s %d !x\nä€😀\t"
    event = told(tmp_path, text, times)
    assert isinstance(event.pop("timestamp_ms"), int)
    assert event == {
        "hook_event_name": "prompt",
        "session_id": "s-1",
        "cwd": "/project",
        "prompt": text * times,
    }
