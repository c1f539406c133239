"""Settings that no takeback wrote."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.containers.settings import RICH
from takeback.errors import Integrity, Unavailable
from takeback.sources.container.decoding import LARGEST, decode

WRONG: list[Callable[[dict[str, Any]], object]] = [
    lambda raw: raw.pop("image"),
    lambda raw: raw.update(more=1),
    lambda raw: raw.update(format=0),
    lambda raw: raw.update(format=True),
    lambda raw: raw.update(format="1"),
    lambda raw: raw.update(state="flying"),
    lambda raw: raw.update(platform=None),
    lambda raw: raw.update(environment="A=1"),
    lambda raw: raw.update(environment=["=x", "TOKEN"]),
    lambda raw: raw.update(environment=["A=\0", "TOKEN"]),
    lambda raw: raw.update(environment=[1, "TOKEN"]),
    lambda raw: raw.update(holes=["ELSEWHERE"]),
    lambda raw: raw.update(holes={}),
    lambda raw: raw.update(host=[]),
    lambda raw: raw.update(networks=[]),
    lambda raw: raw.update(networks={"a/../b": {}}),
    lambda raw: raw.update(networks={"net": []}),
    lambda raw: raw.update(networks={"net": {"Aliases": "web"}}),
    lambda raw: raw.update(networks={"net": {"IPAMConfig": []}}),
    lambda raw: raw["image"].update(id=""),
    lambda raw: raw["image"].update(id="sha256:short"),
    lambda raw: raw["image"].update(id="--help"),
    lambda raw: raw["image"].update(flat=0),
    lambda raw: raw["image"].update(digests=None),
    lambda raw: raw["image"].pop("environment"),
    lambda raw: raw["config"].update(Image="other"),
    lambda raw: raw["config"].update(Env=["TOKEN=smuggled"]),
    lambda raw: raw["config"].update(Cmd="sh"),
    lambda raw: raw["config"].update(Tty=1),
    lambda raw: raw["config"].update(Labels={"a": 1}),
    lambda raw: raw["config"].update(ExposedPorts={"../x": {}}),
    lambda raw: raw["config"].update(Volumes=["/data"]),
    lambda raw: raw["config"].update(Hostname="a\0b"),
    lambda raw: raw["host"].update(Privileged="false"),
    lambda raw: raw["host"].update(Privileged=1),
    lambda raw: raw["host"].update(Memory="1g"),
    lambda raw: raw["host"].update(Memory=1 << 70),
    lambda raw: raw["host"].update(Binds={"/": "/host"}),
    lambda raw: raw["host"].update(Binds=[["/", "/host"]]),
    lambda raw: raw["host"].update(Mounts=["/"]),
    lambda raw: raw["host"].update(Mounts=[{"Type": "bind"}]),
    lambda raw: raw["host"].update(Mounts=[{"Type": "bind", "Target": "/x", "BindOptions": "rshared"}]),
    lambda raw: raw["host"].update(Mounts=[{"Type": "volume", "Target": "/x", "VolumeOptions": {"DriverConfig": 1}}]),
    lambda raw: raw["host"].update(CapAdd="ALL"),
    lambda raw: raw["host"].update(PortBindings={"80/tcp": [{"HostPort": 80}]}),
    lambda raw: raw["host"].update(PortBindings={"80/tcp": [{"HostPort": "x"}]}),
    lambda raw: raw["host"].update(PortBindings={"80/tcp": {"HostPort": "1"}}),
    lambda raw: raw["host"].update(PortBindings={"http": []}),
    lambda raw: raw["volumes"].update(data={}),
    lambda raw: raw["volumes"]["/v"].update(name="../../etc"),
    lambda raw: raw["volumes"]["/v"].update(name="a/../b"),
    lambda raw: raw["volumes"]["/v"].update(name="-rf"),
    lambda raw: raw["volumes"]["/v"].update(writable="no"),
    lambda raw: raw["volumes"]["/v"].update(options=None),
    lambda raw: raw["volumes"]["/v"].pop("driver"),
]


@pytest.mark.parametrize("damage", WRONG, ids=lambda each: str(each.__code__.co_firstlineno))
def test_settings_of_a_wrong_shape_are_refused(damage: Callable[[dict[str, Any]], object]) -> None:
    raw = json.loads(RICH.encode())
    damage(raw)
    with pytest.raises(Integrity, match="the settings of a container cannot be read"):
        decode(json.dumps(raw).encode())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"\xff",
        b'"' * 7,
        b"[" * 100_000,
        b'{"format": ' + b"9" * 10_000 + b"}",
        RICH.encode().replace(b"67108864", b"NaN"),
        RICH.encode().replace(b"67108864", b"1e999"),
        RICH.encode().replace(b"67108864", b"[" * 50 + b"]" * 50),
    ],
    ids=range(10),
)
def test_bytes_that_are_no_settings_are_refused(data: bytes) -> None:
    with pytest.raises(Integrity):
        decode(data)


def test_more_bytes_than_any_settings_have_are_refused() -> None:
    with pytest.raises(Integrity):
        decode(RICH.encode() + b" " * LARGEST)


def test_settings_of_a_newer_format_say_what_to_do() -> None:
    with pytest.raises(Unavailable, match="newer takeback") as raised:
        decode(RICH.encode().replace(b'"format": 1', b'"format": 2'))
    assert raised.value.hints == ("pip install --upgrade takeback",)


def test_what_only_a_newer_engine_knows_is_kept() -> None:
    raw = json.loads(RICH.encode())
    raw["host"]["Tomorrow"] = {"a": [1.5, None, True]}
    assert decode(json.dumps(raw).encode()).host["Tomorrow"] == {"a": [1.5, None, True]}


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
_PLACES = [(key,) for key in json.loads(RICH.encode())] + [
    (group, key)
    for group in ("config", "host", "image", "networks", "volumes")
    for key in json.loads(RICH.encode())[group]
]


@given(where=st.sampled_from(_PLACES), value=values)
def test_any_value_anywhere_is_settings_or_refused(where: tuple[str, ...], value: Any) -> None:
    raw = json.loads(RICH.encode())
    inside = raw
    for key in where[:-1]:
        inside = inside[key]
    inside[where[-1]] = value
    try:
        found = decode(json.dumps(raw).encode())
    except (Integrity, Unavailable):
        return
    assert decode(found.encode()) == found
