"""What a page's markup says for an audit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.features.page_facts.facts import (
    HASH_BYTES,
    PageFacts,
    anchor_hash,
    fragment_hashes,
    is_anchor,
    packed_ids,
)
from hinterland.crawler.features.page_facts.reader import FactsReader, facts_of
from hinterland.crawler.parsing.html.html_source import HtmlSource
from hinterland.crawler.parsing.html.page import parse_page
from hinterland.crawler.parsing.messages import PageDigest
from hinterland.crawler.parsing.page_readers import ReadablePage
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.resolving import LinkResolver

URL = "http://a.test/p"
CANONICALISER = Canonicaliser(drop_parameters=("utm_*",))


def facts(html: str, url: str = URL) -> PageFacts:
    source = HtmlSource(html.encode(), "text/html; charset=utf-8")
    page, content = parse_page(source, url=url, resolver=LinkResolver(CANONICALISER), agent="bot", with_parts=True)
    read = FactsReader(CANONICALISER).read(ReadablePage(url, page, content, source))
    found = facts_of(PageDigest(readings={"page_facts": read}))
    assert found is not None
    return found


def test_images_without_an_alt_text_are_counted_but_not_those_that_decorate() -> None:
    found = facts('<img src=a.png><img src=b.png alt=""><img src=c.png role=presentation><img src=d.png>')
    assert (found.images, found.images_without_alt, found.image_without_alt) == (3, 2, "a.png")


@pytest.mark.parametrize(
    "markup, broken",
    [
        ('<a href="#here">x</a><p id=here>', []),
        ('<a href="#there">x</a>', [("", "there")]),
        ('<a href="#caf%C3%A9">x</a><p id="café">', []),
        ('<a href="#top">x</a><a href="#">y</a><a href="#/route">z</a><a href="#:~:text=word">w</a>', []),
        ('<a href="#old">x</a><a name=old></a>', []),
        ('<a href="http://a.test/p#gone">x</a>', [("", "gone")]),
        ('<a href="q?utm_source=x#part">x</a><a href="/q#part">y</a>', [("http://a.test/q", "part")] * 2),
        ('<base href="/dir/"><a href="#x">x</a>', [("http://a.test/dir/", "x")]),
        (
            '<meta http-equiv=Refresh content="1; url=q#new"><meta http-equiv=refresh content="1; url=q#second">',
            [("http://a.test/q", "new")],
        ),
        ('<meta http-equiv=refresh content="no"><meta http-equiv=refresh content="0;#gone">', [("", "gone")]),
    ],
)
def test_links_to_fragments_are_kept_unless_the_page_has_the_anchor(markup: str, broken: list[tuple[str, str]]) -> None:
    assert facts(markup).fragments == broken


@pytest.mark.parametrize("text, is_bad", [('{"@type": "Thing"}', False), ('{"a": 1,}', True), ("", True)])
def test_structured_data_is_bad_if_it_is_no_json(text: str, is_bad: bool) -> None:
    assert bool(facts(f'<script type="application/ld+json">{text}</script>').bad_data) == is_bad


def test_translations_are_resolved_and_keep_their_code_as_written() -> None:
    found = facts('<link rel=alternate hreflang=EN-gb href="/en"><link rel="alternate" href="/feed">')
    assert found.alternates == [("EN-gb", "http://a.test/en")]


def test_what_a_page_loads_is_listed_with_its_kind() -> None:
    found = facts('<link rel=stylesheet href=a.css><img srcset="1.png 1x, 2.png 2x"><script src=s.js></script>')
    assert sorted((kind, url) for kind, url, _ in found.references) == [
        (0, "http://a.test/1.png"),
        (0, "http://a.test/2.png"),
        (1, "http://a.test/a.css"),
        (2, "http://a.test/s.js"),
    ]


def test_canonical_elements_and_a_viewport_are_seen_in_any_case() -> None:
    found = facts('<META NAME=Viewport CONTENT=x><link REL=Canonical href=a><link rel="canonical" href=b>')
    assert (found.canonicals, found.has_viewport) == (2, True)


@given(st.lists(st.text(min_size=1)))
def test_anchors_are_kept_as_ascending_hashes_each_once(ids: list[str]) -> None:
    packed = packed_ids(ids)
    assert [packed[at : at + HASH_BYTES] for at in range(0, len(packed), HASH_BYTES)] == sorted(
        {anchor_hash(each) for each in ids}
    )


@given(st.text())
def test_any_text_may_be_a_fragment(fragment: str) -> None:
    is_anchor(fragment)
    fragment_hashes(fragment)
