"""Mutant: one planted fault."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Mutant:
    """A fault, as a text that replaces another one in a source file."""

    name: str
    file: str
    """Below ``src/takeback``."""
    before: str
    """Stands exactly once in the file."""
    after: str
    harm: str
    """A user would see this."""
    tests: tuple[str, ...]
    """Tests of `make test`, below ``tests``, that ought to kill it."""

    @property
    def path(self) -> Path:
        """The source file, from the top of the checkout."""
        return Path("src", "takeback", self.file)

    def applied_to(self, text: str) -> str:
        """The source with the fault; ValueError if the source is not the one that the mutant was written for."""
        if (count := text.count(self.before)) != 1:
            raise ValueError(f"mutant {self.name}: its text stands {count} times in {self.path}")
        return text.replace(self.before, self.after)
