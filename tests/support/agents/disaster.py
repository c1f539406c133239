"""A disaster that is taken back, as docs/agents.md shows it: real Claude Code, a real repository, and only the model a script.

    PYTHONPATH=tests .venv/bin/python -m support.agents.disaster

plays it, and writes what was printed into the page; tests/docs/test_agents.py plays it again, and fails if the page says
anything else. Every command that is shown was run as it stands, by a shell.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from support.agents import installed
from support.agents.claude_code import ClaudeCode
from support.agents.model import Model
from support.agents.script import Step, edit, ended, say, shell, write

PATIENCE = 90
PAGE = Path(__file__).resolve().parents[3] / "docs" / "agents.md"
BLOCK = re.compile(r"(?<=```\n)\$ claude -p .*?(?=```\n)", re.DOTALL)
"""Where the recording stands in the page."""

FILES = {
    "README.md": "# Shop\n\nSells tea.\n\n## Run\n\n    python src/app.py\n\n## Notes\n",
    "src/app.py": 'ROUTES = ["/", "/cart"]\n',
    "src/cart.py": "def total(items):\n    return sum(item.price for item in items)\n",
}
GOOD: Sequence[Step] = [
    write("src/health.py", 'def health():\n    return "ok"\n'),
    edit("src/app.py", '"/cart"]', '"/cart", "/health"]'),
    shell('git add -A && git commit -qm "Add a health check"'),
    say("The shop answers /health now."),
]
BAD: Sequence[Step] = [
    shell("rm -rf src"),
    edit("README.md", "Sells tea.", "Sells nothing."),
    shell('git add -A && git commit -qm "Clean up" && git push -q --force origin main'),
    say("I removed what was not needed, and pushed it."),
]


@dataclass
class Recording:
    """What a person typed and saw."""

    text: str = ""
    asked: list[str] = field(default_factory=list)
    """What the model was sent in each command that called the agent: all requests, as one text."""


class Disaster:
    """The shop, its repository and where that is pushed to, in ``base``; the agent's home is in it, too."""

    def __init__(self, base: Path, model: Model) -> None:
        self.project = base / "shop"
        self.home = base / "home"
        self._model = model
        self._claude = ClaudeCode(self.home, self.project, model)
        self._env = _environment(self._claude.env)
        for path, text in FILES.items():
            (self.project / path).parent.mkdir(parents=True, exist_ok=True)
            (self.project / path).write_text(text)
        settings = self.home / ".claude" / "settings.json"
        settings.parent.mkdir(parents=True)
        settings.write_text('{"permissions": {"defaultMode": "bypassPermissions"}}\n')
        self._shell("git init -q -b main && git add -A && git commit -qm Start")
        self._shell("git init -q --bare ../origin && git remote add origin ../origin && git push -q origin main")
        self._shell("takeback install claude-code --yes")
        self.recording = Recording()

    def play(self) -> Recording:
        self._agent('claude -p "add a health check"', GOOD)
        self._agent('claude --continue -p "clean up the project"', BAD)
        self._show('echo "- ask Anna about the port" >> README.md')
        self._show("ls")
        self._show("takeback log")
        self._show("takeback undo --dry-run")
        move = _found(r"`takeback undo (\w+) --only", self._show("takeback undo --yes"))
        self._show("ls src && cat README.md")
        session = _found(r"claude --resume (\S+)", self._show(f"takeback undo {move} --only transcript --yes"))
        self._agent(f'claude --resume {session} -p "go on"', [say("There is a health check. What is next?")])
        return self.recording

    def _agent(self, command: str, steps: Sequence[Step]) -> None:
        self._model.requests.clear()
        self._model.play(list(self._claude.translate(ended(steps))))
        self._show(command)
        assert self._model.over, f"{command} left {self._model.left} or asked for more"
        self.recording.asked.append(json.dumps(self._model.requests))

    def _show(self, command: str) -> str:
        printed = self._shell(command).replace(str(self.project), "/home/me/shop")
        self.recording.text += f"$ {command}\n{printed}"
        return printed

    def _shell(self, command: str) -> str:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=self.project,
            env=self._env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, f"{command}: {done.stdout}"
        return done.stdout


def _environment(agent: Mapping[str, str]) -> dict[str, str]:
    """A person's: `claude` and `takeback` are found, git knows who commits, and nothing else of this machine is seen."""
    own = {name: value for name, value in agent.items() if not name.startswith(("XDG_", "TAKEBACK_"))}
    programs = [str(installed.program("claude-code").parent), str(Path(sys.executable).parent), own["PATH"]]
    person = {f"GIT_{role}_{what}": "me@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    return {**own, **person, "PATH": os.pathsep.join(programs), "GIT_CONFIG_NOSYSTEM": "1", "TAKEBACK_UPKEEP": "off"}


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found is not None, text
    return found[1]


def main() -> None:
    with tempfile.TemporaryDirectory() as base, Model() as model:
        text = Disaster(Path(base), model).play().text
    page = PAGE.read_text()
    assert BLOCK.search(page), f"{PAGE} has no place for it"
    PAGE.write_text(BLOCK.sub(lambda match: text, page))


if __name__ == "__main__":
    main()
