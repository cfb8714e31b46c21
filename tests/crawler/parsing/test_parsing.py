from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hinterland.crawler.parsing.html.headings import Heading
from hinterland.crawler.parsing.html.link_header import header_links
from hinterland.crawler.parsing.html.meta_refresh import refresh_target
from hinterland.crawler.parsing.html.parsed_page import LinkKind, ParsedPage, VisibleText
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.resolving import LinkResolver
from tests.support.page_parsing import parsed

URL = "http://a.example/dir/page.html"
RESOLVER = LinkResolver(Canonicaliser(max_length=200))


def parse(markup: str | bytes, **arguments: Any) -> tuple[ParsedPage, VisibleText]:
    body = markup.encode() if isinstance(markup, str) else markup
    arguments = {"url": URL, "content_type": "text/html; charset=utf-8", "agent": "Hinterland"} | arguments
    return parsed(body, resolver=RESOLVER, **arguments)


def page_of(markup: str | bytes, **arguments: Any) -> ParsedPage:
    return parse(markup, **arguments)[0]


def links_of(page: ParsedPage) -> list[tuple[str, LinkKind, bool, str]]:
    columns = (
        page.link_urls,
        map(LinkKind, page.link_kinds),
        map(bool, page.link_nofollow),
        page.link_anchors,
    )
    return list(zip(*columns, strict=True))


def urls_of(markup: str) -> list[str]:
    return [*page_of(markup).link_urls]


# --- links --------------------------------------------------------------------------------------


def test_every_kind_of_link_is_found_and_named() -> None:
    page = page_of(
        """<link rel="canonical" href="c"><link rel="next" href="n">
        <link rel="ALTERNATE  home" href="f">
        <link rel="alternate stylesheet" href="s"><link rel="stylesheet" href="s">
        <link href="x"><link rel=next>
        <meta http-equiv=Refresh content="5; url=r">
        <a href="a">to a</a><map><area href="m" alt=" the map "></map>
        <iframe src="i"></iframe><iframe></iframe>"""
    )
    base = "http://a.example/dir/"
    assert links_of(page) == [
        (base + "a", LinkKind.A, False, "to a"),
        (base + "m", LinkKind.AREA, False, "the map"),
        (base + "i", LinkKind.IFRAME, False, ""),
        (base + "c", LinkKind.CANONICAL, False, ""),
        (base + "n", LinkKind.NEXT, False, ""),
        (base + "f", LinkKind.ALTERNATE, False, ""),
        (base + "r", LinkKind.REFRESH, False, ""),
    ]
    assert page.canonical == base + "c"
    assert page.refresh_seconds == 5


def test_frames_are_links() -> None:
    page = page_of("<frameset><frame src=one><frame src=two></frameset>")
    assert page.link_kinds == bytes((LinkKind.FRAME, LinkKind.FRAME))


def test_a_target_is_one_link_of_each_kind_however_often_it_is_named() -> None:
    anchors = '<a href="x#1">one</a><a href="./x">two</a><a href="/dir/x#2">three</a>'
    page = page_of(f"{anchors}<iframe src=x></iframe>")
    assert links_of(page) == [
        ("http://a.example/dir/x", LinkKind.A, False, "one"),
        ("http://a.example/dir/x", LinkKind.IFRAME, False, ""),
    ]


def test_links_to_the_page_itself_are_left_out() -> None:
    anchors = '<a href="">a</a><a href="#x">b</a><a href>c</a><a href="page.html">d</a><a>e</a>'
    page = page_of(f"{anchors}<link rel=canonical href=page.html>")
    assert [*page.link_urls] == []
    assert page.canonical == URL
    assert page.bad_links == 0


def test_a_link_is_nofollow_only_if_every_mention_of_it_is() -> None:
    page = page_of(
        '<a rel="external NoFollow" href=x>x</a><a rel=nofollow href=y>y</a><a href=y>y</a>'
        "<a href=z>z</a><a rel=nofollow href=z>z</a><a rel=nofollowing href=w>w</a>"
        "<map><area rel=nofollow href=v></map>"
        "<a rel='external,NoFollow' href=u>u</a><a rel='nofollow, noopener' href=t>t</a><a rel='no,follow' href=s>s</a>"
    )
    marks = {url.rpartition("/")[2]: nofollow for url, _, nofollow, _ in links_of(page)}
    assert marks == {"x": True, "y": False, "z": False, "w": False, "v": True, "u": True, "t": True, "s": False}


