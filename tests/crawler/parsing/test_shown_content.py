"""What a browser shows though it stands in a template, a drawing or an attribute: its text and links count."""

from __future__ import annotations

import html
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.parsing.html.headings import Heading
from hinterland.crawler.parsing.html.inner_documents import MOST_DOCUMENTS
from hinterland.crawler.parsing.html.parsed_page import LinkKind, ParsedPage, VisibleText
from hinterland.crawler.parsing.html.shadow_roots import with_shadow_roots
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.resolving import LinkResolver
from tests.support.page_parsing import parsed

URL = "http://a.example/dir/page.html"
X = "http://a.example/dir/x"


def parse(markup: str, **arguments: Any) -> tuple[ParsedPage, VisibleText]:
    return parsed(
        markup.encode(),
        url=URL,
        content_type="text/html; charset=utf-8",
        resolver=LinkResolver(Canonicaliser()),
        agent="Hinterland",
        **arguments,
    )


def said(markup: str) -> tuple[str, list[str]]:
    """Text with white space collapsed, links."""
    page, content = parse(markup)
    return " ".join(content.text.decode().split()), [*page.link_urls]


# --- shadow roots -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "start",
    [
        "<template shadowrootmode=open>",
        "<template shadowrootmode='closed'>",
        '<TEMPLATE ShadowRootMode = "Open" shadowrootclonable>',
        '<template id="t > u" shadowrootdelegatesfocus shadowrootmode="open" class=x>',
        "<template\nshadowrootmode=open\n>",
    ],
)
def test_the_text_and_links_of_a_shadow_root_are_those_of_the_page(start: str) -> None:
    page = f"<my-card>{start}<h2>in</h2><p><a href=x>link</a> <slot></slot></template>light</my-card> after"
    assert said(page) == ("in link light after", [X])


@pytest.mark.parametrize(
    "markup",
    [
        "<div><template><a href=no>no</a></template></div>",
        "<div><template shadowrootmode=none><a href=no>no</a></template></div>",
        "<div><template data-shadowrootmode=open><a href=no>no</a></template></div>",
        "<div><template title='shadowrootmode=open'><a href=no>no</a></template></div>",
        "<div><template><div><template shadowrootmode=open>no</template></div></template></div>",
        "<div><template shadowrootmode=open><template>no <a href=no>no</a></template></template></div>",
        "<!-- <template shadowrootmode=open> no --><script>'<template shadowrootmode=open>no</template>'</script>",
        "<textarea hidden></textarea><title><template shadowrootmode=open>no</template></title>",
    ],
)
def test_templates_that_no_browser_shows_are_not_read(markup: str) -> None:
    assert said(f"{markup}<p>text <a href=x>link</a>") == ("text link", [X])


def test_shadow_roots_stand_in_each_other_and_in_paragraphs() -> None:
    inner = "<x-b><template shadowrootmode=open>two <a href=y>y</a></template></x-b>"
    page = f"<p>zero<x-a><template shadowrootmode=open>one{inner}</template></x-a><a href=x>x</a></p>"
    assert said(page) == ("zero one two y x", ["http://a.example/dir/y", X])


@given(st.text(alphabet="<>\"'= /", max_size=12), st.booleans())
def test_any_page_with_a_shadow_root_is_read(noise: str, is_first: bool) -> None:
    root = "<div><template shadowrootmode=open>in</template></div>"
    parse(f"{noise}{root}" if is_first else f"{root}<template {noise}")
    assert with_shadow_roots(noise.encode()) == noise.encode()


# --- links in drawings --------------------------------------------------------------------------


def test_a_link_in_a_drawing_may_be_written_in_xlink() -> None:
    page, _ = parse(
        "<svg viewBox='0 0 9 9'><g><a xlink:href='x#part' rel=nofollow><text>one</text></a></g>"
        "<a xlink:href=y><circle/></a><a href=z xlink:href=no>both</a></svg><a xlink:href=no>not in HTML</a>"
    )
    assert [*page.link_urls] == [X, "http://a.example/dir/y", "http://a.example/dir/z"]
    assert (page.link_anchors, list(page.link_nofollow)) == (["one", "", "both"], [1, 0, 0])


# --- documents in attributes --------------------------------------------------------------------


def iframe(markup: str, more: str = "") -> str:
    return f'<iframe srcdoc="{html.escape(markup)}" {more}>else</iframe>'


def test_the_text_and_links_of_a_srcdoc_are_those_of_the_page() -> None:
    document = "<title>no</title><h2>Head</h2><p>in & out <a href=x rel=nofollow>link</a><a href='#n'>n</a>"
    page, content = parse(f"<title>T</title><a href=y>y</a>{iframe(document)}<p>after")
    assert (page.title, content.headings) == ("T", [Heading(2, "Head")])
    assert content.text.decode().split() == ["y", "after", "Head", "in", "&", "out", "link", "n"]
    links = zip(page.link_urls, page.link_anchors, page.link_nofollow, strict=True)
    assert list(links) == [("http://a.example/dir/y", "y", 0), (X, "link", 1)]


