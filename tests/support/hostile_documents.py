"""Documents that takeback never wrote: each is a function that puts its blobs and returns the id of the root. `run_confined` reads one
where neither memory nor time is endless, and tells how that ended.
"""

from __future__ import annotations

import re
import resource
import struct
import sys
from collections.abc import Callable
from typing import Any

from support.faults.zygote import shared
from takeback.documents.blobs import join
from takeback.documents.memory import Blobs
from takeback.documents.plain import pack
from takeback.documents.tags import (
    A_LIST,
    A_MAP,
    CUSTOM,
    ENUM,
    FROZENSET,
    HOLE,
    INTEGER,
    LONG,
    MAP,
    MUTABLE,
    OBJECT,
    SET,
    SHARED,
    SPLIT,
    TEXT,
    TUPLE,
    TYPE,
    VALUE,
    array,
    extension,
    mapping,
)  # fmt: skip
from takeback.model.ids import BlobKind

MEMORY = 2 << 30
SECONDS = 20
NAMES = [
    "os:system",
    "builtins:eval",
    "subprocess:Popen",
    "support.canary:Canary",
    "antigravity:fly",
    "this:s",
    "",
    ":",
    "x",
]

Case = Callable[[Blobs], bytes]


def put(blobs: Blobs, body: bytes, documents: tuple[bytes, ...] = (), contents: tuple[bytes, ...] = ()) -> bytes:
    return blobs.put(join(documents, contents, body), BlobKind.DOCUMENT)


def root(body: bytes, count: int = 0, levels: int = 0) -> bytes:
    return array(4) + pack(1) + pack(count) + pack(levels) + body


def value(name: str, *arguments: bytes) -> bytes:
    return extension(VALUE, array(1 + len(arguments)) + pack(name) + b"".join(arguments))


def mutable(name: str, *arguments: bytes) -> bytes:
    return extension(MUTABLE, array(1 + len(arguments)) + pack(name) + b"".join(arguments))


def simple(body: bytes) -> Case:
    return lambda blobs: put(blobs, root(body))


def nested(code: int, depth: int, inside: bytes = b"\x90") -> bytes:
    for _ in range(depth):
        inside = extension(code, array(1) + inside)
    return inside


def _index_bomb(levels: int, width: int, what: int = A_LIST) -> Case:
    def make(blobs: Blobs) -> bytes:
        id = put(blobs, array(1) + b"\x01")
        for _ in range(levels):
            id = put(blobs, b"", (id,) * width)
        return put(blobs, root(extension(SPLIT, array(3) + pack(what) + pack(width**levels) + pack(levels))), (id,))

    return make


def _shared_bomb(levels: int, width: int) -> Case:
    def make(blobs: Blobs) -> bytes:
        id = put(blobs, b"\x90")
        for _ in range(levels):
            id = put(blobs, b"", (id,) * width)
        return put(blobs, root(b"\x90", width**levels if width**levels < 1 << 32 else 5, levels), (id,))

    return make


def _leaf_bomb(blobs: Blobs) -> bytes:
    """Each leaf is a list whose elements are split lists of the same leaf below."""
    id = put(blobs, array(1000) + b"\xc0" * 1000)
    for _ in range(8):
        each = extension(SPLIT, array(3) + pack(A_LIST) + pack(1000) + pack(0))
        id = put(blobs, array(1000) + each * 1000, (id,) * 1000)
    return put(blobs, root(extension(SPLIT, array(3) + pack(A_LIST) + pack(1000) + pack(0))), (id,))


def _long_bomb(blobs: Blobs) -> bytes:
    content = blobs.put(b"x" * (1 << 20), BlobKind.DATA)
    each = extension(LONG, array(2) + pack(1) + pack(1 << 20))
    return put(blobs, root(array(100) + each * 100), (), (content,) * 100)


def _shared(*bodies: bytes, outer: bytes, listed: int | None = None) -> Case:
    def make(blobs: Blobs) -> bytes:
        ids = tuple(put(blobs, body) for body in bodies)
        return put(blobs, root(outer, len(ids) if listed is None else listed), ids)

    return make


def _ref(number: Any) -> bytes:
    return extension(SHARED, pack(number))


