"""Seeds as people give them."""

from __future__ import annotations

from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.cli.given_seeds import given_seeds
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.library.crawls.seeds import GivenSeed, read_seeds, seeds_in


def test_a_byte_order_mark_before_the_seeds_counts_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert "longer than 50 characters" in seeds.complaints[1]


def test_seeds_without_a_scheme_say_what_they_are_taken_for() -> None:
    given = [GivenSeed(text, "") for text in ("https://a.example/", "b.example", " localhost:8000/x ")]
    assert read_seeds(given, Canonicaliser()).assumptions == [
        "b.example is read as https://b.example/",
        "localhost:8000/x is read as http://localhost:8000/x",
    ]


X = "https://x.example/"
SLIPS = {
    "a quoted URL": f'"{X}"',
    "single quotation marks and a comma": f"'{X}',",
    "curved quotation marks": f"\u201c{X}\u201d",
    "a quotation mark that nothing closes": f'"{X}',
    "angle brackets": f"<{X}>",
    "brackets": f"({X})",
    "backticks": f"`{X}`",
    "a space of no width before it": f"\u200b{X}",
    "a space of no width in it": "https://x.exa\u200bmple/",
    "a mark of direction after it": f"{X}\u200e",
    "a byte order mark in the middle of the file": f"\ufeff{X}",
    "a soft hyphen": "https://x.exam\u00adple/",
    "a scheme twice": f"https://{X}",
    "two schemes": f"http://{X}",
    "a scheme twice, once without its colon": "https://https//x.example/",
    "no colon": "https//x.example/",
    "a semicolon for the colon": "https;//x.example/",
    "two colons": "https:://x.example/",
    "a wide colon": "https\uff1a//x.example/",
    "a space before the colon": "https ://x.example/",
    "backslashes": "https:\\\\x.example\\",
    "a letter too many": "httpss://x.example/",
    "a letter too few": "htps://x.example/",
    "no first letter": "ttps://x.example/",
    "no scheme, but its slashes": "//x.example/",
    "a bullet": f"- {X}",
    "a number": f"12. {X}",
    "a link of Markdown": f"[a name]({X})",
    "a comma after it": f"{X},",
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_seed_with_a_slip_in_it_is_taken_for_what_was_meant_and_its_line_is_named(slip: str) -> None:
    seeds = read_seeds(seeds_in(["", SLIPS[slip]], "seeds.txt"), Canonicaliser())
    assert (seeds.urls, seeds.complaints) == ([X], [])
    if "comma" not in slip:
        assert seeds.assumptions == [f"seeds.txt, line 2: {SLIPS[slip]!r} is read as {X}"]


@pytest.mark.parametrize(
    "line, note",
    [
        (f"{X}\tlabel", "label"),
        (f"{X}\ta label\t2024", "a label\t2024"),
        (f"{X}  a label", "a label"),
        (f"{X}, label", "label"),
        (f"{X}; label", "label"),
        (f"{X} | label", "label"),
        (f"{X} - label", "- label"),
        (f'"{X}","a label"', '"a label"'),
        (f'"{X}" label', "label"),
        (f"<{X}> label", "label"),
        (f"{X}  # label", ""),
        (f"{X} # label", ""),
        (f"{X}\t#label", ""),
        (f'"{X}" # label', ""),
    ],
)
def test_a_note_behind_a_seed_is_no_part_of_its_url(line: str, note: str) -> None:
    [seed] = seeds_in([line], "f.txt")
    assert (seed.place, seed.note) == ("f.txt, line 1", note)
    seeds = read_seeds([seed], Canonicaliser())
    assert (seeds.urls, seeds.complaints) == ([X], [])
    if note:
        assert seeds.assumptions == [f"f.txt, line 1: {seed.text!r} is read as {X}, and {note!r} as a note"]


@pytest.mark.parametrize(
    "line, reason",
    [
        (f"{X} label", "%20"),
        ("https", "no host"),
        ("http://", "no host"),
        ("https://http", "no host"),
        ("http:///", "no host"),
        ("/path", "no host"),
        ("https://x.example/\ufffd", "UTF-8"),
        ("ftp://x.example/", "not a URL"),
        ("name@x.example", "not a URL"),
    ],
)
def test_a_line_that_is_no_seed_is_named_with_a_way_out_and_asks_no_host(line: str, reason: str) -> None:
    seeds = read_seeds(seeds_in(["# seeds", line], "f.txt"), Canonicaliser())
    assert seeds.urls == []
    [complaint] = seeds.complaints
    assert complaint.startswith("f.txt, line 2: ")
    assert reason in complaint


@pytest.mark.parametrize(
    "url",
    [
        "https://x.example/a,b", "https://x.example/a;b=c", "https://x.example/a(b)", "https://x.example/?q=%22y%22",
        "https://web.example/http://x.example/", "https://http.example/", "https://httpbin.example/", "http://[::1]/",
        "https://x.example/~a-b_c", "https://x.example/?a=[1]",
    ],
)  # fmt: skip
def test_a_seed_without_a_slip_is_taken_as_it_is(url: str) -> None:
    seeds = read_seeds(seeds_in([url], "f.txt"), Canonicaliser())
    assert (seeds.urls, seeds.complaints, seeds.assumptions) == ([url], [], [])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-8"])
def test_seeds_are_read_in_the_encoding_that_their_file_names(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text(f"\r\n{X}\r\n\u200b\r\n", encoding=encoding)
    assert [(each.text, each.place) for each in given_seeds([], str(file))] == [(X, f"{file}, line 2")]


@given(st.text(alphabet="htps:/\\\"'<>()[]., #\t\u200bax-1", max_size=20))
def test_any_line_is_read(line: str) -> None:
    seeds = read_seeds(seeds_in([line], "f.txt"), Canonicaliser())
    assert len(seeds.urls) + len(seeds.complaints) <= 1
