"""The pages are shells without data, and all that they name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import takeback.web
from support.web import Client

PAGES = ["/", "/snapshot/@", "/diff?a=@-&here=1", "/store", "/operations"]
_PACKAGE = Path(takeback.web.__file__).parent


@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs_nothing_but_our_own_scripts(client: Client, page: str) -> None:
    got = client.get(page)
    assert got.status == 200
    assert got.headers["content-type"] == "text/html; charset=utf-8"
    policy = got.headers["content-security-policy"]
    assert "script-src 'self';" in policy and "default-src 'none';" in policy and "form-action 'none'" in policy
    text = got.body.decode()
    assert not re.search(r"<script(?![^>]* src=\"/static/)", text), "the policy would not run it"
    assert not re.search(r"\son[a-z]+=|\sstyle=|javascript:", text)
    assert "http://" not in text and "https://" not in text, "it works offline"
    for name in re.findall(r'(?:src|href)="(/static/[^"]+)"', text):
        assert client.get(name).status == 200, name


def test_what_is_asked_for_never_becomes_part_of_a_page(client: Client) -> None:
    hostile = "%3Cscript%3Ealert(1)%3C/script%3E%22%7B%7B7*7%7D%7D"
    plain = client.get("/snapshot/x").body
    for path in (f"/snapshot/{hostile}", f"/snapshot/{hostile}?lane={hostile}", f"/diff?a={hostile}", f"/?x={hostile}"):
        got = client.get(path)
        assert got.status == 200
        assert b"<script>" not in got.body and b"49" not in got.body.replace(plain, b"")


def test_every_script_that_another_names_is_there(client: Client) -> None:
    scripts = sorted((_PACKAGE / "static").glob("*.js"))
    assert scripts
    for script in scripts:
        got = client.get(f"/static/{script.name}")
        assert (got.body, got.headers["content-type"]) == (script.read_bytes(), "text/javascript; charset=utf-8")
        for named in re.findall(r'(?:from|import\()\s*"\./([^"]+)"', script.read_text()):
            assert (_PACKAGE / "static" / named).is_file(), (script.name, named)


@pytest.mark.parametrize(
    "name",
    [
        "../pages.py",
        "..%2Fpages.py",
        "%2e%2e/pages.py",
        "../templates/base.html",
        "/etc/passwd",
        "base.css%00.js",
        "base.css/",
        "",
        ".",
        "BASE.CSS",
        "nothing.js",
        "a/b/c/d.js",
        "\\..\\pages.py",
    ],
)
def test_nothing_else_is_a_static_file(client: Client, name: str) -> None:
    assert client.get(f"/static/{name}").status == 404


def test_there_is_no_other_page(client: Client) -> None:
    for path in ("/nothing", "/index.html", "//", "/static", "/store/", "/%00", "/api"):
        assert client.get(path).status == 404
    assert client.ask("POST", "/store", b"{}").status == 405
