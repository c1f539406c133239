"""Every type comes back exactly, equal values have equal bytes, and a value that came back has the bytes it came from."""

from __future__ import annotations

import datetime as dt
import enum
import math
import os
import pathlib
import re
import subprocess
import sys
import uuid
import warnings
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, Generic, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

import attrs
import numpy
import pydantic
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import takeback as tb
from support import campaigns
from support.graphs import containers_of, graph_at_random
from takeback import documents
from takeback.documents import drafting, encoding, plain, survey
from takeback.documents.memory import Blobs

EASY = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")


class Colour(enum.Enum):
    RED = 1
    CRIMSON = 1  # noqa: PIE796
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1


class Word(enum.StrEnum):
    YES = "yes"


class Access(enum.Flag):
    READ = 1
    WRITE = 2


class Mask(enum.IntFlag):
    A = 1
    B = 1 << 70


@dataclass
class Plain:
    x: Any = None
    y: list[Any] = field(default_factory=list)


@dataclass(frozen=True)
class Frozen:
    x: Any = None


@dataclass(slots=True)
class Slots:
    x: Any = None
    unset: Any = field(init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class FrozenSlots:
    x: Any = None


@attrs.define
class Attrs:
    x: Any = None


@attrs.frozen(slots=False)
class AttrsFrozen:
    x: Any = None


class Point(NamedTuple):
    x: Any
    y: Any


class MyList(list[Any]):
    pass


class MyDict(dict[Any, Any]):
    __slots__ = ("note",)


class MyStr(str):
    pass


class MyInt(int):
    __slots__ = ()


class MyFloat(float):
    pass


class MyComplex(complex):
    pass


class MyBytes(bytes):
    pass


class MyTuple(tuple[Any, ...]):
    pass


class MySet(set[Any]):
    pass


class MyNamespace(SimpleNamespace):
    pass


class Zone(dt.tzinfo):
    def utcoffset(self, when: dt.datetime | None) -> dt.timedelta:
        return dt.timedelta(hours=1)

    def dst(self, when: dt.datetime | None) -> None:
        return None

    def tzname(self, when: dt.datetime | None) -> str:
        return "here"


class Part(pydantic.BaseModel):
    text: str = ""


class Rich(Part):
    bold: bool = True


T = TypeVar("T")


class Box(pydantic.BaseModel, Generic[T]):
    inner: T


class Message(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    part: Part = Part()
    secret: pydantic.SecretStr = pydantic.SecretStr("s3cret")
    numbers: list[int] = []
    _private: dict[str, Any] = pydantic.PrivateAttr(default_factory=dict)
    _unset: int = pydantic.PrivateAttr()


TEXT = st.text(st.characters(codec=None)) | st.text(st.characters(min_codepoint=0xD7F0, max_codepoint=0xE010))
SCALARS = st.one_of(
    st.integers(4000, 5000).map(lambda size: "x" * size), st.integers(4000, 5000).map(bytes),
    st.none(), st.booleans(), st.integers(), st.integers(0, 600).map(lambda bits: -(1 << bits)), st.floats(), TEXT, st.binary(),
    st.sampled_from([1 << 63, -(1 << 63), (1 << 63) - 1, -(1 << 63) - 1, (1 << 64) - 1, 1 << 64, -0.0, math.inf]),
)  # fmt: skip
ZONES = st.one_of(
    st.none(),
    st.timezone_keys(allow_prefix=False).map(ZoneInfo),
    st.integers(-1439, 1439).map(lambda minutes: dt.timezone(dt.timedelta(minutes=minutes))),
    st.integers(-1439, 1439).map(lambda minutes: dt.timezone(dt.timedelta(minutes=minutes), "mine")),
)
FOLDS = st.integers(0, 1)
VALUES = st.one_of(
    st.complex_numbers(),
    st.builds(lambda value, zone, fold: value.replace(tzinfo=zone, fold=fold), st.datetimes(), ZONES, FOLDS),
    st.builds(lambda value, zone, fold: value.replace(tzinfo=zone, fold=fold), st.times(), ZONES, FOLDS),
    st.dates(), st.timedeltas(), ZONES, st.decimals(), st.fractions(), st.uuids(),
    st.sampled_from([Decimal("sNaN123"), Decimal("-0.00"), Decimal("1E+999999"), Fraction(1 << 200, 3), ..., range(3, 9, 2), slice(1, None)]),
    st.sampled_from([*Colour, *Level, *Word, *Access, Access(3), Access(0), Mask.A | Mask.B]),
    st.binary(max_size=20).map(lambda raw: pathlib.Path(os.fsdecode(raw.replace(b"\0", b"")))),
    st.binary(max_size=20).map(lambda raw: pathlib.PurePosixPath(os.fsdecode(raw.replace(b"\0", b"")))),
    st.text(max_size=20).map(pathlib.PureWindowsPath),
    TEXT.map(MyStr), st.integers().map(MyInt), st.floats().map(MyFloat), st.complex_numbers().map(MyComplex), st.binary().map(MyBytes),
    st.sampled_from([int, Colour, Plain, pydantic.SecretStr]),
)  # fmt: skip
HASHABLE = st.recursive(
    SCALARS | VALUES.filter(lambda value: _hashable(value)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple),
        st.frozensets(inner, max_size=3),
        st.builds(Point, inner, inner),
        st.builds(Frozen, inner),
        st.builds(FrozenSlots, inner),
        st.builds(AttrsFrozen, inner),
    ),
    max_leaves=5,
)


def _message(text: str, extra: Any, private: Any) -> Message:
    made = Message(part=Rich(text=text.encode("utf-8", "replace").decode()))
    made.__pydantic_extra__ = {"extra": extra}
    made._private["x"] = private
    return made


def _slotted(values: dict[Any, Any], note: Any) -> MyDict:
    made = MyDict(values)
    made.note = note  # type: ignore[attr-defined]
    return made


ANYTHING: st.SearchStrategy[Any] = st.recursive(
    HASHABLE,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.lists(inner, max_size=5).map(tuple),
        st.dictionaries(TEXT, inner, max_size=4),
        st.dictionaries(HASHABLE, inner, max_size=4),
        st.sets(HASHABLE, max_size=4),
        st.builds(deque, st.lists(inner, max_size=3), st.none() | st.integers(3, 9)),
        st.dictionaries(TEXT, inner, max_size=3).map(OrderedDict),
        st.builds(defaultdict, st.sampled_from([None, list, dict, set, int]), st.dictionaries(TEXT, inner, max_size=3)),
        st.dictionaries(TEXT, st.integers()).map(Counter),
        st.binary().map(bytearray),
        st.dictionaries(st.sampled_from("abc"), inner).map(lambda each: SimpleNamespace(**each)),
        st.dictionaries(st.sampled_from("abc"), inner).map(lambda each: MyNamespace(**each)),
        st.builds(Plain, inner, st.lists(inner, max_size=2)),
        st.builds(Slots, inner),
        st.builds(Attrs, inner),
        st.lists(inner, max_size=3).map(MyList),
        st.lists(inner, max_size=3).map(MyTuple),
        st.sets(HASHABLE, max_size=3).map(MySet),
        st.builds(_slotted, st.dictionaries(HASHABLE, inner, max_size=3), inner),
        st.builds(_message, TEXT, inner, inner),
        st.builds(Box[int], inner=st.integers()),
    ),
    max_leaves=12,
)


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def same(a: Any, b: Any) -> bool:
    """Whether two values are exactly the same: types, order, signs of zero, what is not equal to itself."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return math.copysign(1, a) == math.copysign(1, b) and (a == b or (a != a and b != b))
    if isinstance(a, complex):
        return same(float(a.real), float(b.real)) and same(float(a.imag), float(b.imag))
    if isinstance(a, Decimal):
        return str(a) == str(b)
    if isinstance(a, dt.datetime | dt.time):
        return bool(a.replace(tzinfo=None) == b.replace(tzinfo=None) and a.fold == b.fold) and same(a.tzinfo, b.tzinfo)
    if isinstance(a, ZoneInfo):
        return bool(a.key == b.key)
    if isinstance(a, dt.timezone):
        return bool(a == b and a.tzname(None) == b.tzname(None))
    if isinstance(a, numpy.ndarray):
        return bool(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())
    if isinstance(a, set | frozenset):
        if len(a) != len(b):
            return False
        if not all(any(same(each, other) for other in b) for each in a):
            return False
    elif isinstance(a, dict):
        if not same(list(dict.items(a)), list(dict.items(b))):
            return False
        if isinstance(a, defaultdict) and a.default_factory is not b.default_factory:
            return False
    elif isinstance(a, list | tuple | deque):
        if len(a) != len(b) or not all(map(same, list(a), list(b))):
            return False
        if isinstance(a, deque) and a.maxlen != b.maxlen:
            return False
    elif isinstance(a, enum.Enum | type):
        return a is b
    elif (type(a).__module__ != __name__ and not hasattr(a, "__dict__")) or isinstance(a, str | int | bytes):
        if a != b:
            return False
    names = {*getattr(a, "__slots__", ()), *getattr(type(a), "__pydantic_private_attributes__", ())} - {"__weakref__"}
    if type(a).__module__ == __name__ and names:
        missing = object()
        if not all(
            same(getattr(a, name, missing), getattr(b, name, missing))
            for name in names
            if hasattr(a, name) or hasattr(b, name)
        ):
            return False
    if isinstance(a, pydantic.BaseModel) and not (
        a.__pydantic_fields_set__ == b.__pydantic_fields_set__ and same(a.__pydantic_extra__, b.__pydantic_extra__)
    ):
        return False
    return same(vars(a), vars(b)) if hasattr(a, "__dict__") else True


@EASY
@given(value=ANYTHING)
def test_any_value_comes_back_exactly_and_has_the_same_bytes_again(value: Any) -> None:
    first = tb.capture(value)
    found = first.value()
    assert same(found, value)
    again = tb.capture(found)
    assert again.id == first.id
    assert again._blobs._data == first._blobs._data


@EASY
@given(a=ANYTHING, b=ANYTHING)
def test_equal_bytes_are_equal_values_and_others_differ(a: Any, b: Any) -> None:
    one, other = tb.capture(a), tb.capture(b)
    assert (one.id == other.id) == same(a, b)
    found = one.diff(other)
    assert bool(found) == (one.id != other.id)
    assert all(len(text) < 200 for each in found for text in (each.before, each.after) if text is not None)


@EASY
@given(data=st.data())
def test_arrays_of_numpy_come_back(data: st.DataObject) -> None:
    kinds = [
        hnp.boolean_dtypes(), hnp.integer_dtypes(endianness="?"), hnp.floating_dtypes(endianness="?", sizes=(16, 32, 64)),
        hnp.complex_number_dtypes(sizes=(64, 128)), hnp.datetime64_dtypes(), hnp.timedelta64_dtypes(), hnp.byte_string_dtypes(), hnp.unicode_string_dtypes(),
    ]  # fmt: skip
    value = data.draw(
        hnp.arrays(data.draw(st.one_of(kinds)), hnp.array_shapes(min_dims=0, min_side=0, max_dims=4, max_side=6))
    )
    view = value.T if data.draw(st.booleans()) else value[..., ::-1] if value.ndim else value
    for array in (value, view, value.copy("F")):
        document = tb.capture([array])
        found = document.value()[0]
        assert same(found, array)
        assert found.flags.writeable
        assert tb.capture([found]).id == document.id
    for scalar in value.ravel()[:1]:
        found = tb.capture([scalar]).value()[0]
        assert type(found) is type(scalar) and found.tobytes() == scalar.tobytes()


@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 1 << 32))
def test_shared_objects_and_circles_come_back_as_they_were(seed: int) -> None:
    import random

    root = graph_at_random(random.Random(seed))
    document = tb.capture(root)
    found = document.value()
    assert tb.capture(found).id == document.id
    assert len(containers_of(found)) == len(containers_of(root))
    assert isomorphic(root, found)


def isomorphic(a: Any, b: Any) -> bool:
    """Whether one graph is the other: what is one object here is one there. Sets are compared by their size."""
    there: dict[int, int] = {}
    back: dict[int, int] = {}
    waiting = [(a, b)]
    while waiting:
        one, other = waiting.pop()
        if type(one) is not type(other):
            return False
        if isinstance(one, str | bytes | int | float | None):
            if one != other:
                return False
            continue
        if not isinstance(one, tuple):
            known = id(one) in there or id(other) in back
            if there.setdefault(id(one), id(other)) != id(other) or back.setdefault(id(other), id(one)) != id(one):
                return False
            if known:
                continue
        if isinstance(one, list | tuple | deque | set | bytearray | dict) and len(one) != len(other):
            return False
        if isinstance(one, dict):
            waiting += zip(one, other, strict=True)
            waiting += zip(one.values(), other.values(), strict=True)
        elif isinstance(one, list | tuple | deque):
            waiting += zip(one, other, strict=True)
        if hasattr(one, "__dict__"):
            waiting.append((tuple(vars(one).items()), tuple(vars(other).items())))
    return True


PLAIN: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=40) | st.dictionaries(TEXT, inner, max_size=20),
    max_leaves=60,
)


@EASY
@given(value=PLAIN)
def test_plain_data_has_the_same_bytes_element_by_element(value: Any) -> None:
    fast = tb.capture(value)
    with pytest.MonkeyPatch.context() as patch:
        for module in (encoding, survey, plain):
            patch.setattr(module, "containers_in", lambda value: None)
        patch.setattr(encoding._Encoder, "_plain_or_none", lambda self, value: None)
        slow = tb.capture(value)
    assert slow.id == fast.id
    assert slow._blobs._data == fast._blobs._data


HASHED = """
import sys; sys.path[:0] = sys.argv[1:]
import takeback as tb
from support.graphs import Agent, Pair
names = [f"name {n}" for n in range(300)]
agents = [Agent(name=name) for name in names[:20]]
value = [
    set(names), frozenset((name, frozenset({name, 1, None, name.encode()})) for name in names),
    {"x": {(1, "a"), ("b",), 2.5, None, True}}, agents, set(agents), {Pair("p", agents[3]), Pair("q", agents[4])},
    {Agent(only=name, also=[name]) for name in names},
]
print(tb.capture(value).id.hex(), tb.capture([set(agents), agents]).id.hex())
"""


def test_sets_have_the_same_bytes_whatever_the_order_of_their_hashes() -> None:
    tests = str(pathlib.Path(__file__).parents[1])
    found = {
        subprocess.run(
            [sys.executable, "-c", HASHED, tests],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("0", "1", "2", "random")
    }
    assert len(found) == 1


@pytest.mark.parametrize("flag", [0, re.ASCII, re.IGNORECASE, re.MULTILINE, re.DOTALL, re.VERBOSE, re.I | re.S])
def test_a_regular_expression_comes_back_with_its_flags(flag: int) -> None:
    for pattern in (re.compile("a+ [b-d]", flag), re.compile(b"\xff?", flag), re.compile(b"a", re.LOCALE)):
        assert tb.capture(pattern).value() == pattern


def test_a_regular_expression_says_nothing_when_it_comes_back(capfd: pytest.CaptureFixture[str]) -> None:
    pattern = re.compile("a+ for a person who looks for a mistake", re.DEBUG)
    assert capfd.readouterr().out
    assert tb.capture(pattern).value() == re.compile(pattern.pattern)
    assert capfd.readouterr() == ("", "")


def test_a_warning_that_a_program_takes_for_an_error_is_one_of_the_document() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pattern = re.compile("[[a]")
        re.purge()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(tb.Integrity, match="nested set"):
            tb.capture(pattern).value()


def test_a_value_that_leads_to_classes_only_through_its_time_zone_comes_back() -> None:
    found = tb.capture({"at": dt.datetime(2020, 1, 1, tzinfo=Zone())}).value()["at"]
    assert type(found.tzinfo) is Zone and found.utcoffset() == dt.timedelta(hours=1)


def test_pydantic_keeps_what_was_set_private_extra_and_the_classes_of_its_fields() -> None:
    message = _message("hello", [1], {"deep": {1, 2}})
    found = tb.capture(message).value()
    assert same(found, message)
    assert type(found.part) is Rich and found.secret.get_secret_value() == "s3cret"
    assert found.model_fields_set == message.model_fields_set == {"part"}
    assert found.extra == [1]
    with pytest.raises(AttributeError):
        _ = found._unset
    assert tb.capture(Box[int](inner=1)).id != tb.capture(Box[str](inner="1")).id


LINKS: dict[str, Callable[[Any], Any]] = {
    "list": lambda last: [last],
    "attribute": lambda last: Frozen(last),
    "set": lambda last: Loose({last}),
    "frozenset": lambda last: Loose(frozenset({last})),
    "key": lambda last: Loose({last: 1}),
    "value of a number": lambda last: {1: last},
    "tuple": lambda last: [(last,)],
}


@pytest.mark.campaign("deep-values")
@pytest.mark.parametrize("links", LINKS)
def test_a_chain_of_thousands_comes_back(links: str) -> None:
    last: Any = Loose(0)
    for _ in range(campaigns.size(1200, 5000)):
        last = LINKS[links](last)
    document = tb.capture(last)
    assert tb.capture(document.value()).id == document.id


DEEP = campaigns.size(10_000, 100_000)


class Loose:
    def __init__(self, x: Any) -> None:
        self.x = x


@pytest.mark.campaign("deep-values")
def test_many_thousand_lists_in_lists_come_back() -> None:
    value: list[Any] = []
    for _ in range(DEEP):
        value = [value]
    document = tb.capture(value)
    found, depth = document.value(), 0
    while found:
        found, depth = found[0], depth + 1
    assert depth == DEEP


def test_what_takes_the_most_room_can_be_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever may write a document may read it: both count alike, to the byte."""
    from takeback.documents import decoding, tags

    shared = [Loose(n) for n in range(300)]
    for value in (
        [shared, shared[::-1]],
        ["x" * 60] * 3000,
        {str(n): [n] for n in range(4000)},
        [[n] for n in range(3000)],
    ):
        room = 1
        while True:
            monkeypatch.setattr(drafting, "ROOM", room)
            monkeypatch.setattr(tags, "ROOM", room)
            try:
                document = tb.capture(value)
            except tb.InvalidInput:
                room = room * 2 if room < 1 << 14 else int(room * 1.02) + 1
                continue
            assert decoding.get(document._blobs, document.id, types=[Loose])
            break