def _frozen_chain(blobs: Blobs) -> bytes:
    """Each is needed at once by the one before."""
    bodies = [extension(SET, array(1) + extension(TUPLE, array(1) + _ref(n + 1))) for n in range(20_000)]
    ids = [put(blobs, body) for body in [*bodies, b"\x90"]]
    top = put(blobs, b"", tuple(ids))
    return put(blobs, root(_ref(0), len(ids), 1), (top,))


def _wrong_links(documents: int, contents: int) -> Case:
    def make(blobs: Blobs) -> bytes:
        one = put(blobs, b"\x90")
        return put(blobs, root(b"\x90"), (one,) * documents, (one,) * contents)

    return make


_BIG = struct.pack(">I", 0xFFFFFFFF)
INTEGRITY: dict[str, Case] = {
    "nothing": lambda blobs: blobs.put(b"", BlobKind.DOCUMENT),
    "only a head": lambda blobs: put(blobs, b""),
    "more links than bytes": lambda blobs: blobs.put(struct.pack("<2sII", b"D1", 0xFFFFFFFF, 0xFFFFFFFF), BlobKind.DOCUMENT),
    "another magic": lambda blobs: blobs.put(b"T1" + bytes(8) + root(b"\x90"), BlobKind.DOCUMENT),
    "another format": lambda blobs: put(blobs, array(4) + pack(2) + pack(0) + pack(0) + b"\x90"),
    "no root": lambda blobs: put(blobs, b"\x90"),
    "bytes behind the value": simple(b"\x90\x90"),
    "cut": simple(array(5) + b"\x01"),
    "a list of four billion": simple(b"\xdd" + _BIG),
    "a map of four billion": simple(b"\xdf" + _BIG),
    "lists of four billion in each other": simple((b"\xdd" + _BIG) * 60),
    "lists of ten million in each other": simple((b"\xdd" + struct.pack(">I", 10_000_000)) * 60),
    "a string of four billion": simple(b"\xdb" + _BIG),
    "bytes of four billion": simple(b"\xc6" + _BIG),
    "an extension of four billion": simple(b"\xc9" + _BIG + b"\x03"),
    "a depth bomb of lists": lambda blobs: put(blobs, root(b"\x91" * 10_000_000)),
    "a depth bomb of maps": lambda blobs: put(blobs, root(b"\x81\xa0" * 5_000_000)),
    "a depth bomb of tuples": simple(nested(TUPLE, 3000)),
    "a depth bomb of sets": simple(nested(FROZENSET, 3000)),
    "an unknown extension": simple(extension(99, b"\x90")),
    "a negative extension": simple(b"\xc7\x01\xfe\x90"),
    "a tuple that is a map": simple(extension(TUPLE, b"\x80")),
    "a tuple that is nothing": simple(extension(TUPLE, b"")),
    "a map with an odd number": simple(extension(MAP, array(1) + b"\x01")),
    "a map with a key twice": simple(extension(MAP, array(4) + b"\x01\x02\x01\x03")),
    "a map with a list as key": simple(extension(MAP, array(2) + b"\x90\x01")),
    "a set with an element twice": simple(extension(SET, array(2) + b"\x01\x01")),
    "a set of lists": simple(extension(SET, array(1) + b"\x90")),
    "text that is none": simple(extension(TEXT, b"\xff\xff")),
    "a value without a name": simple(extension(VALUE, array(0))),
    "a value of no known name": simple(value("os.system", pack("id"))),
    "a value whose name is a list": simple(extension(VALUE, array(1) + b"\x90")),
    "a date that is none": simple(value("date", pack(2020), pack(13), pack(1))),
    "a date of strings": simple(value("date", pack("2020"), pack("1"), pack("1"))),
    "a decimal that is none": simple(value("decimal", pack("0x5"))),
    "a fraction over nothing": simple(value("fraction", pack(1), pack(0))),
    "an id of 15 bytes": simple(value("uuid", pack(bytes(15)))),
    "a path of no kind": simple(value("path", pack("nt"), pack(b"x"))),
    "a path with a list": simple(value("path", pack("posix"), b"\x90")),
    "a zone that leads out": simple(value("zone", pack("../../../../etc/passwd"))),
    "a zone that is absolute": simple(value("zone", pack("/etc/localtime"))),
    "a zone with NUL": simple(value("zone", pack("Europe\0/Berlin"))),
    "a zone of a megabyte": simple(value("zone", pack("a" * (1 << 20)))),
    "a pattern that is none": simple(value("pattern", pack("("), pack(0))),
    "patterns that take long": simple(
        array(40) + b"".join(value("pattern", pack("[\\x00-\uffff]" * 400 + str(n)), pack(2)) for n in range(40))
    ),
    "a deep pattern": simple(value("pattern", pack("(" * 100_000), pack(0))),
    "a complex of strings": simple(value("complex", pack("1"), pack("2"))),
    "a timezone of a year": simple(value("timezone", value("timedelta", pack(365), pack(0), pack(0)), pack(None))),
    "an array of objects": simple(mutable("array", pack("|O"), array(1) + pack(1), pack(bytes(8)))),
    "an array of records": simple(mutable("array", pack("i4,O"), array(1) + pack(1), pack(bytes(12)))),
    "an array of another size": simple(mutable("array", pack("<i8"), array(1) + pack(1 << 40), pack(bytes(8)))),
    "an array of any size": simple(mutable("array", pack("<i8"), array(1) + pack(-1), pack(bytes(8)))),
    "an array of a huge item": simple(mutable("array", pack("<U999999999"), array(1) + pack(1), pack(bytes(8)))),
    "an array of a million dimensions": simple(mutable("array", pack("<i8"), array(99_999) + b"\x01" * 99_999, pack(bytes(8)))),
    "a scalar of two": simple(value("scalar", pack("<i4"), pack(bytes(8)))),
    "a deque of a negative length": simple(mutable("deque", pack(-1), b"\x90")),
    "a defaultdict that evaluates": simple(mutable("defaultdict", pack("eval"), b"\x80")),
    "a defaultdict of a list": simple(mutable("defaultdict", pack(None), b"\x90")),
    "a container of no known name": simple(mutable("file", pack("/etc/passwd"))),
    "a byte array of numbers": simple(mutable("bytearray", pack(1 << 40))),
    "an object without attributes": simple(extension(OBJECT, array(2) + pack("support.canary:Allowed") + b"\x90")),
    "an object with wrong slots": simple(extension(OBJECT, array(3) + pack("support.canary:Allowed") + b"\x80" + b"\x05")),
    "an object of nobody": simple(extension(OBJECT, array(2) + b"\x05" + b"\x80")),
    "a hole without a type": simple(extension(HOLE, b"\x90")),
    "a reference to nothing": simple(_ref(0)),
    "a negative reference": _shared(b"\x90", outer=_ref(-1)),
    "a reference that is a string": _shared(b"\x90", outer=_ref("0")),
    "a shared number": _shared(b"\x05", outer=_ref(0)),
    "a shared tuple": _shared(extension(TUPLE, b"\x90"), outer=_ref(0)),
    "a shared reference": _shared(_ref(1), _ref(0), outer=_ref(0)),
    "a list that seemed a map": _shared(extension(SPLIT, array(3) + pack(7) + pack(1) + pack(0)), outer=_ref(0)),
    "fewer shared objects than listed": _shared(b"\x90", outer=b"\x90", listed=7),
    "more shared objects than listed": _shared(b"\x90", b"\x90", outer=b"\x90", listed=1),
    "a set that holds itself in a tuple": _shared(extension(SET, array(1) + extension(TUPLE, array(1) + _ref(0))), outer=_ref(0)),
    "a document that is not taken": _wrong_links(1, 0),
    "a content that is not taken": _wrong_links(0, 1),
    "a long string without content": simple(extension(LONG, array(2) + pack(0) + pack(5))),
    "a long list without document": simple(extension(SPLIT, array(3) + pack(0) + pack(5) + pack(0))),
    "a long list of a kind that is none": lambda blobs: put(
        blobs, root(extension(SPLIT, array(3) + b"\x90" + pack(0) + pack(0))), (put(blobs, b"\x90"),)
    ),
    "a long list of other levels": lambda blobs: put(
        blobs, root(extension(SPLIT, array(3) + pack(0) + pack(1) + pack(-1))), (put(blobs, b"\x91\x01"),)
    ),
    "a long list of another length": lambda blobs: put(
        blobs, root(extension(SPLIT, array(3) + pack(0) + pack(2) + pack(0))), (put(blobs, b"\x91\x01"),)
    ),
    "a long list that is a map": lambda blobs: put(
        blobs, root(extension(SPLIT, array(3) + pack(0) + pack(0) + pack(0))), (put(blobs, b"\x80"),)
    ),
    "a blob that is not there": lambda blobs: put(
        blobs, root(extension(SPLIT, array(3) + pack(0) + pack(0) + pack(0))), (bytes(32),)
    ),
    "an index of nothing, a billion times": _index_bomb(3, 1000),
    "an index bomb": _index_bomb(8, 64),
    "a wide index bomb": _index_bomb(2, 32_000),
    "a wide index bomb of a map": _index_bomb(2, 32_000, A_MAP),
    "a bomb of shared objects": _shared_bomb(2, 32_000),
    "a bomb of leaves": _leaf_bomb,
    "attributes that are numbers": simple(extension(OBJECT, array(2) + pack("support.canary:Allowed") + mapping(1) + b"\x05\x05")),
    "a chain of sets needed at once": _frozen_chain,
}  # fmt: skip
"""What must be refused."""
REFUSED: dict[str, Case] = {
    f"{kind} {name!r}": simple(body)
    for name in NAMES
    for kind, body in {
        "an object of": extension(OBJECT, array(2) + pack(name) + b"\x80"),
        "the class": extension(TYPE, pack(name)),
        "a member of": extension(ENUM, array(2) + pack(name) + pack("A")),
        "a custom": extension(CUSTOM, array(2) + pack(name) + b"\x90"),
    }.items()
}
"""Classes that nobody allowed: whoever reads is told to allow them, or gets records."""
HARMLESS: dict[str, Case] = {
    "one long string a hundred times": _long_bomb,
    "a timestamp of msgpack": simple(b"\xd6\xff\0\0\0\0"),
    "an integer of a megabyte": simple(extension(INTEGER, b"\x7f" * (1 << 20))),
    "a pattern that is printed while it is made": simple(value("pattern", pack("a"), pack(int(re.DEBUG)))),
    "a pattern with a flag that is no more": simple(value("pattern", pack("a"), pack(1))),
    "a fraction of two megabytes": simple(
        value("fraction", extension(INTEGER, b"\x7f" * (1 << 20)), extension(INTEGER, b"\x7e" * (1 << 20)))
    ),
    "a decimal of a megabyte": simple(value("decimal", pack("9" * (1 << 20)))),
    "a decimal of a great exponent": simple(value("decimal", pack("1E+999999999999999999"))),
    "a range without end": simple(value("range", pack(0), pack(1 << 63), pack(1))),
    "an array of nothing times a lot": simple(
        mutable("array", pack("<i8"), array(2) + pack(0) + pack(1 << 30), pack(b""))
    ),
    "an object that leads to itself": _shared(
        extension(OBJECT, array(2) + pack("support.canary:Allowed") + mapping(1) + pack("me") + _ref(0)), outer=_ref(0)
    ),
}
"""What is odd, but hurts nobody."""
CASES = INTEGRITY | REFUSED | HARMLESS


