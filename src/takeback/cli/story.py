"""The story that `takeback demo` plays: an agent works, then ruins things, while a person goes on editing.

It is a real timeline in a real directory with a real shell; only the agent is scripted. What must stand at the end is
built here from its own record of who did what, never from what takeback did.
"""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from takeback.engine.timeline import Timeline

Tree = dict[str, tuple[str, int, bytes]]
"""Everything below a directory: kind, permission bits, and a file's bytes or a link's target."""

SESSION = "demo"

_README = "# Greeter\n\nSays hello.\n\n## Use\n\n    python greeter.py NAME\n\n## Licence\n\nMIT\n"
_GREETER = "import sys\n\n\ndef greet(name):\n    return f'hello {name}'\n\n\nprint(greet(sys.argv[1]))\n"
_PERSON_NOTE = "- call the customer on Monday\n"
_PERSON_LICENCE = "MIT, see LICENCE.txt\n"

RUIN = "clean up the project"
"""The title of the turn that goes wrong."""


def begin(root: Path) -> None:
    """The project as the person left it."""
    root.mkdir()
    _write(root / "README.md", _README)
    _write(root / "greeter.py", _GREETER)
    _write(root / "notes.md", "# Notes\n\n- write tests\n")
    (root / "data").mkdir()
    (root / "data" / "names.bin").write_bytes(bytes(range(256)) * 16)


def four_good_turns(line: Timeline, root: Path) -> None:
    """What an agent is hired for."""
    work: Mapping[str, Callable[[], object]] = {
        "add a test": lambda: _write(root / "tests" / "test_greeter.py", "def test_greet():\n    assert True\n"),
        "make the greeting polite": lambda: _replace(root / "greeter.py", "hello", "good day"),
        "add a script that runs it": lambda: _write(root / "run.sh", "#!/bin/sh\npython greeter.py World\n", 0o755),
        "describe the tests": lambda: _replace(root / "README.md", "## Licence", "## Test\n\n    pytest\n\n## Licence"),
    }
    for title, act in work.items():
        with line.turn(title, session=SESSION):
            with line.action(title, session=SESSION):
                act()


def ruin(line: Timeline, root: Path, by_person: Callable[[str], None]) -> None:
    """A turn that goes wrong, while a person edits between the agent's tool calls and after them."""
    with line.turn(RUIN, session=SESSION):
        with line.action("Bash: rm greeter.py", session=SESSION, key="1"):
            _shell(root, "rm greeter.py")
        person_notes(root)
        by_person("a person adds a line to notes.md")
        with line.action("Bash: overwrite and litter", session=SESSION, key="2"):
            _shell(root, "head -c 4096 /dev/zero > data/names.bin; chmod 600 run.sh")
            _shell(root, "sed 's/Says hello/Says nothing/' README.md > README.tmp && mv README.tmp README.md")
            _shell(root, "mkdir -p build/cache && echo junk > build/cache/1.tmp && echo junk > TODO.txt")
    person_readme(root)
    by_person("a person edits README.md, which the agent has changed elsewhere")


def person_notes(root: Path) -> None:
    with (root / "notes.md").open("a") as file:
        file.write(_PERSON_NOTE)


def person_readme(root: Path) -> None:
    _replace(root / "README.md", "\nMIT\n", f"\n{_PERSON_LICENCE}")


def wanted(before_ruin: Tree) -> Tree:
    """What must stand after the undo: all as before the bad turn, and what the person did since."""
    tree = dict(before_ruin)
    _alter(tree, "notes.md", lambda data: data + _PERSON_NOTE.encode())
    _alter(tree, "README.md", lambda data: data.replace(b"\nMIT\n", f"\n{_PERSON_LICENCE}".encode()))
    return tree


def look(root: Path) -> Tree:
    """Read a whole directory, byte for byte."""
    tree: Tree = {}
    for directory, names, files in os.walk(root):
        for name in (*names, *files):
            path = Path(directory, name)
            status = path.lstat()
            key = str(path.relative_to(root))
            if stat.S_ISLNK(status.st_mode):
                tree[key] = ("link", 0, os.fsencode(os.readlink(path)))
            elif stat.S_ISDIR(status.st_mode):
                tree[key] = ("directory", stat.S_IMODE(status.st_mode), b"")
            else:
                tree[key] = ("file", stat.S_IMODE(status.st_mode), path.read_bytes())
    return tree


def differences(found: Tree, expected: Tree) -> list[str]:
    """In words, every path that is not as it should be."""
    words = []
    for path in sorted(found.keys() | expected.keys()):
        if path not in found:
            words.append(f"{path} is missing")
        elif path not in expected:
            words.append(f"{path} should not be there")
        elif found[path] != expected[path]:
            fields = zip(("kind", "permissions", "content"), found[path], expected[path], strict=True)
            words.append(f"{path} differs in its {', '.join(name for name, a, b in fields if a != b)}")
    return words


def _alter(tree: Tree, path: str, change: Callable[[bytes], bytes]) -> None:
    kind, mode, data = tree[path]
    altered = change(data)
    assert altered != data, f"the story's edit of {path} changes nothing"
    tree[path] = (kind, mode, altered)


def _write(path: Path, text: str, mode: int = 0o644) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text, f"the story expects {old!r} in {path.name}"
    path.write_text(text.replace(old, new, 1))


def _shell(root: Path, script: str) -> None:
    subprocess.run(["/bin/sh", "-euc", script], cwd=root, check=True, stdin=subprocess.DEVNULL)
