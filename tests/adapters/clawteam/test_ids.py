from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from takeback.adapters.clawteam.ids import free_id, is_id, new_id, safe_tag

NOON = datetime(2026, 3, 1, 12, 0, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("tag", "safe"),
    [
        ("before-deploy", "before-deploy"),
        ("before/deploy", "before-deploy"),
        ("../../etc/passwd", "etc-passwd"),
        ("..", "snapshot"),
        ("v1.2_rc", "v1.2_rc"),
        ("  two  words  ", "two-words"),
        ("日本", "snapshot"),
        ("a\0b\nc", "a-b-c"),
    ],
)
def test_a_tag_becomes_safe_as_clawteam_makes_it_safe(tag: str, safe: str) -> None:
    from clawteam.team.snapshot import _safe_snapshot_tag

    assert safe_tag(tag) == safe == _safe_snapshot_tag(tag)


@given(st.text(max_size=300))
def test_whatever_the_tag_the_id_is_one_file_name(tag: str) -> None:
    id = new_id(tag, NOON, lambda _: False)
    assert is_id(id)
    assert "/" not in id and len(f"snap-{id}.json") < 255


def test_an_id_is_the_time_in_utc_and_the_tag() -> None:
    elsewhere = NOON.astimezone(timezone(timedelta(hours=5)))
    assert new_id("", elsewhere, lambda _: False) == "20260301T120007"
    assert new_id("go", elsewhere, lambda _: False) == "20260301T120007-go"


def test_an_id_that_is_taken_is_numbered() -> None:
    taken = {"20260301T120007", "20260301T120007-2"}
    assert new_id("", NOON, taken.__contains__) == "20260301T120007-3"
    assert free_id("x", taken.__contains__) == "x"


@pytest.mark.parametrize("text", ["", ".", "..", "a/b", "../x", "a\0", ".hidden", "a\n", "x" * 201, "/x"])
def test_what_could_lead_elsewhere_is_no_id(text: str) -> None:
    assert not is_id(text)
