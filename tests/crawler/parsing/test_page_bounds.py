"""Everything that is derived from a page has a bound, and what it cuts is counted."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.fetching.answers import Answer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.robots.rules import parse_robots
from hinterland.crawler.fetching.verdicts import Verdict
from hinterland.crawler.frontier.pages.discoveries import Discoveries
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.loop.decisions.visit_records import LinkNumbering, Outlinks, kept_sitemaps, visit_record
from hinterland.crawler.parsing.html import page_bounds as bounds
from hinterland.crawler.parsing.html.headings import Heading
from hinterland.crawler.parsing.html.page_bounds import Truncations
from hinterland.crawler.parsing.html.parsed_page import LinkKind, ParsedPage, VisibleText
from hinterland.crawler.parsing.html.tree_bound import readable_bytes
from hinterland.crawler.parsing.pool.config import parser_config
from hinterland.crawler.settings import ParsingSettings, ScopeSettings, Settings
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.resolving import LinkResolver
from hinterland.library.importing.link_data import LinkDataReader
from hinterland.storage.values.hosts import HostStateRecord
from hinterland.storage.values.records import VisitRecord
from tests.crawler.parsing.test_parse_worker import digest
from tests.support.page_parsing import parsed

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

URL = "http://a.example/dir/page.html"
REST = HostStateRecord(0, None, 0.0, 0.0, 0, 0, is_given_up=False)


def parse(markup: str, **arguments: Any) -> tuple[ParsedPage, VisibleText]:
    """Parse a page by both readers."""
    resolver = LinkResolver(Canonicaliser(max_length=200))
    arguments = {"url": URL, "content_type": "text/html; charset=utf-8", "agent": "Hinterland"} | arguments
    return parsed(markup.encode(), resolver=resolver, **arguments)


# --- the tree -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_first_of_very_many_tags_are_read_and_the_others_counted() -> None:
    rows = "".join(f"<li><a href=p{n}>{n}</a></li>" for n in range(5000))
    page, text = parse(f"<title>rows</title><h1>all</h1><ul>{rows}</ul>", max_tree_bytes=2_000_000)
    kept = len(page.link_urls)
    assert 1000 < kept < 3000
    assert [*page.link_urls] == [f"http://a.example/dir/p{n}" for n in range(kept)]
    assert (page.title, text.headings) == ("rows", [Heading(1, "all")])
    assert text.text.split()[-1] == str(kept - 1).encode()
    assert list(page.cut) == ["tags"]
    assert abs(page.cut["tags"] - 4 * (5000 - kept)) < 5


@pytest.mark.slow
def test_a_page_with_room_for_its_tree_is_read_to_its_end() -> None:
    html = b"<p class=x>text</p>" * 5000
    assert readable_bytes(html, 100 * len(html)) == len(html)
    assert parse("<br>" * 300_000)[0].cut == {}


def test_how_large_a_tree_may_be_is_a_setting() -> None:
    settings = Settings(parsing=ParsingSettings(max_tree_mb=20, compiled=False))
    found = digest(b"<br>" * 400_000, max_body_bytes=2_000_000, max_tree_bytes=parser_config(settings).max_tree_bytes)
    assert found.page is not None
    assert 285_000 < found.page.cut["tags"] < 295_000


@given(st.lists(st.sampled_from([b"<p>", b"<a href=x>", b"text", b"=", b"</p>"])), st.integers(0, 1_000_000))
def test_a_page_is_cut_before_a_tag_and_not_long_after_the_bound(parts: list[bytes], room: int) -> None:
    html = b"".join(parts) * 5000
    end = readable_bytes(html, room)
    assert end == len(html) or html.startswith(b"<", end) or end == 0
    taken = html[: max(end - (1 << 14), 0)]
    assert len(taken) + 180 * taken.count(b"<") + 270 * taken.count(b"=") <= room


# --- headings -----------------------------------------------------------------------------------


def test_a_kilobyte_of_nested_headings_stays_small_in_the_store() -> None:
    found = digest(b"<h1><div>" * 400 + b"x" * 250_000, max_body_bytes=1_000_000)
    assert found.page is not None
    assert len(found.headings) < 10_000
    assert json.loads(found.headings)[-1] == [1, "x" * bounds.MAX_HEADING_CHARACTERS]
    assert found.page.cut == {"headings": 1}


def test_what_stands_in_a_heading_inside_another_belongs_to_the_inner_one() -> None:
    _, text = parse("<h1>one <div><h2>two <b>bold</b> <div><h3>three</h3></div> two</h2></div> one</h1>")
    assert text.headings == [Heading(1, "one one"), Heading(2, "two bold two"), Heading(3, "three")]


def test_a_heading_that_was_left_open_does_not_say_again_what_the_next_ones_say() -> None:
    _, text = parse("<h1>Open<div>" + "".join(f"<p>{n}</p><section><h2>part {n}</h2></section>" for n in range(3)))
    assert text.headings == [Heading(1, "Open012"), *(Heading(2, f"part {n}") for n in range(3))]


@pytest.mark.slow
def test_the_first_of_too_many_headings_are_kept_and_the_others_counted() -> None:
    page, text = parse("<h1>x</h1>" * (bounds.MAX_HEADINGS + 5))
    assert len(text.headings) == bounds.MAX_HEADINGS
    assert page.cut == {"headings": 5}


def test_all_headings_together_have_a_bound() -> None:
    page, text = parse(f"<h2>{'y' * 999}</h2>" * 1010)
    assert sum(len(each.text) for each in text.headings) == bounds.MAX_CHARACTERS_OF_HEADINGS
    assert page.cut == {"headings": 1010 - 1_000_000 // 999}


# --- anchors and links --------------------------------------------------------------------------


@pytest.mark.slow
def test_anchor_texts_have_a_bound_each_and_together() -> None:
    page, _ = parse(f"<a href=first>{'f' * 301}</a>" + "".join(f"<a href=p{n}>{'z' * 300}</a>" for n in range(7000)))
    assert page.link_anchors[0] == "f" * bounds.MAX_ANCHOR_CHARACTERS
    assert sum(map(len, page.link_anchors)) == bounds.MAX_CHARACTERS_OF_ANCHORS
    assert page.cut == {"anchors": 1 + 7001 - 2_000_000 // 300}
    assert len(page.link_urls) == 7001


def test_links_inside_each_other_do_not_repeat_a_text_without_bound() -> None:
    nested = "".join(f"<a href=p{n}><table><td>" for n in range(60))
    page, _ = parse(nested + "w" * 100_000)
    assert {len(anchor) for anchor in page.link_anchors} == {bounds.MAX_ANCHOR_CHARACTERS}
    assert page.cut == {"anchors": 60}


def test_the_first_of_too_many_links_are_kept_and_the_others_counted() -> None:
    links = "".join(f"<a href=p{n}>x</a><a href=./p{n}>again</a>" for n in range(10))
    page, _ = parse(f"<iframe src=frame></iframe>{links}<a href=p3>again</a>", max_links=8)
    assert [*page.link_urls] == [f"http://a.example/dir/p{n}" for n in range(8)]
    assert page.cut == {"links": 3}


def test_no_more_links_are_examined_than_needed_to_keep_the_limit() -> None:
    page, _ = parse("<a href=same>x</a>" * 30 + "<a href=late>y</a>", max_links=5)
    assert [*page.link_urls] == ["http://a.example/dir/same"]
    assert page.cut == {"links": 11}


def test_the_first_canonical_link_is_kept_however_many_links_there_are() -> None:
    canonical = "<link rel=canonical href=c><link rel=canonical href=d><link rel=next href=n>"
    page, _ = parse(canonical + "".join(f"<a href=p{n}>x</a>" for n in range(3)), max_links=2)
    assert page.canonical == "http://a.example/dir/c"
    assert list(zip(page.link_urls, page.link_kinds, strict=True)) == [
        ("http://a.example/dir/p0", LinkKind.A),
        ("http://a.example/dir/p1", LinkKind.A),
        ("http://a.example/dir/c", LinkKind.CANONICAL),
    ]
    assert page.cut == {"links": 3}


@pytest.mark.slow
@given(st.lists(st.integers(0, 9), max_size=40), st.integers(1, 6))
def test_whatever_links_repeat_both_readers_keep_the_same(numbers: list[int], most: int) -> None:
    forms = ("p{}", "./p{}", "../dir/p{}", "p{}#x", "#y", "//a.example/dir/p{}", "http://:/{}", "é{}", "", "page.html")
    html = "".join(f"<a href='{forms[n].format(n % 3)}'>{n}</a>" for n in numbers)
    parse(html, max_links=most)  # which compares them


# --- the other texts ----------------------------------------------------------------------------


def test_title_description_and_language_have_bounds() -> None:
    page, _ = parse(f"<html lang={'e' * 101}><title>{'t ' * 999}</title><meta name=description content='{'d' * 5001}'>")
    assert (len(page.title), len(page.description), len(page.language)) == (1000, 5000, 100)
    assert page.cut == {"title": 1, "description": 1, "language": 1}


def test_a_text_that_grows_as_it_is_decoded_is_cut_between_two_characters() -> None:
    found = digest("é€".encode("windows-1252") * 4000, max_body_bytes=8001)
    assert found.page is not None
    assert found.text is not None
    text = zstd.decompress(found.text)
    assert text == "é€".encode() * 1600
    assert found.page.cut == {"text": 1}


def test_a_page_of_usual_size_is_not_cut() -> None:
    page, _ = parse("<title>t</title><h1>h</h1>" + "".join(f"<a href=p{n}>x</a>" for n in range(2000)))
    assert page.cut == {}


@given(st.text("é€x🕸"), st.integers(0, 20))
def test_utf8_is_cut_where_a_character_ends(text: str, most: int) -> None:
    cuts = Truncations()
    kept = cuts.utf8("text", text.encode(), most)
    assert text.startswith(kept.decode())
    assert len(kept) <= most < len(kept) + 4 or kept == text.encode()
    assert bool(cuts.counts) == (len(kept) < len(text.encode()))


# --- header fields, archives, robots.txt --------------------------------------------------------


def record_of(answer: Answer, verdict: Verdict) -> VisitRecord:
    return visit_record(
        visit=1, page=0, attempt=1, started_at=0.0, verdict=verdict, answer=answer, digest=None, parsed=None,
        outlinks=Outlinks(), discoveries=Discoveries(), host_state=REST,
    )  # fmt: skip


def test_header_fields_are_stored_up_to_a_bound_and_validators_whole_or_not_at_all() -> None:
    long = "x" * 60_000
    record = record_of(
        Answer(200, b"", 0.1, content_type=long, etag=long, last_modified="today"),
        Verdict(OutcomeKind.OTHER_TYPE, long, 200),
    )
    assert (record.content_type, record.detail) == ("x" * 1000, "x" * 1000)
    assert (record.etag, record.last_modified) == (None, "today")
    assert record.cut == {"detail": 1, "content_type": 1, "etag": 1}


def test_what_was_cut_from_a_page_is_in_its_record() -> None:
    page, _ = parse("<a href=one>x</a><a href=two>x</a>", max_links=1)
    known, discoveries = KnownPages(Scope(ScopeSettings()), max_depth=None), Discoveries()
    known.add_seeds([URL], discoveries)
    outlinks = LinkNumbering(known, Settings()).of_page(0, URL, page, discoveries)
    record = visit_record(
        visit=1, page=0, attempt=1, started_at=0.0, verdict=Verdict(OutcomeKind.FETCHED), answer=Answer(200, b"", 0.1),
        digest=None, parsed=page, outlinks=outlinks, discoveries=discoveries, host_state=REST,
    )  # fmt: skip
    assert record.cut == {"links": 1}


def test_link_data_of_an_archive_has_the_same_bounds() -> None:
    links = [{"path": "A@/href", "url": f"/p{n}", "text": "t" * 400} for n in range(4)]
    head = {"Title": "x" * 2000, "Metas": [{"name": "description", "content": "d" * 6000}]}
    response = {"Response-Message": {"Status": "200"}, "HTML-Metadata": {"Head": head, "Links": links}}
    wat = {"Envelope": {"Payload-Metadata": {"HTTP-Response-Metadata": response}}}
    reader = LinkDataReader(LinkResolver(Canonicaliser()), "Hinterland", max_links=3)
    item = reader.wat(json.dumps(wat).encode(), URL, "2020-01-02T03:04:05Z")
    page = item.page  # type: ignore[union-attr]  # else it would have been skipped
    assert (len(page.title), len(page.description), len(page.link_urls)) == (1000, 5000, 3)
    assert page.link_anchors == ["t" * 300] * 3
    assert page.cut == {"links": 1, "title": 1, "description": 1, "anchors": 3}


def test_sitemaps_of_a_robots_txt_are_kept_up_to_a_bound() -> None:
    text = b"Sitemap: http://a.example/first\nSitemap: /" + b"l" * 3000 + b"\n" + b"Sitemap: /s\n" * 2000
    sitemaps, left_out = kept_sitemaps(parse_robots(text, "Hinterland").sitemaps)
    assert sitemaps[:2] == ["http://a.example/first", "/s"]
    assert (len(sitemaps), left_out) == (bounds.MAX_SITEMAPS, 1 + 2001 - bounds.MAX_SITEMAPS)
    long = ["/" + "x" * 1999] * 100
    sitemaps, left_out = kept_sitemaps(long)
    assert (sum(map(len, sitemaps)), left_out) == (bounds.MAX_CHARACTERS_OF_SITEMAPS, 50)
