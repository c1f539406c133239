from __future__ import annotations

from support.faults.fixtures import zygote

__all__ = ["zygote"]
