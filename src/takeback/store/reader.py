"""Reading blobs: whatever comes out has been hashed again, so it is what its id says or an Integrity error.

A store's bytes may be damaged or made to harm: lengths are bounded before memory is taken, and a recipe's chunks can
never be recipes themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from types import TracebackType

from blake3 import blake3

from takeback.errors import Integrity, InvalidInput
from takeback.model.ids import BlobKind
from takeback.store.backend import Backend
from takeback.store.catalogue import blobs
from takeback.store.catalogue.blobs import HOT_PACK, Location
from takeback.store.catalogue.database import Database
from takeback.store.hot_ahead import HotAhead
from takeback.store.leases import Lease
from takeback.store.packs.frame_cache import FrameCache
from takeback.store.packs.frames import Stored, read_frame
from takeback.store.packs.frames_ahead import FramesAhead
from takeback.store.packs.recipe import Recipe, decode_recipe
from takeback.store.packs.sealing import HOT, Sealer

CACHE_BYTES = 32 << 20
AT_ONCE = 512 << 20
"""The most that is ever read into memory in one piece; a few chunks, named again and again, would make any length."""
_AHEAD = 256
_MANY_FRAMES = 4
"""From so many on it is worth a thread to open them."""
_LARGEST_AHEAD = 4 << 20
"""Raw bytes; longer frames, which are rare, are opened when they are needed, one at a time."""


class Reader:
    """Reads blobs under a lease. ``pending`` gives the blobs of a writer that has not committed them yet."""

    def __init__(
        self,
        database: Database,
        backend: Backend,
        sealer: Sealer,
        lease: Lease | None,
        pending: Callable[[bytes], Stored | None] | None = None,
    ) -> None:
        """With ``lease`` None somebody else holds one for as long as this reader is used."""
        self._database = database
        self._backend = backend
        self._sealer = sealer
        self._lease = lease
        self._pending = pending
        self.hears: Callable[[int], None] | None = None
        """Is told of every piece that is streamed, and may raise to have no more of it."""
        self._closed = False
        self._frames = FrameCache(CACHE_BYTES)
        self._ahead: dict[bytes, Location] = {}
        self._opening: FramesAhead | None = None
        self._hot: HotAhead | None = None
        self._in_part: set[tuple[int, int]] = set()
        """Frames that may have been opened only as far as they were needed then."""

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the lease back. A reader that only borrows one, as a writer's does, can be used on."""
        if self._lease is not None:
            self._lease.release()
            self._closed = True
        self._frames.clear()
        self._ahead.clear()

    def get(self, id: bytes, kind: BlobKind | None = None) -> bytes:
        """The blob's bytes, all at once; what may be longer than any tree or document is for `stream`. ``kind`` is what
        the caller takes it for, for the message when it is missing: equal bytes are one blob, whatever kind they were
        first stored as."""
        stored = self._stored(id, kind)
        if stored.kind == BlobKind.RECIPE:
            recipe = decode_recipe(id, stored.data)
            if recipe.size > AT_ONCE:
                raise Integrity(
                    f"blob {id.hex()[:12]} claims {recipe.size} bytes, more than anything that is read in one piece",
                    hints=["`takeback verify` names every snapshot that is harmed; the others can be restored"],
                )
            return b"".join(self._assemble(id, recipe))
        return stored.data

    def stream(self, id: bytes) -> Iterator[bytes]:
        """The blob in pieces. Each is verified before it is given out, and the whole at the end."""
        stored = self._stored(id, None)
        whole = [stored.data] if stored.kind != BlobKind.RECIPE else self._assemble(id, decode_recipe(id, stored.data))
        for piece in whole:
            if self.hears is not None:
                self.hears(len(piece))
            yield piece

    def size(self, id: bytes) -> int:
        pending = self._pending(id) if self._pending else None
        if pending is None:
            location = self._locate(id, None)
            if location.kind != BlobKind.RECIPE:
                return location.length
            pending = self._settled(location, None)
        return decode_recipe(id, pending.data).size if pending.kind == BlobKind.RECIPE else len(pending.data)

    def recipe(self, id: bytes) -> Recipe:
        """How a large blob is made; without chunks if it was first stored as something that is not cut."""
        stored = self._stored(id, None)
        return decode_recipe(id, stored.data) if stored.kind == BlobKind.RECIPE else Recipe(stored.kind, [])

    def in_chunks(self, id: bytes) -> bool:
        """Whether a blob is there and stored in chunks."""
        if self._pending is not None and (stored := self._pending(id)) is not None:
            return stored.kind == BlobKind.RECIPE
        with self._database.read() as tx:
            location = blobs.locate(tx, id)
        return location is not None and location.kind == BlobKind.RECIPE

    def holds(self, id: bytes) -> bool:
        """Whether the store knows the blob at all. One that a repair gave up is known no more."""
        if self._pending is not None and self._pending(id) is not None:
            return True
        with self._database.read() as tx:
            return blobs.locate(tx, id) is not None

    def in_storage_order(self, ids: Iterable[bytes]) -> list[bytes]:
        """The ids as they lie in the store, so that reading them opens each frame once; unknown ones come last.

        The locations are kept for the reads that follow.
        """
        wanted = list(dict.fromkeys(ids))
        self._ahead.clear()
        order = sorted(self._look_ahead(wanted), key=lambda at: (at.pack, at.frame, at.start))
        return [at.id for at in order] + [id for id in wanted if id not in self._ahead]

    @contextmanager
    def ahead(self, ids: Iterable[bytes]) -> Iterator[None]:
        """A block in which many blobs are read, mostly in this order: few queries find them, and their frames are
        opened in the background before they are needed."""
        wanted = list(dict.fromkeys(ids))
        self._ahead.clear()
        self._look_ahead(wanted)
        places = [self._ahead[id] for id in wanted if id in self._ahead]
        frames: dict[tuple[int, int], int] = {}
        for at in places:
            if at.pack != HOT_PACK:
                frames[at.pack, at.frame] = max(frames.get((at.pack, at.frame), 0), at.start + at.length)
        self._hot = HotAhead(self._database, (at.frame for at in places if at.pack == HOT_PACK))
        if len(frames) >= _MANY_FRAMES:
            self._opening = FramesAhead(self._openers(frames))
        opening = self._opening
        try:
            yield
        finally:
            self._hot = self._opening = None
            if opening is not None:
                opening.close()

    def _openers(self, frames: Mapping[tuple[int, int], int]) -> Iterator[tuple[tuple[int, int], Callable[[], bytes]]]:
        """How to open frames, each as far as it is needed."""
        for (pack, frame), upto in frames.items():
            if self._frames.get((pack, frame)) is not None:
                continue
            with self._database.read() as tx:
                found = blobs.locate_frame(tx, pack, frame)
            if found is not None and found.span.raw_length <= _LARGEST_AHEAD:
                self._in_part.add((pack, frame))
                more = (self._backend, self._sealer, found.name, frame, found.span, upto)
                yield (pack, frame), partial(read_frame, *more)

    def _look_ahead(self, ids: Iterable[bytes]) -> list[Location]:
        with self._database.read() as tx:
            found = blobs.locate_all(tx, ids)
        self._ahead.update((location.id, location) for location in found)
        return found

    def _stored(self, id: bytes, kind: BlobKind | None) -> Stored:
        if self._pending is not None and (stored := self._pending(id)) is not None:
            return stored
        return self._settled(self._locate(id, kind), kind)

    def _settled(self, location: Location, kind: BlobKind | None) -> Stored:
        """Read a blob. If it was moved since it was located (folded, or packed anew), read it where it is now."""
        while True:
            self._ahead.pop(location.id, None)
            try:
                return self._read(location)
            except Integrity:
                now = self._locate(location.id, kind)
                if now == location:
                    raise
                location = now

    def _locate(self, id: bytes, kind: BlobKind | None) -> Location:
        if self._closed:
            raise InvalidInput("the reader has been closed", hints=["use it inside its `with` block"])
        location = self._ahead.get(id)
        if location is None:
            with self._database.read() as tx:
                location = blobs.locate(tx, id)
        if location is None:
            raise Integrity(
                f"{kind.name.lower() if kind else 'blob'} {id.hex()[:12]} is not in the store, though something refers to it",
                hints=["`takeback verify` names every snapshot that is harmed; the others can be restored"],
            )
        return location

    def _read(self, location: Location) -> Stored:
        raw = self._frame(location)
        data = raw[location.start : location.start + location.length]
        if len(data) != location.length or location.start < 0:
            raise Integrity(f"blob {location.id.hex()[:12]} lies outside of its frame", hints=["takeback verify"])
        if location.kind != BlobKind.RECIPE and blake3(data).digest() != location.id:
            raise Integrity(
                f"blob {location.id.hex()[:12]} is damaged: its bytes are not those that were stored "
                f"({f'pack number {location.pack}' if location.pack else 'hot rows'}, frame {location.frame})",
                hints=["`takeback verify --read-data` shows what else is affected"],
            )
        return Stored(location.kind, data)

    def _frame(self, at: Location) -> bytes:
        key = (at.pack, at.frame)
        raw = known = self._frames.get(key)
        if raw is None and self._opening is not None:
            raw = self._opening.take(key)
        if raw is None or (key in self._in_part and len(raw) < at.start + at.length):
            raw = self._open_hot(at) if at.pack == HOT_PACK else self._open_packed(at)
            self._in_part.discard(key)
        if raw is not known:
            self._frames.put(key, raw)
        return raw

    def _open_hot(self, at: Location) -> bytes:
        row = self._hot.take(at.frame) if self._hot is not None else None
        if row is None:
            with self._database.read() as tx:
                row = blobs.hot_frame(tx, at.frame)
        if row is None:
            raise Integrity(
                f"hot frame {at.frame}, which holds blob {at.id.hex()[:12]}, is gone", hints=["takeback verify"]
            )
        return self._sealer.open(row[0], row[1], HOT)

    def _open_packed(self, at: Location) -> bytes:
        with self._database.read() as tx:
            found = blobs.locate_frame(tx, at.pack, at.frame)
        if found is None:
            raise Integrity(
                f"blob {at.id.hex()[:12]} lies in a pack that the catalogue does not list", hints=["takeback verify"]
            )
        return read_frame(self._backend, self._sealer, found.name, at.frame, found.span)

    def _assemble(self, id: bytes, recipe: Recipe) -> Iterator[bytes]:
        whole = blake3()
        for start in range(0, len(recipe.chunks), _AHEAD):
            chunks = recipe.chunks[start : start + _AHEAD]
            self._look_ahead(chunk.id for chunk in chunks)
            for chunk in chunks:
                stored = self._stored(chunk.id, None)
                if stored.kind == BlobKind.RECIPE or len(stored.data) != chunk.length:
                    raise Integrity(f"the recipe of blob {id.hex()[:12]} names something that is no chunk of it")
                whole.update(stored.data)
                yield stored.data
        if whole.digest() != id:
            raise Integrity(f"the chunks of blob {id.hex()[:12]} do not make it", hints=["takeback verify --read-data"])