@pytest.mark.parametrize(
    "markup, links",
    [
        (iframe("<base href=/b/><a href=x>x</a><iframe src=y></iframe>"), ["/b/x", "/b/y"]),
        ("<base href=/c/>" + iframe("<base href=d/><a href=x>x</a>"), ["/c/d/x"]),
        ("<base href=/c/>" + iframe("<a href=x>x</a><map><area href=y></map>"), ["/c/x", "/c/y"]),
        (iframe(iframe("<a href=x>x</a>")), ["/dir/x"]),
        (iframe("<base href=/b/>" + iframe("<a href=x>x</a>")), ["/b/x"]),
        (iframe("<a href=x>x</a>", "src=fallback sandbox"), ["/dir/x", "/dir/fallback"]),
        (iframe("<meta name=robots content=nofollow><meta http-equiv=refresh content=1><a href=x>x</a>"), ["/dir/x"]),
        (iframe("<x-a><template shadowrootmode=open><a href=x>x</a></template></x-a>"), ["/dir/x"]),
        (iframe("<svg><a xlink:href=x>x</a></svg>"), ["/dir/x"]),
        (iframe("<a href='http://[bad'>x</a><a href=''>y</a>"), []),
        ("<iframe srcdoc></iframe><iframe srcdoc=''></iframe>", []),
    ],
)
def test_the_links_of_a_srcdoc_are_relative_to_its_base_or_that_of_the_page(markup: str, links: list[str]) -> None:
    page, _ = parse(markup, with_paths=True)
    assert [*page.link_urls] == ["http://a.example" + link for link in links]
    assert not page.nofollow
    assert page.refresh_seconds is None


def test_the_first_of_very_many_srcdocs_are_read_and_the_others_counted() -> None:
    page, _ = parse("".join(iframe(f"<a href=/{n}>{n}</a>") for n in range(MOST_DOCUMENTS + 7)))
    assert len(page.link_urls) == MOST_DOCUMENTS
    assert page.cut == {"documents": 7}
    nested = "deep"
    for _ in range(12):
        nested = iframe(nested)
    assert "deep" not in parse(nested)[1].text.decode()


def test_srcdocs_bring_no_more_links_and_no_more_text_than_a_page_may_have() -> None:
    document = iframe("".join(f"<a href=/{n}>text</a>" for n in range(20)))
    page, content = parse(document, max_links=5, max_text_bytes=10)
    assert (len(page.link_urls), len(content.text)) == (5, 10)
    assert page.cut == {"links": 15, "text": 1}


# --- objects ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "element",
    [
        "<object data=x></object>",
        "<object data='x' type='text/html'>else</object>",
        "<object type=application/xhtml+xml data=x>",
        "<embed src=x type=text/html>",
        "<embed src=x>",
        "<object data=no.svg type='image/svg+xml'><object data=x><p>else</object></object>",
    ],
)
def test_a_page_that_an_object_shows_is_a_link_like_one_in_an_inline_frame(element: str) -> None:
    page, _ = parse(element)
    assert ([*page.link_urls], [*page.link_kinds]) == ([X], [LinkKind.IFRAME])


@pytest.mark.parametrize(
    "element",
    [
        "<object data=f type=application/x-shockwave-flash></object>",
        "<object data=picture.PNG?x></object>",
        "<object classid='java:x' type=application/x-java-applet><param name=data value=x></object>",
        "<embed src=film.mp4>",
        "<embed src=x type=video/webm>",
        "<object data='data:text/html,x'></object>",
        "<object data></object><embed>",
    ],
)
def test_pictures_films_and_programs_in_objects_are_no_links(element: str) -> None:
    page, _ = parse(element)
    assert [*page.link_urls] == []
    assert Counter(page.link_kinds) == {}


@pytest.mark.parametrize("instruction", ["<?x>", "<?php echo 1 ?>", '<?xml:namespace prefix = o ns = "x" />'])
def test_a_processing_instruction_is_no_more_than_a_comment(instruction: str) -> None:
    places = "{0}<title>t</title>a{0}b<p>c{0}</p>{0}<h2>{0}d</h2><pre>e{0}f</pre><table>{0}<tr>{0}<td>g</table><svg>{0}"
    with_it, without = (parse(places.format(each)) for each in (instruction, "<!-- -->"))
    assert with_it == without
    assert without[1].text.decode().split() == ["ab", "c", "d", "ef", "g"]
