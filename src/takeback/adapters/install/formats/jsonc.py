"""JSON as people write it, with where everything stands: comments, trailing commas and a byte order mark are read over.

The values are what ``json`` makes of the same text. Objects are tuples of pairs, so that a key that comes twice and the
order of keys are part of what two texts are compared by.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from takeback.adapters.install.formats.text import BOM, line_of
from takeback.errors import InvalidInput

DEEPEST = 200
_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\n]+)
    |(?P<comment>//[^\r\n]*|/\*.*?\*/)
    |(?P<punctuation>[{}\[\],:])
    |(?P<scalar>"(?:[^"\\\x00-\x1f]|\\["\\/bfnrtu])*"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(slots=True)
class Token:
    kind: str
    start: int
    end: int
    text: str


@dataclass(slots=True)
class Node:
    """A value and its place; ``items`` are an object's members or an array's elements."""

    start: int
    end: int = 0
    kind: str = "scalar"
    """``object``, ``array`` or ``scalar``."""
    scalar: Any = None
    items: list[Item] = field(default_factory=list)

    def value(self) -> Any:
        if self.kind == "object":
            return tuple((item.key, item.node.value()) for item in self.items)
        if self.kind == "array":
            return [item.node.value() for item in self.items]
        return self.scalar

    def members(self, key: str) -> list[Item]:
        """The members of an object under a key: none, one, or what JSON forbids."""
        return [item for item in self.items if item.key == key]

    def get(self, key: str) -> Any:
        """A member's scalar value, if it has one."""
        found = self.members(key) if self.kind == "object" else []
        return found[-1].node.scalar if found else None


@dataclass(slots=True)
class Item:
    """A member or an element, from its key to its value, with the comma behind it."""

    start: int
    node: Node
    key: str | None = None
    comma: Token | None = None

    @property
    def end(self) -> int:
        return self.node.end


@dataclass(slots=True)
class Document:
    text: str
    root: Node
    tokens: list[Token]
    """All but blanks, in their order."""

    @property
    def has_comments(self) -> bool:
        return any(token.kind == "comment" for token in self.tokens)

    @property
    def has_trailing_commas(self) -> bool:
        punctuation = [token.text for token in self.tokens if token.kind != "comment"]
        return any(here == "," and after in "}]" for here, after in pairwise(punctuation))

    def token_before(self, offset: int) -> Token:
        """The last token, or comment, that ends at an offset or before it."""
        return self.tokens[bisect_right(self.tokens, offset, key=lambda token: token.end) - 1]

    def comments_after(self, offset: int) -> Iterator[Token]:
        """The comments that directly follow an offset, whatever line they are on."""
        for token in self.tokens[bisect_left(self.tokens, offset, key=lambda token: token.start) :]:
            if token.kind != "comment":
                return
            yield token

    def comments_within(self, node: Node) -> bool:
        """Whether there are comments in a container, outside of its items."""
        return any(
            token.kind == "comment"
            and node.start < token.start < node.end
            and not any(item.start <= token.start < item.end for item in node.items)
            for token in self.tokens
        )


def parse(text: str) -> Document:
    """Read a text; InvalidInput says on which line it stops making sense."""
    tokens = list(_tokens(text))
    reader = _Reader(text, [token for token in tokens if token.kind != "comment"])
    root = reader.value(0)
    reader.end()
    return Document(text, root, tokens)


def _tokens(text: str) -> Iterator[Token]:
    at = len(BOM) if text.startswith(BOM) else 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise broken(text, at, f"{text[at : at + 12]!r} makes no sense there")
        if found.lastgroup != "blank":
            yield Token(found.lastgroup or "", at, found.end(), found.group())
        at = found.end()


def broken(text: str, offset: int, why: str) -> InvalidInput:
    return InvalidInput(f"line {line_of(text, offset)} is not JSON: {why}")


class _Reader:
    def __init__(self, text: str, tokens: list[Token]) -> None:
        self._text = text
        self._tokens = tokens
        self._next = 0

    def value(self, depth: int) -> Node:
        token = self._take("a value")
        if depth > DEEPEST:
            raise broken(self._text, token.start, "it is nested too deeply")
        if token.text == "{":
            return self._items(Node(token.start, kind="object"), "}", depth)
        if token.text == "[":
            return self._items(Node(token.start, kind="array"), "]", depth)
        if token.kind != "scalar":
            raise self._unexpected(token, "a value")
        return Node(token.start, token.end, scalar=self._scalar(token))

    def end(self) -> None:
        if self._next < len(self._tokens):
            raise self._unexpected(self._tokens[self._next], "the end")

    def _items(self, node: Node, close: str, depth: int) -> Node:
        while True:
            token = self._peek()
            if token is not None and token.text == close:
                node.end = self._take(close).end
                return node
            if node.items and node.items[-1].comma is None:
                raise self._unexpected(token, f"`,` or `{close}`")
            node.items.append(self._item(node.kind, depth))

    def _item(self, kind: str, depth: int) -> Item:
        token = self._peek()
        key = None
        if kind == "object":
            name = self._take("a name")
            key = self._scalar(name) if name.text.startswith('"') else None
            if key is None:
                raise self._unexpected(name, "a name in quotes")
            if (colon := self._take("`:`")).text != ":":
                raise self._unexpected(colon, "`:`")
        node = self.value(depth + 1)
        item = Item(token.start if token is not None else node.start, node, key)
        following = self._peek()
        if following is not None and following.text == ",":
            item.comma = self._take("`,`")
        return item

    def _scalar(self, token: Token) -> Any:
        try:
            return json.loads(token.text)
        except ValueError as error:
            raise broken(self._text, token.start, str(error)) from None

    def _peek(self) -> Token | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def _take(self, wanted: str) -> Token:
        token = self._peek()
        if token is None:
            raise self._unexpected(None, wanted)
        self._next += 1
        return token

    def _unexpected(self, token: Token | None, wanted: str) -> InvalidInput:
        if token is None:
            return broken(self._text, len(self._text), f"it ends where {wanted} should be")
        return broken(self._text, token.start, f"{token.text[:12]!r} stands where {wanted} should be")
