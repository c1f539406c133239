"""YAML as text with places: what stands where, where something can be added, and which lines something takes up.

PyYAML says where each node begins. Where a block ends it does not say exactly (trailing comments and blank lines count as
inside), so new items go behind the last item whose last line is plain to see, else in front of the first one.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from takeback.adapters.install.formats.text import Insertion, Span, newline
from takeback.errors import InvalidInput, Unavailable

Node = Any
Pair = tuple[Node, Node]
_REST_OF_LINE = re.compile(r"[ \t]*(?:#[^\r\n]*)?(?=\r?\n|\Z)")


def compose(text: str) -> Node | None:
    """The text's nodes; None if it says nothing."""
    try:
        import yaml
    except ImportError:
        raise Unavailable(
            "editing YAML needs PyYAML, which is not installed", hints=["pip install 'takeback[docker-agent]'"]
        ) from None
    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}" if error.problem_mark is not None else "it"
        raise InvalidInput(f"{line} is not YAML that can be edited: {error.problem}") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise InvalidInput(f"it is not YAML that can be edited: {str(error).splitlines()[0]}") from None


def kind(node: Node) -> str:
    """``mapping``, ``sequence``, ``nothing`` for a value that was left out, or ``scalar``."""
    if node.id == "scalar" and node.value == "" and node.style is None:
        return "nothing"
    return str(node.id)


def pair(mapping: Node, key: str) -> Pair | None:
    """A mapping's key and value; InvalidInput if the key is there twice."""
    found = [(name, value) for name, value in mapping.value if name.id == "scalar" and name.value == key]
    if len(found) > 1:
        raise InvalidInput(f"`{key}` is there {len(found)} times, so it is unclear which one counts")
    return found[0] if found else None


def add_items(text: str, key: Node, node: Node, items: Sequence[Any]) -> Insertion:
    """Put values at the end of the sequence under a key, in its style."""
    if kind(node) not in ("sequence", "nothing"):
        raise InvalidInput(f"`{key.value}` is no list")
    if node.id == "sequence" and node.flow_style:
        return _into_flow(text, node, "[", json.dumps(items, ensure_ascii=False)[1:-1])
    return _into_block(text, key, node, block(list(items)))


def add_members(text: str, key: Node | None, node: Node, members: dict[str, Any]) -> Insertion:
    """Put members at the end of the mapping under a key, in its style."""
    if kind(node) not in ("mapping", "nothing"):
        raise InvalidInput(f"`{key.value if key is not None else 'the whole'}` is no mapping")
    if node.id == "mapping" and node.flow_style:
        return _into_flow(text, node, "{", json.dumps(members, ensure_ascii=False)[1:-1])
    return _into_block(text, key, node, block(members))


def block(value: Any) -> list[str]:
    """A value in block style: strings in quotes, as JSON writes them."""
    if isinstance(value, dict):
        return [line for name, each in value.items() for line in _entry(f"{name}:", each)]
    if isinstance(value, list):
        return [f"{'  ' if number else '- '}{line}" for item in value for number, line in enumerate(block(item))]
    return [value if isinstance(value, str) and value.isalpha() else json.dumps(value, ensure_ascii=False)]


def _entry(name: str, value: Any) -> list[str]:
    lines = block(value)
    return [name, *(f"  {line}" for line in lines)] if isinstance(value, dict | list) else [f"{name} {lines[0]}"]


def _into_flow(text: str, node: Node, bracket: str, shown: str) -> Insertion:
    at = text.index(bracket, node.start_mark.index) + 1
    return Insertion(at, shown + (", " if node.value else ""))


def _into_block(text: str, key: Node | None, node: Node, lines: Sequence[str]) -> Insertion:
    line_end = newline(text)
    if kind(node) == "nothing":
        assert key is not None
        indent = " " * (key.start_mark.column + 2)
        return Insertion(_line_end(text, node.end_mark.index), "".join(f"{line_end}{indent}{line}" for line in lines))
    start = first_of(text, node)
    indent = " " * column(text, start)
    for item in reversed(node.value):  # behind the last that ends plainly, so that comments stay with what follows them
        end = last_line_end(text, item[1] if node.id == "mapping" else item, after=start)
        if end is not None:
            return Insertion(end, "".join(f"{line_end}{indent}{line}" for line in lines))
    return Insertion(start, "".join(f"{line}{line_end}{indent}" for line in lines))