def run_confined(name: str) -> list[str]:
    """How reading one ended, in a process with little memory and time: the error's name, and what it says."""
    ended = shared().call(_read, name)
    assert not ended.trouble and ended.code == 0, f"it ended with {ended.code}: {ended.trouble[-2000:]}"
    found: list[str] = ended.result
    return found


def _read(name: str) -> list[str]:
    import numpy  # noqa: F401 - what is loaded before counts as known

    from support.canary import Allowed
    from takeback import documents
    from takeback.documents import tags

    tags.ROOM = 16 << 20  # of the real one, sixteen times as much is read before it is refused, in as much more time
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    blobs = Blobs()
    id = CASES[name](blobs)
    before = set(sys.modules)
    ended = []
    for unknown in ("refuse", "record"):
        try:
            documents.get(blobs, id, types=[Allowed], unknown=unknown)
            ended.append("value")
        except BaseException as error:
            ended.append(f"{type(error).__name__}: {error!s:.300}")
        try:
            empty = documents.put(blobs, None).id
            said = list(documents.compare(blobs, id, blobs, empty))
            ended.append(f"{len(said)} differences" if all(len(each.before or "") < 200 for each in said) else "long")
        except BaseException as error:
            ended.append(f"{type(error).__name__}: {error!s:.300}")
    loaded = {each for each in set(sys.modules) - before if not each.startswith(("zoneinfo", "tzdata", "importlib"))}
    return [*ended, " ".join(sorted(loaded))]
