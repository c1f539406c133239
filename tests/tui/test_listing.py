from __future__ import annotations

from takeback.tui.listing import LARGEST, Listing, key
from takeback.views.rows import Page, Row


def row(seq: int, **more: object) -> Row:
    return Row("move", 1, seq, f"snapshot {seq}", f"snapshot {seq - 1}", seq, f"move {seq}", "turn", **more)  # type: ignore[arg-type]


PRESENT = Row("present", 1, 1 << 62, None, "head", 0)


def rows(newest: int, oldest: int) -> tuple[Row, ...]:
    return tuple(row(seq) for seq in range(newest, oldest - 1, -1))


def filled() -> Listing:
    """The present, then 30 to 21, 20 to 11, 10 to 1."""
    listing = Listing(PRESENT)
    assert listing.add(None, Page(rows(30, 21), "21", 10))
    assert listing.add("21", Page(rows(20, 11), "11", 10))
    assert listing.add("11", Page(rows(10, 1), None, 10))
    return listing


def seqs(listing: Listing) -> list[int]:
    return [listing[index].seq for index in range(1, len(listing))]


def test_pages_stand_behind_each_other_and_the_present_before_them() -> None:
    listing = filled()
    assert listing[0] is PRESENT
    assert seqs(listing) == list(range(30, 0, -1))
    assert listing.complete


def test_a_page_that_was_asked_for_before_a_change_is_left_out() -> None:
    listing = Listing(PRESENT)
    listing.add(None, Page(rows(30, 21), "21", 10))
    assert not listing.add("11", Page(rows(10, 1), None, 10))
    assert not listing.add(None, Page(rows(30, 21), "21", 10))
    assert len(listing) == 11


def test_what_arrives_comes_first_and_all_else_stays() -> None:
    listing = filled()
    fresh = Page((row(32), row(31), *rows(30, 24)), "24", 9)
    assert listing.meets(fresh)
    listing.take_in(fresh)
    assert seqs(listing) == list(range(32, 0, -1))
    assert listing.find(key(row(25)), 6) == 8


def test_a_row_that_changed_is_replaced_and_one_that_was_dropped_goes() -> None:
    listing = filled()
    listing.take_in(Page((row(30, undone_by="x"), *rows(28, 24)), "24", 9))
    assert listing[1].undone_by == "x"
    assert seqs(listing) == [30, *range(28, 0, -1)]


def test_too_much_news_to_meet_begins_anew() -> None:
    listing = filled()
    fresh = Page(rows(90, 81), "81", 9)
    assert not listing.meets(fresh)
    listing.take_in(fresh)
    assert seqs(listing) == list(range(90, 80, -1))
    assert listing.next == "81"


def test_the_newest_chunk_does_not_grow_for_ever() -> None:
    listing = Listing(PRESENT)
    listing.add(None, Page(rows(LARGEST + 100, 1), "x", 1))
    listing.take_in(Page(rows(LARGEST + 101, LARGEST + 50), "y", 1))
    assert len(listing) == 53
    assert listing.next == "y"


def test_only_chunks_in_view_are_asked_for_again() -> None:
    listing = filled()
    assert listing.stale(range(31)) == []
    listing.spoil()
    assert [chunk.cursor for chunk in listing.stale(range(11))] == []
    assert [chunk.cursor for chunk in listing.stale(range(5, 15))] == ["21"]
    (chunk,) = listing.stale(range(5, 15))
    listing.renew(chunk, Page((row(20, pinned=True), *rows(19, 11)), "11", 10))
    assert listing[11].pinned
    assert listing.stale(range(5, 15)) == []
    assert seqs(listing) == list(range(30, 0, -1))


def test_a_chunk_that_ends_elsewhere_now_has_the_rest_loaded_again() -> None:
    listing = filled()
    listing.spoil()
    (chunk,) = listing.stale(range(5, 15))
    listing.renew(chunk, Page(rows(20, 9), "9", 10))
    assert seqs(listing) == list(range(30, 8, -1))
    assert listing.next == "9"


def test_a_row_is_found_wherever_it_went() -> None:
    listing = filled()
    assert listing.find(key(row(3)), 2) == 28
    assert listing.find(key(row(99)), 2) is None
    assert listing.find(key(PRESENT), 7) == 0