def first_of(text: str, node: Node) -> int:
    """Where the first item of a block begins: its key, or its dash."""
    if node.id == "mapping":
        return int(node.value[0][0].start_mark.index)
    return dash_of(text, node.value[0])


def dash_of(text: str, item: Node) -> int:
    """Where the dash of an item of a block sequence is."""
    before = text[: item.start_mark.index].rstrip(" \t\r\n")
    if not before.endswith("-"):
        raise InvalidInput(f"line {item.start_mark.line + 1} is written in a way that cannot be edited")
    return len(before) - 1


def last_line_end(text: str, node: Node, after: int = 0) -> int | None:
    """Where the last line of a node ends; None where that is not plain to see, as behind a block of text."""
    leaf = node
    if leaf.start_mark.index < after:
        return None  # an alias: what it names stands elsewhere
    while leaf.id != "scalar" and not leaf.flow_style and leaf.value:
        last = leaf.value[-1]
        inner = last[1] if leaf.id == "mapping" else last
        if inner.start_mark.index < (last[0].end_mark.index if leaf.id == "mapping" else leaf.start_mark.index):
            return None
        leaf = inner
    if leaf.id == "scalar" and leaf.style in ("|", ">"):
        return None
    end = leaf.end_mark.index
    return _line_end(text, end) if _REST_OF_LINE.match(text, end) else None


def lines_of(text: str, start: int, node: Node) -> Span:
    """The whole lines from an offset to the end of a node; InvalidInput if something else stands on them."""
    begin = text.rfind("\n", 0, start) + 1
    end = last_line_end(text, node)
    if end is None or text[begin:start].strip(" "):
        raise InvalidInput(f"line {text.count(chr(10), 0, start) + 1} is written in a way that cannot be edited")
    after = text.find("\n", end)
    if after >= 0:
        return Span(begin, after + 1)
    return Span(max(begin - len(newline(text)), 0), len(text))


def flow_item(node: Node, item: Node) -> Span:
    """What to cut so that an item of a flow sequence or mapping is gone, comma included."""
    items = [each[1] if node.id == "mapping" else each for each in node.value]
    starts = [each[0].start_mark.index if node.id == "mapping" else each.start_mark.index for each in node.value]
    at = next(number for number, each in enumerate(items) if each is item)
    if at + 1 < len(items):
        return Span(starts[at], starts[at + 1])
    begin = items[at - 1].end_mark.index if at else starts[at]
    return Span(begin, item.end_mark.index)


def column(text: str, offset: int) -> int:
    return (
        offset
        - (text.rfind("\n", 0, offset) + 1)
        - (1 if text.startswith("\ufeff") and "\n" not in text[:offset] else 0)
    )


def _line_end(text: str, offset: int) -> int:
    found = re.compile(r"\r?\n|\Z").search(text, offset)
    assert found is not None
    return found.start()


def digest(node: Node | None, skip: set[int], known: dict[int, bytes] | None = None) -> bytes:
    """What a node says, as a hash: aliases are followed once, and members whose value is in ``skip`` do not count."""
    known = {} if known is None else known
    if node is None:
        return b""
    if id(node) not in known:
        known[id(node)] = b"a node inside of itself"
        known[id(node)] = hashlib.sha256(b"".join(_pieces(node, skip, known))).digest()
    return known[id(node)]


def _pieces(node: Node, skip: set[int], known: dict[int, bytes]) -> Iterable[bytes]:
    yield f"{node.id} {node.tag} ".encode()
    if node.id == "scalar":
        yield node.value.encode("utf-8", "surrogatepass")
        return
    for each in node.value:
        parts = each if node.id == "mapping" else (each,)
        if id(parts[-1]) not in skip:
            yield from (digest(part, skip, known) for part in parts)
