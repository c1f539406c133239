"""Makes a story to play with: ``cd tests && ../.venv/bin/python -m support.stage DIRECTORY``."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from support.stage import story

if len(sys.argv) != 2:
    sys.exit(__doc__)
staged = story(Path(sys.argv[1]))
settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in staged.env.items())
program = f"{shlex.quote(sys.executable)} -m takeback"
print(f"export {settings}\ncd {shlex.quote(str(staged.root))}\n{program} ui\n{program} web")
