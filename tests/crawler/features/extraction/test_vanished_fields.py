"""A rule that no longer matches is reported once, when a hundred pages in a row lack what others had."""

from __future__ import annotations

from collections.abc import Sequence

from hinterland.crawler.features.extraction.vanished_fields import PATIENCE, VanishedField, VanishedFields
from hinterland.storage.values.extraction import ExtractedRecord


def page(number: int, missing: Sequence[str] = (), *, records: int = 1, table: str = "t") -> ExtractedRecord:
    return ExtractedRecord(number, table, ["{}"] * records, missing)


def told(*pages: ExtractedRecord) -> list[VanishedField]:
    fields = VanishedFields()
    return [vanished for each in pages for vanished in fields.among([each])]


def without(field: str, pages: int, table: str = "t") -> list[ExtractedRecord]:
    return [page(number, [field], table=table) for number in range(pages)]


def test_a_field_that_has_vanished_is_reported_once() -> None:
    assert told(page(7), *without("price", PATIENCE - 1)) == []
    assert told(page(7), *without("price", 3 * PATIENCE)) == [VanishedField("t", "price", PATIENCE - 1)]
    assert "t.price has no value on the last 100 pages" in VanishedField("t", "price", 1).reason


def test_a_field_that_comes_back_is_reported_again_when_it_vanishes_again() -> None:
    gone = without("price", PATIENCE)
    assert len(told(page(7), *gone, page(8), *gone)) == 2
    assert told(page(7), *without("price", PATIENCE - 1), page(8), *without("price", PATIENCE - 1)) == []


def test_a_field_that_never_was_there_is_left_to_the_summary() -> None:
    assert told(*without("price", 3 * PATIENCE)) == []
    assert len(told(*without("price", 5), page(9), *without("price", PATIENCE))) == 1


def test_records_that_have_vanished_are_reported_instead_of_their_fields() -> None:
    empty = [page(number, ["name", "price"], records=0) for number in range(2 * PATIENCE)]
    assert told(*empty) == []
    assert told(page(7), *empty) == [VanishedField("t", "", PATIENCE - 1)]
    assert "t has no record" in VanishedField("t", "", 1).reason


def test_tables_are_kept_apart() -> None:
    both = [each for pair in zip(without("a", PATIENCE), without("a", PATIENCE, "u"), strict=True) for each in pair]
    assert told(page(7), page(7, ["a"], table="u"), *both) == [VanishedField("t", "a", PATIENCE - 1)]
