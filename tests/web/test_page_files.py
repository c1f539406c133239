"""The page's own files, as text: nothing in them makes markup of what snapshots hold, and they fit together. There is no build
step that would say so."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

import takeback.web

HERE = Path(takeback.web.__file__).parent
STATIC, TEMPLATES = HERE / "static", HERE / "templates"
SCRIPTS = sorted(path.name for path in STATIC.glob("*.js"))
SHEETS = sorted(path.name for path in STATIC.glob("*.css"))
PAGES = sorted(path.name for path in TEMPLATES.glob("*.html"))

MARKUP = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|\beval\(|new Function|srcdoc"
)
IMPORT = re.compile(r'import \{([^}]*)\} from "\./([\w-]+\.js)"')
EXPORT = re.compile(r"^export (?:async )?(?:function|const|class) (\w+)", re.MULTILINE)
HOOK = re.compile(r'(?:\btest: "|data-test="|data-test", ")([a-z][a-z-]*)"')


@cache
def text(name: str) -> str:
    return (STATIC / name).read_text()


def code(name: str) -> str:
    """A script without its comments."""
    return re.sub(r"/\*.*?\*/|^\s*//.*?$", "", text(name), flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_script_makes_markup_or_code_of_text(name: str) -> None:
    assert not MARKUP.search(code(name))


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_a_script_imports_is_there_and_used(name: str) -> None:
    for names, source in IMPORT.findall(code(name)):
        offered = set(EXPORT.findall(text(source)))
        for each in filter(None, (part.strip() for part in names.split(","))):
            assert each in offered, f"{source} has no {each}"
            assert len(re.findall(rf"\b{each}\b", code(name))) > 1, f"{each} is not used"


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_empty_shells_whose_files_are_there(name: str) -> None:
    page = (TEMPLATES / name).read_text()
    for path in re.findall(r'(?:src|href)="/static/([^"]+)"', page):
        assert (STATIC / path).is_file()
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|\{\{|\|\s*safe", page)


@pytest.mark.parametrize("name", [*SCRIPTS, *SHEETS])
def test_nothing_comes_from_elsewhere(name: str) -> None:
    addresses = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"')]*|url\([^)]*\)|@import", text(name)))
    assert addresses <= {"http://www.w3.org/2000/svg"}


def test_every_script_and_sheet_is_used() -> None:
    everything = "\n".join([*(path.read_text() for path in TEMPLATES.iterdir()), *map(text, SCRIPTS)])
    unused = [name for name in (*SCRIPTS, *SHEETS) if f"/{name}" not in everything]
    assert unused == []


def test_every_hook_for_tests_is_in_the_list_of_them() -> None:
    listed = set(re.findall(r"[a-z][a-z-]+", text("dom.js").partition("*/")[0]))
    pages = "\n".join(path.read_text() for path in TEMPLATES.iterdir())
    used = {hook for source in (pages, *map(text, SCRIPTS)) for hook in HOOK.findall(source)}
    assert used and used <= listed, used - listed


def test_both_ways_to_be_dark_have_the_same_colours() -> None:
    wished, chosen = (
        re.search(rf"{start} \{{(.*?)\}}", text("tokens.css"), re.DOTALL)
        for start in (r':root:not\(\[data-theme="light"\]\)', r':root\[data-theme="dark"\]')
    )
    assert wished and chosen
    assert wished[1].split() == chosen[1].split()
