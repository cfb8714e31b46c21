"""Hits are printed for other programs, whatever the pages say."""

from __future__ import annotations

import csv
import io
import json

from markdown_it import MarkdownIt

from hinterland.cli.search_formats import as_csv, as_jsonl, as_markdown
from hinterland.search.answers import Fragment, Hit, SearchAnswer


def hit(title: str, snippet: str, url: str = "https://a.example/x?a=<b>") -> Hit:
    halves = (Fragment(title[:3], is_match=True), Fragment(title[3:], is_match=False)) if title else ()
    return Hit(
        page=1,
        url=url,
        title=halves,
        snippet=(Fragment(snippet, is_match=False),),
        host="https://a.example",
        language="en",
        fetched_at=1_700_000_000.0,
        score=1.23456,
        parts=(),
        copies=0,
        lacks=(),
    )


def answer(*hits: Hit) -> SearchAnswer:
    return SearchAnswer("x", hits, 10, 40, is_exact=True, notes=(), seconds=0.0)


HOSTILE = "[click](javascript:alert(1)) <script> \x1b[31m # *b* `c`\nnew & line"


def test_every_line_of_jsonl_is_a_hit_with_its_place() -> None:
    lines = as_jsonl(answer(hit("One", "first"), hit("", HOSTILE))).splitlines()
    first, second = map(json.loads, lines)
    assert (first["place"], first["title"], first["snippet"], first["score"]) == (11, "One", "first", 1.2346)
    assert first["fetched"] == "2023-11-14T22:13:20+00:00"
    assert (second["place"], second["title"], second["snippet"]) == (12, "", HOSTILE)


def test_csv_has_a_line_of_names_even_without_hits() -> None:
    [row] = csv.DictReader(io.StringIO(as_csv(answer(hit("One, two", "first"))), newline=""))
    assert (row["place"], row["title"], row["dated"]) == ("11", "One, two", "")
    assert as_csv(answer()).startswith("place,url,title,snippet")


def test_text_of_pages_cannot_become_markup_in_markdown() -> None:
    html = MarkdownIt().render(as_markdown(answer(hit("One *two*", "first"), hit("", HOSTILE))))
    assert html.count("<a ") == 2
    assert '<a href="https://a.example/x?a=%3Cb%3E">One *two*</a>' in html
    assert "[click](javascript:alert(1))" in html
    assert not any(tag in html for tag in ("<script", "<em>", "<code>", "<h1", 'href="javascript'))
    assert "\x1b" not in html
