"""The package as a whole: its extras, its pins, what importing it costs, and that what the documents say exists."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]

APART = {"crewai", "cua"}
"""Extras that cannot be installed beside the others; pyproject.toml says why."""

NOT_FOR_A_SAVE = {
    "takeback.documents",
    "takeback.engine.apply",
    "takeback.engine.health",
    "takeback.engine.restore",
    "takeback.engine.undo",
    "takeback.model.plan",
    "takeback.sources.workspace.place.files",
    "takeback.sources.workspace.place.sweeping",
    "takeback.sources.workspace.planning",
    "takeback.store.verify",
    "asyncio",
    "msgspec",
    "tomllib",
}

NOT_FOR_A_HOOK = {*NOT_FOR_A_SAVE, "dataclasses", "inspect", "takeback.engine.history", "takeback.engine.references"}

SLOW = {
    "click",
    "rich",
    "textual",
    "starlette",
    "uvicorn",
    "jinja2",
    "pygments",
    "docker",
    "mcp",
    "obstore",
    "psycopg",
    "cryptography",
    "pydantic",
}
"""Packages that a hook, which runs before every tool call, has no time to import."""


def test_all_holds_every_extra_that_installs_beside_the_others() -> None:
    held = {name for entry in EXTRAS["all"] for name in re.fullmatch(r"takeback\[(.+)\]", entry)[1].split(",")}  # type: ignore[index]
    assert held == EXTRAS.keys() - APART - {"all", "dev", "fuzz"}


def test_everything_that_make_installs_is_pinned() -> None:
    asked = [*PROJECT["dependencies"], *EXTRAS["dev"], *EXTRAS["fuzz"]]
    wanted = {re.match(r"[\w.-]+", entry)[0] for entry in asked} - {"takeback"}  # type: ignore[index]
    assert wanted <= {line.partition("==")[0] for line in _pins()}


def test_pins_are_names_and_versions_without_addresses() -> None:
    for line in _pins():
        assert re.fullmatch(r"[a-z0-9.-]+==[\w.!-]+", line)


@pytest.mark.parametrize(
    "statement",
    [
        "import takeback; takeback.open; takeback.Workspace",
        "import takeback.engine.timeline",
        "import takeback.cli",
        "import takeback.cli.hooking, takeback.adapters.hooks.recording",
    ],
)
def test_what_a_hook_imports_is_light(statement: str) -> None:
    script = f"import sys; before = set(sys.modules)\n{statement}\nprint(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not SLOW & {name.partition(".")[0] for name in done.stdout.split()}


def test_a_save_loads_nothing_that_only_taking_back_needs(tmp_path: Path) -> None:
    """Modules are most of what a short command costs: a hook runs one at each turn."""
    script = "import sys; from takeback.cli import main; code = main(sys.argv[1:]); print(*sys.modules); sys.exit(code)"
    command = [sys.executable, "-c", script, "--store", str(tmp_path / "store"), "-C", str(tmp_path), "save"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not NOT_FOR_A_SAVE & set(done.stdout.split())


def test_a_log_and_a_status_load_nothing_of_documents(tmp_path: Path) -> None:
    """Only timelines with such parts need what can read them."""
    script = "import sys; from takeback.cli import main; code = main(sys.argv[1:]); print(*sys.modules); sys.exit(code)"
    place = ["--store", str(tmp_path / "store"), "-C", str(tmp_path)]
    for command in ("save", "log", "status", "diff"):
        done = subprocess.run([sys.executable, "-c", script, *place, command], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert not {"takeback.documents", "msgspec"} & set(done.stdout.split()), command


def test_a_hook_loads_even_less(tmp_path: Path) -> None:
    script = (
        "import sys; from takeback.cli import hooking; from takeback.adapters.hooks.event import Event; "
        "from takeback.adapters.hooks.recording import record; "
        "record('claude-code', Event('Stop', 'turn_end', 'session', sys.argv[1])); print(*sys.modules)"
    )
    (tmp_path / "project").mkdir()
    place = {**os.environ, "TAKEBACK_STORE": str(tmp_path / "store")}
    command = [sys.executable, "-c", script, str(tmp_path / "project")]
    done = subprocess.run(command, capture_output=True, text=True, env=place)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "store" / "store.json").exists()
    assert not NOT_FOR_A_HOOK & set(done.stdout.split())


def test_the_command_is_installed() -> None:
    (script,) = entry_points(group="console_scripts", name="takeback")
    assert callable(script.load())


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_every_make_target_in_the_documents_exists(document: str) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:`|^)make ([a-z]+)", (ROOT / document).read_text(), re.MULTILINE))
    assert named
    assert named <= targets


def _pins() -> list[str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return [line for line in lines if not line.startswith("#")]
