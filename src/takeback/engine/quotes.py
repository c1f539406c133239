"""Where a secret is quoted: in conversations, in an agent's memory, and in what was recorded of prompts and tool calls.

A quote is a long word of the secret: a token, a key, a password that nobody would choose. Shorter words may be anybody's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from takeback.model.tree import Entry
from takeback.sources import trees
from takeback.store.reader import Reader

TELLING = 16
"""So many characters are no word by chance."""
_WORD = re.compile(rf"[^\s\"'=,;<>(){{}}\[\]]{{{TELLING},}}")
_MOST_BYTES = 256 << 10
_MOST_WORDS = 20_000


class Quotes:
    """A search for the words of some contents; each stored piece of a conversation or a value is looked at once."""

    def __init__(self, reader: Reader, contents: Mapping[bytes, Entry]) -> None:
        self._reader = reader
        self._contents = contents
        words = _words(reader, contents.values())
        self._words = _compiled(words)
        self._longest = 6 * max(map(len, words), default=0)  # as JSON writes what is not ASCII
        self._known: dict[bytes, bool] = {}
        self._documents: dict[bytes, bool] = {}

    def in_text(self, text: str) -> bool:
        return self._words is not None and self._words.search(text.encode("utf-8", "replace")) is not None

    def in_value(self, value: Any) -> bool:
        """Whether any text of a JSON value quotes it."""
        return self.in_text(json.dumps(value)) or self.in_text(json.dumps(value, ensure_ascii=False))

    def in_conversation(self, tree: bytes) -> bool:
        if self._words is None:
            return False
        return any(self.in_blob(entry.id) for entry in trees.load_checked(self._reader, tree, 0).values())

    def in_document(self, root: bytes) -> bool:
        """Whether a value quotes it anywhere, or holds all of it: text stands in documents as it is."""
        from takeback.documents.walking import load, walk

        for blob, found in walk(lambda blob: load(self._reader, blob), root, self._documents):
            inner = any(self._documents[each] for each in found.documents)
            held = any(each in self._contents or self.in_blob(each) for each in found.contents)
            self._documents[blob] = inner or held or self.in_blob(blob)
        return self._documents[root]

    def without(self, value: Any) -> Any:
        """A JSON value in which no text quotes it any more."""
        if isinstance(value, dict):
            return {key: self.without(each) for key, each in value.items() if not self.in_text(key)}
        if isinstance(value, list | tuple):
            return [self.without(each) for each in value]
        return "purged" if isinstance(value, str) and self.in_value(value) else value

    def in_blob(self, blob: bytes) -> bool:
        """Whether a file, or a stored piece of something, does."""
        if blob not in self._known:
            self._known[blob] = self._words is not None and self._in_pieces(self._words, self._reader.stream(blob))
        return self._known[blob]

    def _in_pieces(self, words: re.Pattern[bytes], pieces: Iterable[bytes]) -> bool:
        """Whether a word is in one of the pieces, or where two of them meet."""
        before = b""
        for piece in pieces:
            data = before + piece
            if words.search(data) is not None:
                return True
            before = data[max(0, len(data) - self._longest) :]
        return False


def _words(reader: Reader, entries: Iterable[Entry]) -> set[str]:
    found: set[str] = set()
    for entry in entries:
        data = b""
        for piece in reader.stream(entry.id):
            data += piece
            if len(data) >= _MOST_BYTES:
                break
        found.update(_WORD.findall(data[:_MOST_BYTES].decode("utf-8", "replace")))
    return found if len(found) <= _MOST_WORDS else set(sorted(found, key=len)[-_MOST_WORDS:])


def _compiled(words: Iterable[str]) -> re.Pattern[bytes] | None:
    """What finds any of the words, as they are and however JSON has written them."""
    words = list(words)
    forms = {json.dumps(word, ensure_ascii=form)[1:-1].encode() for word in words for form in (True, False)}
    forms.update(word.encode() for word in words)
    return re.compile(b"|".join(map(re.escape, sorted(forms, key=len, reverse=True)))) if forms else None