def test_the_anchor_text_is_the_first_that_says_something() -> None:
    picture = '<a href=y><img alt=" a  picture "></a>'
    page = page_of(f"<a href=x> </a><a href=x>the \n first</a><a href=x>second</a>{picture}")
    assert page.link_anchors == ["the first", "a picture"]
    assert len(page_of(f"<a href=x>{'long ' * 100}</a>").link_anchors[0]) == 300


def test_hrefs_are_relative_to_the_first_base_with_an_href() -> None:
    assert urls_of("<base target=x><base href=/b/><base href=/c/><a href=x>x</a>") == ["http://a.example/b/x"]
    assert urls_of("<a href=x>x</a><base href=//b.example>") == ["http://b.example/x"]
    assert urls_of("<base href=/b/><a href=''>x</a><a href=#y>y</a>") == ["http://a.example/b/"]
    assert urls_of("<base href=data:,x><base href=/b/><a href=x>x</a>") == ["http://a.example/dir/x"]
    assert urls_of("<base href=ftp://b.example/><a href=x>x</a><a href=//c>y</a>") == []
    assert urls_of("<base href=ftp://b.example/><a href=http://c>y</a>") == ["http://c/"]
    assert urls_of(f"<base href=/{'b' * 300}/><a href=x>x</a>") == ["http://a.example/dir/x"]


def test_an_href_of_a_mere_question_mark_is_the_page_without_query() -> None:
    markup = "<a href='?'>x</a><a name=y>y</a><a href='?'>z</a>"
    assert [*page_of(markup, url=f"{URL}?q").link_urls] == [URL]
    assert [*page_of(markup).link_urls] == []


def test_white_space_before_a_fragment_belongs_to_the_path() -> None:
    for markup in ("<a href='x #y'>x</a>", "<link rel=canonical href='x #y'>", "<iframe src='x #y'></iframe>"):
        assert urls_of(markup) == ["http://a.example/dir/x%20"]
    assert urls_of("<a href=' #y'>x</a><link rel=canonical href=' #y'>") == []


def test_bad_urls_are_counted_and_other_schemes_are_not() -> None:
    anchors = f"<a href='http://['>a</a><a href=/{'x' * 300}>b</a><a href=mailto:x@y>c</a>"
    page = page_of(f"{anchors}<iframe src='//:x'></iframe>")
    assert [*page.link_urls] == []
    assert page.bad_links == 3


def test_templates_comments_and_scripts_hold_no_links_but_noscript_does() -> None:
    markup = "<template><a href=1>1</a></template><!-- <a href=2>2</a> --><script>'<a href=3>3</a>'</script>"
    assert urls_of(f"{markup}<p><noscript><a href=4>4</a></noscript>") == ["http://a.example/dir/4"]


def test_queries_are_sent_in_the_encoding_of_the_page() -> None:
    body = "<a href='?q=ä'>x</a><a href='ä'>y</a>".encode("latin-1")
    page = page_of(body, content_type="text/html; charset=latin1")
    assert [*page.link_urls] == [f"{URL}?q=%E4", "http://a.example/dir/%C3%A4"]


@pytest.mark.parametrize("href", ["x?q=ä", "http://b.example/?q=ä"])
def test_pages_of_different_encodings_may_stand_side_by_side(href: str) -> None:
    for charset, query in [("utf-8", "%C3%A4"), ("latin1", "%E4")] * 2:
        page = page_of(f"<a href='{href}'>x</a>".encode(charset), content_type=f"text/html; charset={charset}")
        assert page.link_urls[:1][0].endswith(f"?q={query}")


