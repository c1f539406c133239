"""Adding items to JSON that somebody wrote, in the way they wrote it, and taking items out again.

A new item goes behind the last one and the comments on its line; it takes over the indentation, the line ends and the
trailing comma that are customary there. Taking it out removes it from the end of what stands before it, so that the one
undoes the other also where nobody remembers what was added.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from takeback.adapters.install.formats.jsonc import Document, Item, Node
from takeback.adapters.install.formats.text import Insertion, Span, indentation, newline

DEFAULT_INDENT = "  "


def add(document: Document, node: Node, new: Sequence[tuple[str | None, Any]]) -> list[Insertion]:
    """Put members (with a key) or elements (without) at the end of an object or array."""
    text = document.text
    line_end, unit = newline(text), indent_unit(document)
    outer = indentation(text, node.start)
    if not node.items:
        return _into_empty(document, node, new, outer, unit, line_end)
    last = node.items[-1]
    lined = "\n" in text[node.start : node.items[0].start]
    inner = indentation(text, last.start) if lined else ""
    between = line_end + inner if lined else " "
    spots: list[Insertion] = []
    at = last.end if last.comma is None else last.comma.end
    if last.comma is None:
        spots.append(Insertion(last.end, ","))
    for comment in document.comments_after(at):
        if "\n" in text[at : comment.start]:
            break
        at = comment.end
        if comment.text.startswith("//"):
            between = line_end + inner
    rendered = f",{between}".join(_rendered(key, value, inner, unit, line_end, lined) for key, value in new)
    end = "," if last.comma is not None else ""
    spots.append(Insertion(at, between + rendered + end))
    return spots


def _into_empty(
    document: Document, node: Node, new: Sequence[tuple[str | None, Any]], outer: str, unit: str, line_end: str
) -> list[Insertion]:
    at = document.token_before(node.end - 1).end
    inner = outer + unit
    between = line_end + inner
    rendered = f",{between}".join(_rendered(key, value, inner, unit, line_end, True) for key, value in new)
    closing = "" if "\n" in document.text[at : node.end - 1] else line_end + outer
    return [Insertion(at, between + rendered + closing)]


def _rendered(key: str | None, value: Any, outer: str, unit: str, line_end: str, lined: bool) -> str:
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if not lined:
        return name + json.dumps(value, ensure_ascii=False)
    whole = json.dumps(value, ensure_ascii=False, indent=unit)
    return name + whole.replace("\n", line_end + outer)


def remove(document: Document, items: Iterable[tuple[Node, Item]]) -> list[Span]:
    """The stretches to cut so that these items, each of its container, are gone and the rest is as valid as before."""
    by_node: dict[int, tuple[Node, list[Item]]] = {}
    for node, item in items:
        by_node.setdefault(id(node), (node, []))[1].append(item)
    return [span for node, gone in by_node.values() for span in _remove(document, node, gone)]


def _remove(document: Document, node: Node, gone: Sequence[Item]) -> Iterator[Span]:
    staying = [item for item in node.items if not any(item is each for each in gone)]
    for item in gone:
        yield Span(document.token_before(item.start).end, item.end)
        if item.comma is not None:
            yield Span(item.comma.start, item.comma.end)
    if not staying:
        if not document.comments_within(node):
            yield Span(node.start + 1, node.end - 1)
    elif staying[-1].comma is not None and node.items[-1].comma is None:
        comma = staying[-1].comma  # it was there for those that go
        yield Span(comma.start, comma.end)


def indent_unit(document: Document) -> str:
    """What one more level of depth costs in this text."""
    for item in document.root.items:
        if "\n" in document.text[document.root.start : item.start]:
            inner = indentation(document.text, item.start)
            outer = indentation(document.text, document.root.start)
            return inner.removeprefix(outer) or DEFAULT_INDENT
    return DEFAULT_INDENT
