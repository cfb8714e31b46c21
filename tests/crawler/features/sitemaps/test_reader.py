"""Sitemaps and feeds as sites write them; see test_hostile_sitemaps for those that mean harm."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.features.sitemaps.entries import (
    EntryKind,
    SitemapBounds,
    SitemapEntry,
    SitemapForm,
    SitemapOutcome,
)
from hinterland.crawler.features.sitemaps.reader import SitemapReader, read_sitemap
from tests.support.sitemaps import packed, pieces, urls_of, urlset

A, B = "http://a.test/1", "http://a.test/2"
DAY = datetime(2024, 5, 3, tzinfo=UTC).timestamp()

INDEX = (
    f"<sitemapindex><sitemap><loc>{A}</loc><lastmod>2024-05-03</lastmod></sitemap>"
    f"<sitemap><loc> {B}\n</loc></sitemap></sitemapindex>"
).encode()
NEWS = (
    f'<urlset xmlns:news=""><url><loc>{A}</loc><news:news><news:publication><news:name>N</news:name></news:publication>'
    "<news:publication_date>2024-05-03</news:publication_date></news:news></url></urlset>"
).encode()
VIDEO = (
    f"<urlset><url><video:video><video:publication_date>2024-05-03</video:publication_date><video:loc>{B}</video:loc>"
    f"</video:video><image:loc>{B}</image:loc><loc>{A}</loc></url></urlset>"
).encode()
RSS = (
    f'<rss version="2.0"><channel><link>http://a.test/</link><item><atom:link href="{B}"/><link>{A}</link>'
    f"<description><![CDATA[<p>&nbsp;]]></description><pubDate>Fri, 03 May 2024 00:00:00 GMT</pubDate></item>"
    f"<item><title>caf&eacute; & more</title><guid>{B}</guid></item></channel></rss>"
).encode()
ATOM = (
    f'<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://a.test/"/><entry><link rel="self" href="{B}"/>'
    f'<link href="{A}"/><published>2020-01-01</published><updated>2024-05-03T00:00:00Z</updated></entry>'
    f"<entry><id>{B}</id></entry></feed>"
).encode()
RDF = (
    f'<rdf:RDF xmlns=""><channel rdf:about="http://a.test/"><link>http://a.test/</link></channel><item rdf:about="{B}">'
    f'<link>{A}</link><dc:date>2024-05-03</dc:date></item><item rdf:about="{B}"/></rdf:RDF>'
).encode()
TEXT = f"\ufeff{A}\r\n\r\nno URL\n  {B}".encode()


def entry(url: str, lastmod: float | None = None, what: EntryKind = EntryKind.PAGE) -> SitemapEntry:
    return SitemapEntry(url, lastmod, what)


SAMPLES = {
    SitemapForm.URLSET: (urlset(A, B), [entry(A), entry(B)]),
    SitemapForm.INDEX: (INDEX, [entry(A, DAY, EntryKind.SITEMAP), entry(B, None, EntryKind.SITEMAP)]),
    SitemapForm.RSS: (RSS, [entry(A, DAY, EntryKind.ARTICLE), entry(B, None, EntryKind.ARTICLE)]),
    SitemapForm.ATOM: (ATOM, [entry(A, DAY, EntryKind.ARTICLE), entry(B, None, EntryKind.ARTICLE)]),
    SitemapForm.RDF: (RDF, [entry(A, DAY, EntryKind.ARTICLE), entry(B, None, EntryKind.ARTICLE)]),
    SitemapForm.TEXT: (TEXT, [entry(A), entry(B)]),
}


# ------------------------------------------------------------------------------------------- forms


ATOM_BASE = 'xmlns="http://www.w3.org/2005/Atom" xml:base="http://a.test/blog/"'


@pytest.mark.parametrize(
    "document, urls",
    [
        (f"<feed {ATOM_BASE}><entry><link href='1'/></entry><entry><link href='/2'/></entry></feed>",
         ["/blog/1", "/2"]),
        (f"<feed {ATOM_BASE}><entry xml:base='deep/'><link href='1'/></entry><entry><link href='2'/></entry></feed>",
         ["/blog/deep/1", "/blog/2"]),
        (f"<feed {ATOM_BASE}><entry><link xml:base='/l/' href='1'/></entry><entry><link href='2'/></entry></feed>",
         ["/l/1", "/blog/2"]),
        (f"<feed {ATOM_BASE}><entry xml:base='/e/'><title xml:base='/t/'/><link href='1'/></entry></feed>", ["/e/1"]),
        (f"<feed {ATOM_BASE}><entry><link href='http://a.test/x/1'/></entry></feed>", ["/x/1"]),
        (f"<feed {ATOM_BASE}><entry><id>tag:a</id><content src='c'/></entry></feed>", ["/blog/c"]),
        (f"<feed {ATOM_BASE}><entry xml:base='http://[bad'><link href='1'/></entry></feed>", ["/blog/1"]),
        (f"<feed {ATOM_BASE}><entry xml:base=''><link href='?p=1'/></entry></feed>", ["/blog/?p=1"]),
        ("<feed xml:base='/s/'><entry><link href='1'/></entry></feed>", ["/s/1"]),
        ("<a:feed xmlns:a='x' xml:base='s/'><a:entry><a:link href='1'/></a:entry></a:feed>", ["/feeds/s/1"]),
        ("<rss xml:base='/r/'><channel xml:base='c/'><item><link>1</link></item></channel></rss>", ["/r/c/1"]),
        ("<rss><channel><item xml:base='/i/'><link>1</link></item><item><link>2</link></item></channel></rss>",
         ["/i/1", "2"]),
        ("<rss><channel><item><link xml:base='/l/'>1</link></item></channel></rss>", ["/l/1"]),
        ("<rdf:RDF xml:base='http://a.test/d/'><item rdf:about='1'/><item><link>2</link></item></rdf:RDF>",
         ["/d/1", "/d/2"]),
        ("<urlset xml:base='http://a.test/u/'><url><loc>1</loc></url></urlset>", ["/u/1"]),
        ("<sitemapindex xml:base='/u/'><sitemap><loc>1.xml</loc></sitemap></sitemapindex>", ["/u/1.xml"]),
    ],
)  # fmt: skip
def test_urls_are_relative_to_the_xml_base_around_them(document: str, urls: list[str]) -> None:
    reader = SitemapReader(url="http://a.test/feeds/f.xml")
    found = reader.feed(document.encode()) + reader.close()
    assert [entry.url.removeprefix("http://a.test") for entry in found] == urls


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("form", SAMPLES)
def test_each_form_is_read_packed_or_not(form: SitemapForm, is_packed: bool) -> None:
    body, entries = SAMPLES[form]
    found, reading = read_sitemap([packed(body) if is_packed else body])
    assert found == entries
    assert (reading.form, reading.outcome, reading.entries) == (form, SitemapOutcome.WHOLE, 2)
    assert reading.bytes == len(body)


def test_an_article_is_as_old_as_its_publication() -> None:
    assert read_sitemap([NEWS])[0] == [entry(A, DAY, EntryKind.ARTICLE)]


def test_images_and_videos_are_not_pages() -> None:
    assert read_sitemap([VIDEO])[0] == [entry(A)]


@pytest.mark.parametrize("prefix", ["s", "S", "siteMap"])
def test_a_prefix_of_the_root_is_one_of_its_entries_too(prefix: str) -> None:
    body = "<s:urlset xmlns:s='x'><s:url><s:loc>{}</s:loc></s:url></s:urlset>".replace("s:", f"{prefix}:")
    assert urls_of(body.replace("xmlns:s", f"xmlns:{prefix}").format(A).encode())[0] == [A]


SPELT = urlset("http://a.test/é").decode()


@pytest.mark.parametrize(
    "body, content_type",
    [
        (SPELT.encode(), None),
        (SPELT.encode(), "text/xml"),
        (SPELT.encode("latin-1"), "text/xml; charset=ISO-8859-1"),
        (SPELT.replace("?>", " encoding='ISO-8859-1'?>").encode("latin-1"), None),
        (SPELT.encode("utf-16"), None),
        (SPELT.encode("utf-16-le"), None),
        (SPELT.encode("utf-16-be"), "text/xml"),
        (f"\ufeff\ufeff\n\n{SPELT}".encode(), None),
        ("http://a.test/é\n".encode("latin-1"), "text/plain; charset=latin1"),
    ],
    ids=str,
)
def test_every_encoding_is_read(body: bytes, content_type: str | None) -> None:
    assert urls_of(body, content_type)[0] == ["http://a.test/é"]


def test_several_gzip_members_are_one_and_rubbish_after_them_is_none_of_it() -> None:
    body = urlset(A, B)
    members = packed(body[:50]) + packed(b"") + packed(body[50:]) + b"\x1frubbish"
    assert urls_of(members)[0] == [A, B]


# ------------------------------------------------------------------------------------ hand-written


@pytest.mark.parametrize(
    "written, url",
    [
        ("http://a.test/?x=1&y=2&amp;z=3", "http://a.test/?x=1&y=2&z=3"),
        ("http://a.test/?copy=1&copy=2", "http://a.test/?copy=1&copy=2"),
        ("http://a.test/?a&#38;b&#x26;c", "http://a.test/?a&b&c"),
        ("http://a.test/&eacute;&unknown;", "http://a.test/é"),
        ("<![CDATA[http://a.test/?x&y&amp;z]]>", "http://a.test/?x&y&amp;z"),
        ("<!-- one -- two & -->http://a.test/1", A),
        ("\n   http://a.test/\n   1  ", A),
        ("&", "&"),
    ],
)
def test_urls_are_read_as_they_were_meant(written: str, url: str) -> None:
    urls, reading = urls_of(urlset(written, B))
    assert (urls, reading.outcome) == ([url, B], SitemapOutcome.WHOLE)


def test_what_follows_the_end_of_the_document_does_not_matter() -> None:
    urls, reading = urls_of(urlset(A) + b"</div> <b>12 queries & 0.3 s<")
    assert (urls, reading.outcome) == ([A], SitemapOutcome.WHOLE)


def test_entries_without_a_usable_url_are_left_out_and_counted() -> None:
    body = urlset("", "http://a.test/" + "x" * 3000, "http://a.test/\x00", "http://a.test/&#1;", A)
    urls, reading = urls_of(body)
    assert urls == [A]
    assert reading.left_out == 4


# ---------------------------------------------------------------------------------------- outcomes


@pytest.mark.parametrize(
    "body, outcome, urls",
    [
        (b"", SitemapOutcome.EMPTY, []),
        (b" \n\t " * 9_000, SitemapOutcome.EMPTY, []),
        (packed(b""), SitemapOutcome.EMPTY, []),
        (b"<!DOCTYPE html><html lang=en><p>not <b>found", SitemapOutcome.HTML, []),
        (b"\n<!-- x --><html><body>", SitemapOutcome.HTML, []),
        (b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0//EN" "x">', SitemapOutcome.HTML, []),
        (b"<opml><outline/></opml>", SitemapOutcome.NO_SITEMAP, []),
        (b'{"version": "https://jsonfeed.org/version/1.1"}', SitemapOutcome.NO_SITEMAP, []),
        (b"%PDF-1.7 \x00\x01\xff", SitemapOutcome.NO_SITEMAP, []),
        (urlset(A, tail="<url><loc>http://a.test/p"), SitemapOutcome.TRUNCATED, [A]),
        (urlset(A, tail="<url><loc>http://a.test/2</lo"), SitemapOutcome.TRUNCATED, [A, B]),
        (urlset(A, tail="<url><loc>http://a.test/2<"), SitemapOutcome.TRUNCATED, [A]),
        (urlset(A, tail="<url><loc>http://a.test/2</loc>"), SitemapOutcome.TRUNCATED, [A, B]),
        (urlset(A, tail="<url><loc>http://a.test/2</loc></sitemap>"), SitemapOutcome.NOT_WELL_FORMED, [A, B]),
        (urlset(A, tail="<url><loc>http://a.test/x < y"), SitemapOutcome.NOT_WELL_FORMED, [A]),
        (urlset(A, tail="<x>\xe9</x></urlset>").replace(b"\xc3", b""), SitemapOutcome.WRONG_ENCODING, [A]),
        (b"<?xml version='1.0' encoding='iso-2022-kr'?>" + urlset(A)[21:], SitemapOutcome.WRONG_ENCODING, []),
        (packed(urlset(A, B))[:-30], SitemapOutcome.TRUNCATED, []),
        (packed(urlset(A))[:30] + b"\xff" * 30, SitemapOutcome.CORRUPT, []),
    ],
)
def test_every_way_to_end_has_its_name_and_what_was_read_counts(
    body: bytes, outcome: SitemapOutcome, urls: list[str]
) -> None:
    found, reading = urls_of(body)
    assert reading.outcome is outcome
    assert found == urls


def test_of_a_packed_one_that_breaks_off_the_beginning_counts() -> None:
    body = packed(urlset(*(f"http://a.test/{n * n}" for n in range(4_000))))
    urls, reading = urls_of(body[: len(body) // 2])
    assert reading.outcome is SitemapOutcome.TRUNCATED
    assert urls == [f"http://a.test/{n * n}" for n in range(len(urls))]
    assert len(urls) > 1_000


def test_after_its_end_nothing_more_is_read() -> None:
    reader = SitemapReader(bounds=SitemapBounds(block_bytes=16))
    assert [each.url for each in reader.feed(urlset(A) + b" " * 99)] == [A]
    assert reader.is_finished
    assert reader.feed(urlset(B)) == []
    assert reader.close() == []
    assert reader.reading.entries == 1


def test_a_reading_that_has_not_ended_says_that_it_is_not_whole() -> None:
    reader = SitemapReader()
    reader.feed(urlset(A)[:-20])
    assert reader.reading.outcome is SitemapOutcome.TRUNCATED


# ------------------------------------------------------------------------------------- any chunks

SOME = [body for body, _ in SAMPLES.values()] + [
    NEWS,
    urlset("http://a.test/?x=1&y=2", "<![CDATA[&]]]]>", "&eacute;<!-- -- -->", tail="<url><loc>http://a.test/"),
    urlset("http://a.test/é").decode().encode("utf-16"),
    packed(urlset(A)) + packed(urlset(B)) + b"x",
    packed(urlset(A, B, tail="x" * 99))[:-12],
    packed(urlset(A, B))[:40] + b"\xff" * 40,
    b"<html>",
]


CUTS = st.lists(st.integers(0, 700), max_size=12)


@pytest.mark.slow
@given(body=st.sampled_from(SOME), cuts=CUTS, block=st.sampled_from([8, 64, 1 << 14]))
def test_how_the_bytes_are_cut_changes_nothing(body: bytes, cuts: list[int], block: int) -> None:
    bounds = SitemapBounds(block_bytes=block, max_entries=3)
    places = sorted({0, len(body), *(cut for cut in cuts if cut < len(body))})
    chunks = [body[start:end] for start, end in pairwise(places)]
    assert read_sitemap(chunks, None, bounds) == read_sitemap([body], None, bounds)


@pytest.mark.parametrize("body", SOME, ids=range(len(SOME)))
def test_how_much_is_read_at_a_time_changes_nothing_in_a_plain_one(body: bytes) -> None:
    if body.startswith(b"\x1f\x8b"):
        return  # of a block that cannot be unpacked, all is lost
    small = [read_sitemap(pieces(body, 7), None, SitemapBounds(block_bytes=size)) for size in (64, 100, 1 << 14)]
    assert [(found, reading.outcome) for found, reading in small] == [(small[0][0], small[0][1].outcome)] * 3


@pytest.mark.slow
@given(st.binary(max_size=300) | st.text("<>/!&;[]-?'\"= \naurlsetoc:xmlCDATA", max_size=300).map(str.encode))
def test_nothing_is_worse_than_a_named_outcome(body: bytes) -> None:
    for prefix in (b"", b"<urlset><url><loc>", b"\x1f\x8b", b"http://a.test/\n", b"<rss><item>"):
        _, reading = read_sitemap([prefix + body], None, SitemapBounds(block_bytes=32))
        assert reading.outcome in SitemapOutcome