def test_link_headers_count_as_link_elements() -> None:
    page = page_of("<base href=/b/>", link_header=['<c>; rel="canonical", <n>;rel=next', "<s>; rel=stylesheet"])
    assert links_of(page) == [
        ("http://a.example/dir/c", LinkKind.CANONICAL, False, ""),
        ("http://a.example/dir/n", LinkKind.NEXT, False, ""),
    ]
    assert page.canonical == "http://a.example/dir/c"


# --- directives ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "markup,header,nofollow,noindex",
    [
        ("<meta name=robots content=nofollow>", [], True, False),
        ("<meta name='ROBOTS ' content='NOINDEX, follow'>", [], False, True),
        ("<meta name=hinterland content=none>", [], True, True),
        ("<meta name=otherbot content=none>", [], False, False),
        ("", ["noindex"], False, True),
        ("", ["otherbot: none", "hinterland: nofollow"], True, False),
        ("<meta name=robots content=noindex>", ["nofollow"], True, True),
    ],
)
def test_a_page_and_its_headers_may_forbid(markup: str, header: list[str], nofollow: bool, noindex: bool) -> None:
    page = page_of(f"{markup}<a href=x>x</a>", robots_header=header)
    assert (page.nofollow, page.noindex) == (nofollow, noindex)
    assert page.link_nofollow == bytes((nofollow,))


# --- text ---------------------------------------------------------------------------------------


def test_a_page_says_what_it_is_called_about_and_in() -> None:
    page, text = parse(
        "<html lang=' de-AT '><title> A\n title </title><meta name=description content=' what  it is '>"
        "<meta property=og:description content=other><h2>Two <b>b</b></h2><h1>One</h1>"
    )
    assert (page.title, page.description, page.language) == ("A title", "what it is", "de-AT")
    assert text.headings == [Heading(2, "Two b"), Heading(1, "One")]
    assert page_of("<meta http-equiv=content-language content=fr>").language == "fr"
    assert page_of("<meta property=og:description content=other>").description == "other"
    assert page_of("<svg><title>drawing</title></svg>").title == ""


@pytest.mark.parametrize(
    "markup,text",
    [
        ("<p>one</p>two", "one two"),
        ("<ul><li>one<li>two</ul><b>three</b>", "one two three"),
        ("<table><tr><td>1<td>2<tr><td>3</table>4", "1 2 3 4"),
        ("<h1>one</h1>two<br>three", "one two three"),
        ("<div><p>one</p></div>two", "one two"),
        ("J<b>oh</b>n <i>D</i><code>oe</code>.", "John Doe."),
        ("<b>a</b> <i>b</i>\n\n\t c&nbsp;d", "a b c d"),
        ("<title>t</title><script>s</script><style>s</style>x<noscript>n<b>n</b></noscript>y", "xy"),
        ("a<script src=x></script>b<textarea>c</textarea>", "ab c"),
        ("<noscript><noscript>x</noscript></noscript>y", "y"),
        ("<noscript><p>w</p>x<h1>y</h1>z</noscript>1<p>2", "1 2"),
        ("<template>t</template><iframe>i</iframe><video>v</video>x<!-- c -->", "x"),
        ("&lt;b&gt; &amp;amp; &eacute;", "<b> &amp; é"),
    ],
)
def test_text_is_what_is_shown_with_words_parted_where_blocks_begin_and_end(markup: str, text: str) -> None:
    assert parse(f"<body>{markup}")[1].text.decode().split() == text.split()


def test_without_text_everything_else_is_the_same() -> None:
    markup = "<title>t</title><h1>h</h1><p>text<a href=x>x<script>s</script></a>"
    page, text = parse(markup)
    assert text.text == b"h\n\ntextx"
    assert parse(markup, with_text=False) == (page, text._replace(text=b"", main=b""))


@pytest.mark.parametrize("charset", ["windows-1251", "utf-16", "shift_jis", "utf-8-sig"])
def test_every_encoding_gives_the_same_page(charset: str) -> None:
    markup = "<meta charset=ignored><title>Яя</title><a href=x>Яя</a>"
    page = page_of(markup.encode(charset), content_type=f"text/html; charset={charset}")
    assert (page.title, page.link_anchors) == ("Яя", ["Яя"])


