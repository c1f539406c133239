from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from takeback.errors import InvalidInput
from takeback.model.sizes import format_size, parse_seconds, parse_size


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (0, 0),
        (12, 12),
        ("0", 0),
        ("12", 12),
        ("12b", 12),
        ("1K", 1 << 10),
        ("1kb", 1000),
        ("1KiB", 1 << 10),
        ("100MiB", 100 << 20),
        ("100 MiB", 100 << 20),
        (" 1.5GiB ", 3 << 29),
        ("2M", 2 << 20),
        ("2MB", 2_000_000),
        ("1T", 1 << 40),
        ("1tb", 10**12),
    ],
)
def test_sizes_as_people_write_them(text: int | str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    "text", ["", " ", "MiB", "-1", -1, "1 2", "1e3", "12 parsecs", "1.MiB", "0x10", "9" * 400, True]
)
def test_what_is_no_size_is_invalid(text: int | str) -> None:
    with pytest.raises(InvalidInput):
        parse_size(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (90, 90.0),
        (0.5, 0.5),
        ("90", 90.0),
        ("250ms", 0.25),
        ("90s", 90.0),
        ("5m", 300.0),
        ("5 min", 300.0),
        ("1.5h", 5400.0),
        ("2d", 172_800.0),
        ("1w", 604_800.0),
        ("10M", 600.0),
    ],
)
def test_durations_as_people_write_them(text: float | str, seconds: float) -> None:
    assert parse_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "m", "-5m", -5, "5 years", "1h30m", float("nan"), float("inf"), "9" * 400, True])
def test_what_is_no_duration_is_invalid(text: float | str) -> None:
    with pytest.raises(InvalidInput):
        parse_seconds(text)


@given(st.text())
def test_any_text_is_a_size_and_a_duration_or_invalid(text: str) -> None:
    for parse in (parse_size, parse_seconds):
        try:
            assert parse(text) >= 0
        except InvalidInput as error:
            assert repr(text) in error.message


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (3_565_158, "3.4 MiB"),
        (5 << 30, "5.0 GiB"),
        (1 << 50, "1024.0 TiB"),
    ],
)
def test_sizes_for_people(size: int, text: str) -> None:
    assert format_size(size) == text


@pytest.mark.parametrize("text", ["9" * 308 + "TiB", "9" * 309, 10**400])
def test_a_size_that_no_number_holds_is_no_size(text: str | int) -> None:
    with pytest.raises(InvalidInput):
        parse_size(text if isinstance(text, str) else str(text))


@pytest.mark.parametrize("value", ["9" * 308 + "w", 10**400])
def test_a_duration_that_no_number_holds_is_no_duration(value: str | int) -> None:
    with pytest.raises(InvalidInput):
        parse_seconds(value)
