"""The body of a document: msgpack, and what its extension types stand for.

None, booleans, integers of 64 bits, floats (always 64 bits), strings, bytes, lists, and dictionaries whose keys are all
strings are what msgpack has for them, each in its shortest form; everything else is an extension. The body of a root is the
array ``[1, count, levels, value]``: the format, the number of shared objects and how they are listed (below), and the value.

======  ==========  ===================================================================================================
code    name        data
======  ==========  ===================================================================================================
1       INTEGER     an integer beyond 64 bits: two's complement, big-endian, as short as can be
2       TEXT        a string with lone surrogates: UTF-8 that encodes them, too
3       TUPLE       an array of its elements
4       MAP         a dictionary with any keys: an array of key, value, key, value, …
5, 6    SET,        an array of the elements in the order of their bytes
        FROZENSET
7       VALUE       an array of a name and arguments (`takeback.documents.values`): dates, decimals, paths, …
8       ENUM        an array of the type's name and the member's name; of a combined flag, its integer
9       OBJECT      an array of the type's name, the attributes as a map, then, as far as there are any: those in slots (a
                    map or nil), the content where the type extends a list, a tuple, …, and what pydantic keeps: an array of
                    the private attributes, the extra ones (maps or nil) and the names that were set, sorted
10      TYPE        the name of a class
11      HOLE        a string: the type of what was left out here
12      SHARED      an unsigned integer: the shared object of that number
13      SPLIT       an array of what it is (a code below), its number of elements and its levels; it takes the next document
14      LONG        an array of what it is (0 bytes, 1 a string, 2 a string with lone surrogates) and its length in bytes; it
                    takes the next content
15      MUTABLE     as VALUE, of what can change: byte arrays, deques, numpy arrays, …
16      CUSTOM      an array of a registered name and what its own encoder made
======  ==========  ===================================================================================================

What is SPLIT is 0 a list, 1 a tuple, 2 a dictionary with strings as keys, 3 any other, 4 a set, 5 a frozenset. With 0 levels
its document is a leaf, whose body is an array (a map for 2) of some of its elements; with more it is an index, which has no
body and leads to documents of one level less. Shared objects (everything mutable that is reached twice, and what lies too
deep) are documents of their own, each with its value as the body; the root's first documents are those objects themselves if
it says 0 levels, else one index of that many levels over them.
"""

from __future__ import annotations

import struct

FORMAT = 1

INTEGER, TEXT, TUPLE, MAP, SET, FROZENSET, VALUE, ENUM = 1, 2, 3, 4, 5, 6, 7, 8
OBJECT, TYPE, HOLE, SHARED, SPLIT, LONG, MUTABLE, CUSTOM = 9, 10, 11, 12, 13, 14, 15, 16

A_LIST, A_TUPLE, A_DICT, A_MAP, A_SET, A_FROZENSET = range(6)
A_BYTES, A_STRING, A_SURROGATE_STRING = range(3)

LONGEST = 4096
"""Strings and bytes with more bytes are contents of their own."""
INLINE = 8192
"""Lists and mappings with more are split."""
DEEP = 48
"""What is mutable and nested so deep is shared, so that nobody has to go deeper at once."""
DEEPEST = 64
"""What cannot be shared (tuples in tuples) may be nested so deep."""
ROOM = 256 << 20
"""The most that all document blobs of one value have together, and the most that is believed of a stored one; what is read
more than once counts each time."""
EACH = 64
"""What each of them counts beside its length."""
PATTERN = 8192
"""What a character of a regular expression takes of the room: compiling it takes time. Equal expressions count once."""


def array(count: int) -> bytes:
    """What an array begins with."""
    if count < 16:
        return bytes((0x90 | count,))
    return struct.pack(">BH", 0xDC, count) if count < 1 << 16 else struct.pack(">BI", 0xDD, count)


def mapping(count: int) -> bytes:
    """What a map begins with."""
    if count < 16:
        return bytes((0x80 | count,))
    return struct.pack(">BH", 0xDE, count) if count < 1 << 16 else struct.pack(">BI", 0xDF, count)


def extension(code: int, data: bytes) -> bytes:
    """An extension in its shortest form."""
    size = len(data)
    if size in _FIXED:
        return bytes((_FIXED[size], code)) + data
    if size < 1 << 8:
        return bytes((0xC7, size, code)) + data
    head = struct.pack(">BHB", 0xC8, size, code) if size < 1 << 16 else struct.pack(">BIB", 0xC9, size, code)
    return head + data


_FIXED = {1: 0xD4, 2: 0xD5, 4: 0xD6, 8: 0xD7, 16: 0xD8}
