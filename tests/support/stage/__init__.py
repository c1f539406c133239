"""A staged story: a realistic project with a history, for screenshots, for tests of the faces, and to play with.

``python -m support.stage DIRECTORY`` (in ``tests/``) makes one and says how to look at it.
"""

from __future__ import annotations

from support.stage.stage import Story
from support.stage.story import story
from support.stage.turns import BAD, HOSTILE_NAME, HOSTILE_PROMPT

__all__ = ["BAD", "HOSTILE_NAME", "HOSTILE_PROMPT", "Story", "story"]
