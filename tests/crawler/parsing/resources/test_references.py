"""What a page and a style sheet load: every place that browsers read, and nothing that they do not."""

from __future__ import annotations

import re
from itertools import pairwise
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.parsing.resources import style_sheets
from hinterland.crawler.parsing.resources.pages import resources_of_page, resources_of_style_sheet
from hinterland.crawler.parsing.resources.references import MAX_REFERENCES, ResourceKind
from hinterland.crawler.parsing.resources.srcset import candidates
from hinterland.crawler.parsing.resources.style_sheets import normalised, spans_of_css, with_replaced_urls

PAGE = "https://a.example/dir/page"


def found_in(html: str, charset: str = "utf-8") -> list[tuple[str, str, str]]:
    resources = resources_of_page(html.encode(), PAGE, charset)
    return [(each.kind.name, each.url.removeprefix("https://a.example"), each.where) for each in resources.references]


@pytest.mark.parametrize(
    "html, expected",
    [
        ("<img src=' a.png\n'>", [("IMAGE", "/dir/a.png", "img src")]),
        ("<img src=a.png#x><img src=a.png>", [("IMAGE", "/dir/a.png", "img src")]),
        (
            "<img srcset='a.png 1x,b.png 2x, c.png'>",
            [("IMAGE", f"/dir/{each}.png", "img srcset") for each in "abc"],
        ),
        ("<img data-src=lazy.png src=data:image/gif;base64,R0>", [("IMAGE", "/dir/lazy.png", "img data-src")]),
        ("<picture><source srcset='w.webp 9w'></picture>", [("IMAGE", "/dir/w.webp", "source srcset")]),
        (
            "<video poster=p.png><source src=v.mp4><track src=t.vtt></video>",
            [("IMAGE", "/dir/p.png", "video poster"), ("MEDIA", "/dir/v.mp4", "source src"),
             ("TRACK", "/dir/t.vtt", "track src")],
        ),
        ("<link rel='Alternate StyleSheet' href=s.css>", [("STYLE", "/dir/s.css", "link href")]),
        ("<link rel='shortcut icon' href=/i.ico>", [("ICON", "/i.ico", "link href")]),
        ("<link rel=manifest href=m.json>", [("MANIFEST", "/dir/m.json", "link href")]),
        ("<link rel=preload as=font href=f.woff2>", [("FONT", "/dir/f.woff2", "link href")]),
        ("<link rel=canonical href=c><link rel=next href=n><link rel=prefetch href=p>", []),
        ("<script src=m.js type=module></script>", [("SCRIPT", "/dir/m.js", "script src")]),
        ("<script src=c.js type=text/plain></script><script>url('x.png')</script>", []),
        ("<iframe src=f.html></iframe>", [("FRAME", "/dir/f.html", "iframe src")]),
        ("<iframe src=f.html srcdoc='<img src=in.png>'></iframe>", [("IMAGE", "/dir/in.png", "img src")]),
        ("<object data=o.swf></object><embed src=e.svg>",
         [("OBJECT", "/dir/o.swf", "object data"), ("OBJECT", "/dir/e.svg", "embed src")]),
        (
            "<svg><image xlink:href=x.png /><use href='s.svg#a'/><use href='#b'/></svg>",
            [("IMAGE", "/dir/x.png", "image xlink:href"), ("IMAGE", "/dir/s.svg", "use href")],
        ),
        ("<body background=b.gif><p background=no.gif>", [("IMAGE", "/dir/b.gif", "body background")]),
        ("<p style='background: url(&quot;s.png&quot;)'>", [("IMAGE", "/dir/s.png", "style attribute url()")]),
        ("<style>@import 'i.css';</style>", [("STYLE", "/dir/i.css", "style @import")]),
        ("<noscript><img src=n.png></noscript><template><img src=t.png></template>",
         [("IMAGE", "/dir/n.png", "img src")]),
        ("<base href=/other/><img src=a.png>", [("IMAGE", "/other/a.png", "img src")]),
        ("<img src=javascript:alert(1)><img src=file:///etc/passwd><img src=''>", []),
    ],
)  # fmt: skip
def test_a_page_refers_to_what_browsers_load_with_it(html: str, expected: list[tuple[str, str, str]]) -> None:
    assert sorted(found_in(html)) == sorted(expected)


def test_queries_are_sent_in_the_encoding_of_the_page() -> None:
    assert found_in("<img src='a.png?ü'>", "windows-1252") == [("IMAGE", "/dir/a.png?%FC", "img src")]


