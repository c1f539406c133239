"""Of settings that an agent wrote counts what records no less than the old ones; what is noted of a root is believed only whole."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import takeback as tb
from support.trees import make_tree
from takeback.locate import SETTINGS, baseline, find_root, place
from takeback.locate.baseline import Baseline

EXAMPLE = Baseline("/a/project", 5, "takeback.toml", {"exclude": ["a"], "snapshots": True}, ("d",), ("r1", "r2"), "s")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = (tmp_path / "project").resolve()
    make_tree(root, {"a.txt": "a\n", "src/b.txt": "b\n"})
    return root


def write(project: Path, settings: dict[str, Any]) -> None:
    (project / "takeback.toml").write_text(
        "".join(f"{name} = {json.dumps(value)}\n" for name, value in settings.items())
    )


CASES: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ({}, {"snapshots": False}, {"snapshots": None}),
    ({"snapshots": False}, {"snapshots": True}, {"snapshots": True}),
    ({"snapshots": True}, {}, {"snapshots": None}),
    ({}, {"exclude": ["a"]}, {"exclude": ()}),
    ({"exclude": ["a", "b"]}, {"exclude": ["b"]}, {"exclude": ("b",)}),
    ({"exclude": ["a", "!b"]}, {"exclude": ["a"]}, {"exclude": ("a", "!b")}),
    ({"exclude": ["a"]}, {"exclude": ["a", "!b"]}, {"exclude": ("a", "!b")}),
    ({"exclude": ["!b", "*"]}, {"exclude": ["*", "!b"]}, {"exclude": ("!b", "*")}),
    ({"include": ["a"]}, {}, {"include": ("a",)}),
    ({"include": ["a"]}, {"include": ["b"]}, {"include": ("a", "b")}),
    ({"include": ["a", "b"]}, {"include": ["b", "a", "c"]}, {"include": ("b", "a", "c")}),
    ({"include": ["a"]}, {"include": ["a", "!a"]}, {"include": ("a",)}),
    ({"max_file_size": "1MiB"}, {"max_file_size": 5}, {"max_file_size": "1MiB"}),
    ({"max_file_size": "1MiB"}, {"max_file_size": "2MiB"}, {"max_file_size": "2MiB"}),
    ({"max_file_size": "1GiB"}, {}, {"max_file_size": "1GiB"}),
    ({"max_file_size": "1MiB"}, {"max_file_size": 1 << 20}, {"max_file_size": 1 << 20}),
    ({}, {"time_budget": "1h"}, {"time_budget": None}),
    ({"time_budget": "1h"}, {"time_budget": 5}, {"time_budget": "1h"}),
    ({"time_budget": "1h"}, {}, {"time_budget": None}),
    ({}, {"triggers": ["turn"]}, {"triggers": ("turn", "action")}),
    ({"triggers": ["turn"]}, {"triggers": []}, {"triggers": ("turn",)}),
    ({"triggers": ["turn"]}, {"triggers": ["turn", "action"]}, {"triggers": ("turn", "action")}),
    ({"every": "10m"}, {"every": "5h"}, {"every": "10m"}),
    ({"every": "10m"}, {"every": "1m"}, {"every": "1m"}),
    ({"every": "10m"}, {}, {"every": "10m"}),
    ({}, {"transcripts": False}, {"transcripts": True}),
    ({"transcripts": False}, {"transcripts": True}, {"transcripts": True}),
    ({"timeline": "work"}, {"timeline": "else"}, {"timeline": "work"}),
    ({"timeline": "work"}, {}, {"timeline": "work"}),
    ({"states": ["memory"]}, {"states": ["other"]}, {"states": ("memory",)}),
    ({}, {"snapshots": False, "max_file_size": "1GiB"}, {"snapshots": None, "max_file_size": "1GiB"}),
]


@pytest.mark.parametrize(("old", "new", "counts"), CASES, ids=[json.dumps(case[:2]) for case in CASES])
def test_an_agent_can_only_have_more_recorded(
    project: Path, old: dict[str, Any], new: dict[str, Any], counts: dict[str, Any]
) -> None:
    write(project, old)
    with tb.here(project).turn("settings"):
        (project / "takeback.toml").unlink()
        write(project, new)
    where = place(str(project))
    assert {name: where[name] for name in counts} == counts
    weaker = [name for name, value in counts.items() if value != place_of(new, name)]
    assert len(where.to_agree) == len(weaker)
    assert all(name in said for name, said in zip(weaker, where.to_agree, strict=True))
    write(project, {**new, "max_file_size": "7MiB"})  # a person writes it anew, with a word of her own
    assert place(str(project)).to_agree == () and place(str(project))["max_file_size"] == "7MiB"


def place_of(settings: dict[str, Any], name: str) -> Any:
    value = settings.get(name, SETTINGS[name].default)
    return tuple(value) if isinstance(value, list) else value


def test_flags_the_environment_and_ones_own_configuration_still_stand_where_they_stood(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, {"timeline": "work"})
    with tb.here(project).turn("settings"):
        write(project, {"timeline": "else"})
    assert place(str(project))["timeline"] == "work"
    assert place(str(project), timeline="flag")["timeline"] == "flag"
    monkeypatch.setenv("TAKEBACK_TIMELINE", "environment")
    assert place(str(project))["timeline"] == "environment"


def test_nothing_is_noted_before_something_is_saved(project: Path, home: Path) -> None:
    line = tb.here(project)
    assert baseline.read(str(project)) is None and not (home / ".local/state").exists()
    line.save()
    known = baseline.read(str(project))
    assert known is not None and known.file == "" and known.settings == {}


def test_a_store_that_cannot_be_opened_makes_nobody_an_agent(project: Path) -> None:
    tb.here(project).save()
    for file in Path(place(str(project))["store"]).glob("catalogue.db*"):
        file.write_bytes(b"no database" * 100)
    write(project, {"exclude": ["a"]})
    assert place(str(project))["exclude"] == ("a",)


# the record


def test_what_was_noted_is_read_again_for_that_root_only(home: Path) -> None:
    baseline.write(EXAMPLE)
    assert baseline.read(EXAMPLE.root) == EXAMPLE
    assert baseline.read("/a") is None
    assert baseline.forget(EXAMPLE.root) and baseline.read(EXAMPLE.root) is None


@pytest.mark.parametrize(
    "change",
    [
        {"root": "/b"},
        {"time_ns": "1"},
        {"settings": []},
        {"rules": "r"},
        {"rules": [1]},
        {"distrusted": None},
        {"file": None},
        {"said": 5},
    ],
)
def test_a_record_that_is_not_as_it_was_written_counts_as_none(home: Path, change: dict[str, object]) -> None:
    baseline.write(EXAMPLE)
    (file,) = (home / ".local/state/takeback/baselines").iterdir()
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    assert baseline.read(EXAMPLE.root) is None


def test_settings_of_a_record_that_are_none_any_more_are_passed_over(project: Path) -> None:
    tb.here(project).save()
    known = baseline.read(str(project))
    assert known is not None
    baseline.write(known._replace(settings={"exclude": 5, "colour": "red", "store": "/x", "timeline": "work"}))
    (project / "takeback.toml").write_text("[")
    where = place(str(project))
    assert (where["timeline"], where["exclude"]) == ("work", ())


def test_where_nothing_can_be_noted_saves_go_on(project: Path, home: Path) -> None:
    (home / ".local").mkdir(exist_ok=True)
    (home / ".local/state").write_text("a file")
    line = tb.here(project)
    line.save()
    (project / "a.txt").write_text("changed")
    assert line.save().changed == 1


# the root


def marker(directory: Path) -> Path:
    make_tree(directory, {"takeback.toml": ""})
    return directory


def older(work: Callable[[], object]) -> None:
    """Do it, and wait until the clock that files are dated by has gone on."""
    work()
    now = time.time_ns()
    probe = Path(os.environ["HOME"]) / "probe"
    while True:
        probe.write_text("x")
        if probe.stat().st_ctime_ns > now:
            return


def test_a_new_marker_makes_no_root_of_what_is_recorded_and_an_older_one_does(project: Path) -> None:
    inner = project / "src"
    marker(project)
    older(lambda: marker(inner))
    older(tb.here(project).save)
    assert find_root(str(inner)) == (str(inner), "takeback.toml")
    deeper = inner / "deep"
    marker(deeper)
    assert find_root(str(deeper)) == (str(inner), "takeback.toml"), "the next one that was there"
    where = place(str(deeper))
    assert where.passed == str(deeper) and f"{deeper}/takeback.toml was not there" in where.to_agree[0]
    older(tb.here(inner).save)
    assert find_root(str(inner)) == (str(inner), "takeback.toml")


def test_where_nothing_is_recorded_every_marker_makes_a_root(project: Path, tmp_path: Path) -> None:
    tb.here(project).save()
    other = marker(tmp_path / "other")
    assert find_root(str(other)) == (str(other), "takeback.toml")
    assert find_root(str(marker(other / "inner"))) == (str(other / "inner"), "takeback.toml")