def test_tuples_that_hold_each_other_many_times_over_end() -> None:
    value: Any = ()
    for _ in range(25):
        value = (value, value)
    documents.types_in(value)  # each is looked into twice at most
    circle = MyTuple()
    circle.me = circle  # type: ignore[attr-defined]
    with pytest.raises(tb.InvalidInput, match="nested too deep"):
        tb.capture(circle)


def test_a_tuple_too_deep_is_refused_with_its_path() -> None:
    value: Any = ()
    for _ in range(1000):
        value = (value,)
    with pytest.raises(tb.InvalidInput, match=r"^tuple(\[0\])+ is nested too deep"):
        tb.capture(value)


def test_a_document_goes_through_any_writer_and_reader() -> None:
    blobs = Blobs()
    made = documents.put(blobs, {"a": [1, (2,), {3}], "b": "x" * 10_000})
    assert documents.get(blobs, made.id) == {"a": [1, (2,), {3}], "b": "x" * 10_000}
    assert made.size == blobs.size
    assert uuid.UUID(int=5) == documents.get(blobs, documents.put(blobs, uuid.UUID(int=5)).id)


def test_values_that_are_written_in_python_are_never_looked_into() -> None:
    key, path, zone, ratio = uuid.uuid4(), pathlib.Path("/a"), ZoneInfo("Europe/Berlin"), Fraction(1, 3)
    both = [key, path, zone, ratio]
    agent = Loose({"once": list(both), "twice": list(both)})
    saved = tb.capture(agent)
    assert saved.value().x == agent.x
    agent.x["once"] = agent.x["twice"] = [uuid.uuid4(), other := pathlib.Path("/b"), zone, Fraction(2, 3)]
    saved.restore_into(agent)
    assert agent.x["once"] == both and agent.x["once"] is not agent.x["twice"]
    assert str(other) == "/b", "whoever holds the other path still has it"


def test_a_class_of_a_script_comes_back_by_what_the_hint_says_where_the_script_is_imported() -> None:
    class Note:
        pass

    here = Note.__module__
    Note.__module__, Note.__qualname__ = "__main__", "Note"
    blobs = Blobs()
    id = documents.put(blobs, Note()).id
    Note.__module__ = here
    with pytest.raises(tb.InvalidInput) as caught:
        documents.get(blobs, id, types=[Note])
    (hint,) = (hint for hint in caught.value.hints if "register(" in hint)
    eval(hint.partition(": ")[2], {"takeback": tb, "Note": Note})
    assert isinstance(documents.get(blobs, id), Note)
