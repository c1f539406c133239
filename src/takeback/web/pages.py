"""The pages: shells without any data, which the scripts in ``static/`` fill from the API; and these scripts.

So nothing out of a snapshot is ever part of a page's own text, and what the scripts show they set as text. Static files
are read by name from the package; a name can be nothing but a name.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from takeback import __version__
from takeback.web.answers import Answer, missing_page
from takeback.web.asked import Asked
from takeback.web.shared import Shared

_HERE = Path(__file__).parent
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*(\.[a-z0-9_-]+)*", re.ASCII)
_KINDS = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "woff2": "font/woff2",
}


def timeline(shared: Shared, asked: Asked) -> Answer:
    return _page("timeline", shared)


def snapshot(shared: Shared, asked: Asked) -> Answer:
    return _page("snapshot", shared)


def diff(shared: Shared, asked: Asked) -> Answer:
    return _page("diff", shared)


def store(shared: Shared, asked: Asked) -> Answer:
    return _page("store", shared)


def operations(shared: Shared, asked: Asked) -> Answer:
    return _page("operations", shared)


def static(shared: Shared, asked: Asked) -> Answer:
    """A script, a style or a picture of the page itself."""
    pieces = asked.path["name"].split("/")
    kind = _KINDS.get(pieces[-1].rpartition(".")[2])
    if kind is None or len(pieces) > 3 or not all(_NAME.fullmatch(piece) for piece in pieces):
        return missing_page()
    try:
        data = _HERE.joinpath("static", *pieces).read_bytes()
    except OSError:
        return missing_page()
    return Answer(data, kind, headers={"cache-control": "private, no-cache"})


ROUTES = (
    ("GET", "/", timeline),
    ("GET", "/snapshot/{id:path}", snapshot),
    ("GET", "/diff", diff),
    ("GET", "/store", store),
    ("GET", "/operations", operations),
    ("GET", "/static/{name:path}", static),
)


def _page(name: str, shared: Shared) -> Answer:
    template = _environment().get_template(f"{name}.html")
    body = template.render(page=name, version=__version__, read_only=shared.read_only)
    return Answer(body.encode(), "text/html; charset=utf-8")


@cache
def _environment() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(loader=FileSystemLoader(_HERE / "templates"), autoescape=True, undefined=StrictUndefined)
