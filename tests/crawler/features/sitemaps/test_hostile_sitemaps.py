"""Sitemaps that mean harm: each costs what its bounds allow, and its reading ends with a name."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from itertools import repeat

import pytest

from hinterland.crawler.features.sitemaps.entries import SitemapBounds, SitemapOutcome
from hinterland.crawler.features.sitemaps.reader import SitemapReader, read_sitemap
from tests.support.sitemaps import packed, pieces, urls_of, urlset

MEGABYTE = 1 << 20
BOUNDS = SitemapBounds(max_bytes=2 * MEGABYTE, max_entries=1_000)
LAUGHS = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 20))
XML = b"<urlset><url>"


def many(text: Callable[[int], str], count: int) -> bytes:
    return "".join(map(text, range(count))).encode()


HOSTILE = {
    "a thousand million laughs": (
        f'<!DOCTYPE urlset [<!ENTITY a0 "ha">{LAUGHS}]><urlset><url><loc>http://a.test/&a19;</loc></url></urlset>'.encode(),
        SitemapOutcome.DECLARES,
    ),
    "an entity that is a file": (
        b'<!DOCTYPE urlset [<!ENTITY a SYSTEM "file:///etc/hostname">]><urlset><url><loc>http://a.test/&a;</loc></url></urlset>',
        SitemapOutcome.DECLARES,
    ),
    "parameter entities": (
        b'<!DOCTYPE urlset [<!ENTITY % a "<!ENTITY b \'x\'>">%a;%a;]><urlset><url><loc>http://a.test/</loc></url></urlset>',
        SitemapOutcome.DECLARES,
    ),
    "attributes for every element": (
        b"<!DOCTYPE urlset [<!ATTLIST a " + many(lambda n: f"b{n} CDATA 'x' ", 9) + b">]><urlset>" + b"<a/>" * 99,
        SitemapOutcome.DECLARES,
    ),
    "a document type that does not end": (
        b"<!DOCTYPE urlset [" + b"<!ELEMENT a ANY>" * 200_000,
        SitemapOutcome.TOO_LARGE,
    ),
    "too many entities": (
        b"<!DOCTYPE urlset [" + many(lambda n: f'<!ENTITY e{n} "a">', 20_000),
        SitemapOutcome.TOO_MANY_NAMES,
    ),
    "a gzip bomb": (packed(XML + b" " * 8 * MEGABYTE), SitemapOutcome.BOMB),
    "a gzip bomb of many members": (packed(XML) + packed(b" " * MEGABYTE) * 99, SitemapOutcome.BOMB),
    "gzip in gzip": (packed(packed(b" " * 8 * MEGABYTE)), SitemapOutcome.NO_SITEMAP),
    "a thousand empty members": (packed(b"") * 5_000, SitemapOutcome.CORRUPT),
    "elements in elements": (b"<urlset>" + b"<a>" * 100_000, SitemapOutcome.TOO_DEEP),
    "an attribute that does not end": (b'<urlset a="' + b"a" * MEGABYTE, SitemapOutcome.TAG_TOO_LONG),
    "a tag that does not end": (b"<urlset " + b"\n" * MEGABYTE, SitemapOutcome.TAG_TOO_LONG),
    "a tag of attributes": (b"<urlset " + many(lambda n: f'a{n}="1" ', 100_000), SitemapOutcome.TAG_TOO_LONG),
    "a new name for each element": (XML + many(lambda n: f"<a{n}/>", 50_000), SitemapOutcome.TOO_MANY_NAMES),
    "an instruction that does not end": (XML + b"<?a " + b"a" * MEGABYTE, SitemapOutcome.TAG_TOO_LONG),
    "entries of nothing": (b"<urlset>" + b"<url/>" * 100_000, SitemapOutcome.TOO_MANY_ENTRIES),
    "entries of lines": (b"http://a.test/\n" * 20_000, SitemapOutcome.TOO_MANY_ENTRIES),
    "text that does not end": (XML + b"<loc>" + b"a" * 3 * MEGABYTE, SitemapOutcome.TOO_LARGE),
    "a comment that does not end": (XML + b"<!--" + b"-" * 3 * MEGABYTE, SitemapOutcome.TOO_LARGE),
    "brackets": (XML + b"<loc><![CDATA[" + b"]" * 3 * MEGABYTE, SitemapOutcome.TOO_LARGE),
    "NULs": (b"\0" * 3 * MEGABYTE, SitemapOutcome.TOO_LARGE),
    "letters": (b"a" * MEGABYTE, SitemapOutcome.NO_SITEMAP),
    "NULs in an element": (XML + b"\0" * 3 * MEGABYTE, SitemapOutcome.TOO_LARGE),
    "white space": (b" " * 3 * MEGABYTE, SitemapOutcome.TOO_LARGE),
    "a line that does not end": (b"http://a.test/" + b"a" * MEGABYTE, SitemapOutcome.NO_SITEMAP),
    "brackets that open": (b"<" * MEGABYTE, SitemapOutcome.NOT_WELL_FORMED),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_each_ends_with_its_name(name: str) -> None:
    body, outcome = HOSTILE[name]
    urls, reading = urls_of(body, bounds=BOUNDS)
    assert reading.outcome is outcome
    assert reading.bytes <= BOUNDS.max_bytes
    assert all(url == "http://a.test/" for url in urls)


@pytest.mark.parametrize("unit", ["&", "<a/>", "<!---->"])
def test_marks_that_are_handled_one_by_one_are_counted(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hinterland.crawler.features.sitemaps.xml_entries._MAX_ELEMENTS", 10_000)
    reading = urls_of(XML + unit.encode() * 50_000)[1]
    assert reading.outcome is SitemapOutcome.TOO_MANY_ELEMENTS
    assert reading.bytes < 10 * len(unit) * 10_000


def test_one_that_has_no_end_is_left_where_it_is_too_large() -> None:
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        for chunk in repeat(b"<url><loc>http://a.test/</loc></url>" + b" " * 65_536):
            taken += len(chunk)
            yield chunk

    def body() -> Iterator[bytes]:
        yield b"<urlset>"
        yield from endless()

    entries, reading = read_sitemap(body(), None, BOUNDS)
    assert reading.outcome is SitemapOutcome.TOO_LARGE
    assert taken < BOUNDS.max_bytes + 200_000
    assert len(entries) == reading.entries == 32  # what was read of it counts


@pytest.mark.slow
@pytest.mark.parametrize("is_packed", [False, True])
def test_memory_does_not_grow_with_it(is_packed: bool) -> None:
    body = urlset(*(f"http://a.test/{sha256(b'%d' % n).hexdigest() * 3}" for n in range(5_000)))
    assert peak(pieces(packed(body) if is_packed else body, 1_024)) < MEGABYTE


def peak(chunks: Iterable[bytes]) -> int:
    """Bytes that a reading took at most, the entries let go."""
    chunks = list(chunks)
    reader = SitemapReader()
    tracemalloc.start()
    try:
        for chunk in chunks:
            reader.feed(chunk)
        reader.close()
        assert reader.reading.entries == 5_000
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
