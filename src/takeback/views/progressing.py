"""How far long work has come, in words."""

from __future__ import annotations

from takeback.model.progress import Progress
from takeback.model.sizes import format_size
from takeback.views.text import count, visible

_WORDS = {"scan": "looking at", "store": "storing", "apply": "writing", "place": "putting in place"}
_WORDS |= {"check": "checking", "mark": "following", "fold": "packing", "collect": "collecting", "copy": "copying"}


def progress_words(progress: Progress) -> str:
    """Such as ``writing 1,204 items of 5,000, 12 MB``."""
    if progress.phase == "wait":
        return f"waiting for {visible(progress.text)}"
    what = f"{_WORDS.get(progress.phase, progress.phase)} {count(progress.done, 'item')}"
    if progress.total:
        what += f" of {progress.total:,}"
    return what + (f", {format_size(progress.size)}" if progress.size else "")