def test_a_page_survives_the_way_between_processes() -> None:
    page = page_of("<a href=x>y</a><h1>z</h1>")
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(page), type=ParsedPage) == page


# --- anything -----------------------------------------------------------------------------------

scraps = st.sampled_from(
    [
        *(
            b"<a href=x>",
            b"<a href='?\xe4'>",
            b"<a href>",
            b"<a>",
            b"</a>",
            b"<area href>",
            b"<base href=//b>",
        ),
        *(b"<b>", b"</b>", b"<p>", b"</p>", b"<h1>", b"</h1>", b"<table>", b"<tr>", b"<td>", b"</table>"),
        *(b"<noscript>", b"</noscript>", b"<script>", b"</script>", b"<template>", b"</template>", b"<svg>"),
        *(
            b"<title>",
            b"</title>",
            b"<select>",
            b"<plaintext>",
            b"<frameset>",
            b"<frame src=f>",
            b"<iframe src>",
        ),
        *(b"<meta name=robots content>", b"<meta http-equiv=refresh content=1>", b"<meta charset=big5>"),
        *(b"<link rel=next href=n>", b"<html lang>", b"</body>", b"</html>", b"<!--", b"-->", b"<img alt=i>"),
        *(b"&#0;", b"&#xd800;", b"&nbsp;", b"x", b" ", b"\0", b"\xff", b"\xe2\x82", b"\xed\xa0\x80"),
    ]
)


@pytest.mark.slow
@given(st.lists(scraps, max_size=25).map(b"".join) | st.binary(max_size=200))
@example(b"")
@example(b"\0")
@example(b"<title></title><h1></h1><p></p>\0")
@example(b"<!--" + b"x" * 2000 + b"--><meta charset=utf-16><a href=x>\xff")
def test_no_bytes_make_parsing_fail(body: bytes) -> None:
    for content_type in ("text/html; charset=utf-8", "text/html; charset=utf-16", None):
        page, (text, *_) = parse(body, content_type=content_type)
        assert len(page.link_urls) == len(page.link_kinds) == len(page.link_nofollow) == len(page.link_anchors)
        assert len(set(zip(page.link_urls, page.link_kinds, strict=True))) == len(page.link_urls)
        assert URL not in page.link_urls
        assert text.decode().encode().strip() == text
        msgspec.msgpack.encode(page)


# --- its small parts ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content,target",
    [
        ("5", (5, "")),
        (" 5.7 ; URL = 'x y' z", (5, "x y")),
        (".5;x", (0, "x")),
        ("1,url=x", (1, "x")),
        ("1 url=x", (1, "x")),
        ("1; 'x'y", (1, "x")),
        ("1;url='x", (1, "x")),
        ("1;urls", (1, "urls")),
        ("1;", (1, "")),
        ("", None),
        ("x", None),
        ("1x", None),
        ("-1", None),
        ("9" * 5000, (999_999_999, "")),
    ],
)
def test_a_refresh_is_read_as_browsers_do(content: str, target: tuple[int, str] | None) -> None:
    assert refresh_target(content) == target


@pytest.mark.parametrize(
    "value,links",
    [
        ("<a>; rel=next", [("a", {"next"})]),
        ('<a>; title="x, <y>"; rel="Next  prev", <b>;rel=up', [("a", {"next", "prev"}), ("b", {"up"})]),
        ("<a>;rel=next;rel=prev", [("a", {"next"})]),
        ('<a>; anchor="#x"; rel=next', []),
        ("<a>", [("a", set())]),
        ("nonsense, <a> ; rel = next", [("a", {"next"})]),
        ('<a; rel=next, "', []),
    ],
)
def test_link_headers_are_read_as_the_rfc_has_them(value: str, links: list[tuple[str, set[str]]]) -> None:
    assert [(target, set(relations)) for target, relations in header_links([value])] == links


@given(st.text(alphabet='<>;,="\\ arel', max_size=30))
def test_any_link_header_comes_to_an_end(value: str) -> None:
    list(header_links([value]))
