from __future__ import annotations

import json
from dataclasses import replace

import pytest

from support.containers.settings import ID, RICH
from takeback.errors import InvalidInput
from takeback.sources.container.decoding import decode
from takeback.sources.container.settings import Image, same, values_of


def test_settings_come_back_from_their_bytes() -> None:
    assert decode(RICH.encode()) == RICH
    assert decode(RICH.encode()).encode() == RICH.encode()


def test_the_bytes_do_not_depend_on_the_order_in_which_the_engine_said_it() -> None:
    turned = replace(
        RICH, host=dict(reversed(list(RICH.host.items()))), volumes=dict(reversed(list(RICH.volumes.items())))
    )
    assert turned.encode() == RICH.encode()


def test_one_value_stands_on_one_line_so_that_texts_merge() -> None:
    other = replace(RICH, host={**RICH.host, "Memory": 1})
    before, after = RICH.encode().splitlines(), other.encode().splitlines()
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1


def test_no_value_of_a_secret_is_in_the_bytes() -> None:
    assert json.loads(RICH.encode())["environment"] == ["PATH=/bin", "TOKEN", "UNSET", "EMPTY="]


def test_holes_are_filled_in_their_places_from_a_container() -> None:
    present = {"Config": {"Env": ["TOKEN=a=b", "OTHER=1", "PATH=/other"]}}
    filled = RICH.filled(values_of(present))
    assert filled.environment == ("PATH=/bin", "TOKEN=a=b", "UNSET", "EMPTY=")
    assert filled.holes == frozenset()


def test_overrides_win_over_a_container_and_over_the_snapshot_and_may_be_new() -> None:
    filled = RICH.filled({"TOKEN": "present"}, {"TOKEN": "given", "PATH": "/mine", "NEW": "x"})
    assert filled.environment == ("PATH=/mine", "TOKEN=given", "UNSET", "EMPTY=", "NEW=x")


def test_holes_without_values_are_named_with_the_option_that_fills_them() -> None:
    with pytest.raises(InvalidInput, match="TOKEN") as raised:
        RICH.filled({"PATH": "/bin"})
    assert raised.value.hints == ("give them: --env TOKEN=…",)


def test_a_container_made_from_its_image_by_id_counts_as_the_same() -> None:
    by_id = replace(RICH, image=Image(ID, ID))
    assert same(by_id, RICH)
    assert not same(replace(RICH, image=Image("box:1", "sha256:" + "00" * 32)), RICH)
    assert not same(replace(RICH, state="running"), RICH)
