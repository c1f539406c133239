"""Where a person's own files are, as the XDG specification has it."""

from __future__ import annotations

import os


def base(variable: str, *usual: str) -> str:
    """The directory that a variable names, else the usual one in the home directory. A path that is not absolute names none:
    it would lead into whatever repository one stands in."""
    named = os.environ.get(variable, "")
    return named if os.path.isabs(named) else os.path.join(os.path.expanduser("~"), *usual)
