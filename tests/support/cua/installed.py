"""Where `scripts/cua` has put cua-agent, and how to start a program with it."""

from __future__ import annotations

import os
from pathlib import Path

AGENT = "cua-agent==0.9.1"

_ROOT = Path(__file__).resolve().parents[3]
PLACE = Path(os.environ.get("TAKEBACK_TEST_CUA") or _ROOT / ".cua")
STAMP = PLACE / "installed"
PYTHON = PLACE / "bin" / "python"


def present() -> bool:
    """Whether the version that tests want is there."""
    return STAMP.is_file() and STAMP.read_text().split()[:1] == [AGENT]


def environment() -> dict[str, str]:
    """For a program that runs the agent with the takeback of this checkout: nothing of it asks the network."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(_ROOT / "src"), str(_ROOT / "tests")]),
        "CUA_TELEMETRY_ENABLED": "false",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_LOG": "ERROR",
    }