@pytest.mark.parametrize(
    "css, expected",
    [
        ("@import url(a.css) screen; @import \"b.css\";", [("STYLE", "a.css"), ("STYLE", "b.css")]),
        ("@charset 'x'; @layer a; @import 'b.css'; p{} @import 'late.css';", [("STYLE", "b.css")]),
        ("@media print { @import 'no.css'; p { background: URL( 'x.png' ) } }", [("IMAGE", "x.png")]),
        ("@font-face { src: url(f.woff2) format('woff2'), local('f') }", [("FONT", "f.woff2")]),
        ("p { background: image-set('a.png' 1x, url(b.png) type('image/png')) }",
         [("IMAGE", "a.png"), ("IMAGE", "b.png")]),
        ("p { mask: url(#clip); background: url(data:image/png;base64,AA), u\\72l(x.png) }", [("IMAGE", "x.png")]),
        ("@namespace url(http://www.w3.org/1999/xhtml); /* url(no.png) */ p { content: 'url(no.png)' }", []),
        ("p{color:red}q{background:url(a{b}.png)}", [("IMAGE", "a{b}.png")]),
        ("p{width:" + "1" * 5000 + "}q{background:url(a.png)}", [("IMAGE", "a.png")]),
        ("p{background:url(a.png", [("IMAGE", "a.png")]),
    ],
)  # fmt: skip
def test_a_style_sheet_refers_to_its_imports_fonts_and_pictures(css: str, expected: list[tuple[str, str]]) -> None:
    assert [(span.kind.name, span.url) for span in spans_of_css(normalised(css))] == expected


def test_references_of_a_style_sheet_resolve_against_its_own_url() -> None:
    found = resources_of_style_sheet("p{background:url(../a.png)}", "https://cdn.example/css/s.css").references
    assert found == [(ResourceKind.IMAGE, "https://cdn.example/a.png", "style url()")]


@pytest.mark.slow
def test_hostile_input_is_bounded_and_what_is_left_out_is_counted() -> None:
    page = resources_of_page(b"".join(b"<img src=%d.png>" % number for number in range(MAX_REFERENCES + 7)), PAGE)
    assert (len(page.references), page.left_out) == (MAX_REFERENCES, 7)
    sheet = resources_of_style_sheet("".join(f"p{{background:url({number})}}" for number in range(10_000)), PAGE)
    assert (len(sheet.references), sheet.left_out) == (MAX_REFERENCES, 10_000 - MAX_REFERENCES)
    deep = "p{background:url(a.png);" + "({[" * 100_000
    assert [each.url for each in spans_of_css(normalised(deep))] == ["a.png"]
    bomb = "p{background:url(data:image/png;base64," + "A" * style_sheets.MAX_CSS_CHARACTERS
    assert spans_of_css(normalised(bomb + ");x:url(after.png)}")) == []


def test_replaced_urls_stand_where_the_old_ones_stood_and_nothing_else_changes() -> None:
    css = "@import 'a.css';/* url(c) */p{color:red;background:url(b\\)c.png) , url( \"d.png\" )}"
    replaced = with_replaced_urls(css, spans_of_css(css), lambda span: None if span.url == "d.png" else '/r/"x')
    assert replaced == (
        '@import "/r/\\"x";/* url(c) */p{color:red;background:url("/r/\\"x") , url( "d.png" )}'
    )  # fmt: skip


PIECES = st.sampled_from(
    ["url(", "URL('", '"', "'", ")", "(", "{", "}", ";", "@import ", "@font-face", "image-set(", "/*", "*/", "\\", "\n",
     "a.png", "color:red", "{a:b(c)}", "p q{a b}", ".x>y", "data:x", "#a", " ", "\\72",
     "[", "]", "@", "é", "\ud800", "9" * 10]
)  # fmt: skip
CSS = st.lists(PIECES, max_size=30).map("".join)


@given(CSS, st.booleans())
def test_any_text_can_be_read_as_css_and_blocks_that_are_skipped_have_no_references(css: str, is_sheet: bool) -> None:
    text = normalised(css)
    spans = spans_of_css(text, is_sheet=is_sheet)
    assert all(text[span.start : span.end] for span in spans)
    assert all(before.end <= after.start for before, after in pairwise(spans))
    with patch.object(style_sheets, "_PLAIN_RULE", re.compile("(?!)")):
        assert spans_of_css(text, is_sheet=is_sheet) == spans


@given(CSS)
def test_urls_that_are_replaced_are_read_again_as_what_replaced_them(css: str) -> None:
    text = normalised(css)
    spans = spans_of_css(text)
    again = spans_of_css(with_replaced_urls(text, spans, lambda span: "/r/?u='\\(" + str(span.start)))
    assert [span.url for span in again] == ["/r/?u='\\(" + str(span.start) for span in spans]


@given(st.text(alphabet=" ,()ab\t1x", max_size=40))
def test_candidates_of_a_srcset_lie_where_they_say(srcset: str) -> None:
    for each in candidates(srcset):
        assert srcset[each.start : each.end] == each.url
        assert each.url
        assert not each.url.endswith(",")


@given(st.binary(max_size=200), st.lists(PIECES, max_size=10).map("".join))
def test_any_bytes_can_be_read_as_a_page(body: bytes, css: str) -> None:
    html = body + b"<style>" + css.encode("utf-8", "replace") + b"</style><img src=a.png>"
    for each in resources_of_page(html, PAGE).references:
        assert each.url.startswith(("http://", "https://"))
        assert "#" not in each.url
