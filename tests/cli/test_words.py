"""Whatever takeback tells people to type exists, and is told apart from the sentence around it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from takeback.cli.app import COMMANDS

SOURCES = Path(__file__).resolve().parents[2] / "src" / "takeback"
NAMED = re.compile(r"(`?)takeback ([a-z][\w-]*)")
EXAMPLE = re.compile(r"^ {6}takeback ([a-z][\w-]*)", re.MULTILINE)
SENTENCE = re.compile(r" (shows?|lists?|makes?|takes?|brings?|records?|finishes|names?|puts?|says?) ")

PROSE = {
    "again",
    "cannot",
    "could",
    "did",
    "is",
    "never",
    "on",
    "read",
    "reads",
    "runs",
    "stage",
    "stat",
    "store",
    "works",
}
"""What follows the name in sentences about takeback."""


Text = tuple[str, str, bool]
"""The file and the line of a string, the string, and whether it is a docstring."""


@pytest.fixture(scope="module")
def texts() -> list[Text]:
    """Every string of every module that has takeback's name in it."""
    return [text for file in sorted(SOURCES.rglob("*.py")) for text in _texts(file)]


def _texts(file: Path) -> Iterator[Text]:
    written = file.read_text()
    if "takeback " not in written:
        return
    module = ast.parse(written)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(module)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "takeback " in node.value:
            yield f"{file.relative_to(SOURCES)}:{node.lineno}", node.value, id(node) in docstrings


def test_every_command_that_is_named_exists(texts: list[Text]) -> None:
    unknown = []
    for place, text, docstring in texts:
        for tick, word in NAMED.findall(text):
            if (tick or (not docstring and word not in PROSE)) and word not in COMMANDS:
                unknown.append(f"{place}: takeback {word}")
        for word in EXAMPLE.findall(text) if docstring else ():
            if word not in COMMANDS:
                unknown.append(f"{place}: an example of takeback {word}")
    assert not unknown


def test_a_command_inside_a_sentence_stands_in_backticks(texts: list[Text]) -> None:
    bare = []
    for place, text, docstring in texts:
        for match in NAMED.finditer("" if docstring else text):
            if match[2] in COMMANDS and not match[1] and SENTENCE.search(text, match.end()):
                bare.append(f"{place}: {text!r}")
    assert not bare


def test_both_find_something(texts: list[Text]) -> None:
    named = [word for _, text, _ in texts for tick, word in NAMED.findall(text) if tick]
    assert len(named) > 100
