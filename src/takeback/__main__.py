"""``python -m takeback`` is the command ``takeback``."""

from __future__ import annotations

import sys

from takeback.cli import main

if __name__ == "__main__":
    sys.exit(main())
