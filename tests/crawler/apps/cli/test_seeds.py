"""Seeds as people give them."""

from __future__ import annotations

from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from crawler.apps.cli.seeds import GivenSeed, given_seeds, read_seeds, seeds_in
from crawler.urls.canonical import Canonicaliser


def test_a_byte_order_mark_before_the_seeds_counts_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("a.example\n", encoding="utf-8-sig")
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(file.read_bytes())))
    assert [each.text for name in (str(file), "-") for each in given_seeds([], name)] == ["a.example"] * 2


def test_seeds_in_a_file_stand_one_per_line_between_comments() -> None:
    assert seeds_in(["# a comment", "", " https://a.example/ ", "b.example/#part"], "f.txt") == [
        GivenSeed("https://a.example/", "f.txt, line 3"),
        GivenSeed("b.example/#part", "f.txt, line 4"),
    ]


def test_seeds_are_canonical_and_distinct_and_every_bad_one_has_its_place_and_reason() -> None:
    given = [
        GivenSeed("a.example", "line 1"),
        GivenSeed("HTTPS://A.example:443/#x", "line 2"),
        GivenSeed("ftp://a.example/", "line 3"),
        GivenSeed("https://a.example/" + "x" * 100, "line 4"),
    ]
    seeds = read_seeds(given, Canonicaliser(max_length=50))
    assert seeds.urls == ["https://a.example/"]
    assert [complaint.partition(":")[0] for complaint in seeds.complaints] == ["line 3", "line 4"]
    assert "urls.max_length" in seeds.complaints[1]


def test_seeds_without_a_scheme_say_what_they_are_taken_for() -> None:
    given = [GivenSeed(text, "") for text in ("https://a.example/", "b.example", " localhost:8000/x ")]
    assert read_seeds(given, Canonicaliser()).assumptions == [
        "b.example is taken for https://b.example/",
        "localhost:8000/x is taken for http://localhost:8000/x",
    ]
