"""Pages sent as application/xhtml+xml are read by the rules of XML, and none is lost for an error in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.parsing.charset.encoding import sniff_encoding
from hinterland.crawler.parsing.html.parsed_page import ParsedPage, VisibleText
from hinterland.crawler.parsing.html.xhtml import html_of_xml
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.resolving import LinkResolver
from tests.support.page_parsing import parsed

XHTML = "application/xhtml+xml"
URL = "http://a.example/dir/page.xhtml"
X = "http://a.example/dir/x"


def page_of(markup: str | bytes, content_type: str = XHTML) -> tuple[ParsedPage, VisibleText]:
    body = markup if isinstance(markup, bytes) else markup.encode()
    return parsed(body, url=URL, content_type=content_type, resolver=LinkResolver(Canonicaliser()), agent="Hinterland")


def said(markup: str | bytes, content_type: str = XHTML) -> tuple[str, str, list[str]]:
    """Title, text with white space collapsed, links."""
    page, content = page_of(markup, content_type)
    return page.title, " ".join(content.text.decode().split()), [*page.link_urls]


def whole(*, head: str = "", body: str = "") -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN"'
        ' "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">\n<html xmlns="http://www.w3.org/1999/xhtml"><head>'
        f"<title>T &amp; U</title>{head}</head><body>{body}<p>text <a href='x'>link</a></p></body></html>"
    )


ALL = ("T & U", "text link", [X])


@pytest.mark.parametrize(
    "element",
    [
        *("script", "style", "title", "iframe", "textarea", "noscript", "noembed", "noframes", "xmp", "plaintext"),
        *("template", "video", "audio", "canvas", "datalist", "select", "object", "svg", "math", "a", "div", "button"),
        *("table", "h1", "p", "option"),
    ],
)
def test_an_element_of_xhtml_that_closes_itself_swallows_nothing(element: str) -> None:
    assert said(whole(body=f"<{element}/>")) == ALL
    assert said(whole(body=f'<{element} id="i" title="a > b" />')) == ALL
    assert said(whole(body=f"<{element}\n/>")) == ALL


@pytest.mark.parametrize("element", ["script", "style", "noscript", "template", "object", "title"])
def test_an_element_in_the_head_of_xhtml_that_closes_itself_swallows_nothing(element: str) -> None:
    assert said(whole(head=f'<{element} id="x"/>')) == ALL


@pytest.mark.parametrize(
    "content_type",
    ["application/xhtml+xml; charset=utf-8", "Application/XHTML+XML", "application/xml", "text/xml", "image/svg+xml"],
)
def test_every_content_type_of_xml_has_the_rules_of_xml(content_type: str) -> None:
    assert said(whole(head='<script src="s.js"/>'), content_type) == ALL


def test_html_keeps_the_rules_of_html() -> None:
    assert said(whole(head='<script src="s.js"/>'), "text/html")[2] == []


@pytest.mark.parametrize(
    "markup, text",
    [
        ("<p><![CDATA[a <b> & c]]></p>", "a <b> & c text link"),
        ("<p>&nbsp;&eacute;&#233;&#xe9;</p>", "ééé text link"),
        ("<?php echo 'a > b' ?><p>one</p>", "one text link"),
        ("<!-- a --!> b --><p>one</p>", "one text link"),
        ("<p>a<br/>b<br></br>c<hr/>d<img src='i' alt=''/>e</p>", "a b c d e text link"),
        ("<script>//<![CDATA[\nif (a < b && c) w('</script><p>no</p>');\n//]]></script><p>one</p>", "one text link"),
        ("<style><![CDATA[ a > b { content: '</style>' } ]]></style><p>one</p>", "one text link"),
        ("<xmp>one <b>two</b></xmp>", "one two text link"),
    ],
)
def test_what_xml_writes_otherwise_than_html_is_read_as_xml(markup: str, text: str) -> None:
    assert said(whole(body=markup)) == ("T & U", text, [X])


def test_a_title_may_be_a_cdata_section() -> None:
    assert said("<html><head><title><![CDATA[A <b> & C]]></title></head><body/></html>")[0] == "A <b> & C"


def test_names_may_have_the_prefix_of_a_namespace() -> None:
    prefixed = (
        '<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:head><h:title>T &amp; U</h:title><h:script src="s"/>'
        '</h:head><h:body><h:style/><h:p>text <h:a href="x">link</h:a></h:p></h:body></h:html>'
    )
    assert said(prefixed) == ALL
    drawing = (
        '<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:title/><s:a xmlns:s="http://www.w3.org/2000/svg" href="y">'
        "<s:text>d</s:text></s:a></s:svg>"
    )
    assert said(whole(body=drawing))[2] == ["http://a.example/dir/y", X]
    other = '<x:script xmlns:x="urn:other">one</x:script>'
    assert said(whole(body=other))[1] == "one text link"


def test_entities_that_the_page_declares_are_known_in_text_and_in_links() -> None:
    page = whole(body="&who; &unknown;<p><a href='&base;/y'>more</a></p>").replace(
        'strict.dtd">', 'strict.dtd" [\n<!ENTITY who "<b>we</b> &amp; you">\n<!ENTITY base \'http://b.example\'> ]>'
    )
    assert said(page) == ("T & U", "we & you &unknown; more text link", ["http://b.example/y", X])


def test_entities_cannot_make_a_page_grow_without_bound() -> None:
    page = whole(body="&e;" * 5_000).replace('strict.dtd">', f'strict.dtd" [<!ENTITY e "{"x" * 10_000}">]>')
    assert len(html_of_xml(page.encode())) < 1_100_000


@pytest.mark.parametrize(
    "broken",
    [
        "<script src=s.js/>",
        "<title/><br>",
        "<p>one<p>",
        "</div></span>",
        "<img src=i.png><style/>",
        "a & b &nosuch; < c<iframe/>",
        '<iframe src="i" allowfullscreen/>',
        "<b><i></b></i><textarea/>",
        "<script>if (a < b && c) d();</script>",
        "<!DOCTYPE html><noscript/>",
    ],
)
def test_an_error_in_xhtml_costs_no_text_and_no_link(broken: str) -> None:
    title, text, links = said(whole(body=broken))
    assert title == "T & U"
    assert X in links
    assert text.endswith("text link")


def test_a_slash_at_the_end_of_a_bare_url_does_not_close_the_link() -> None:
    page, _ = page_of("<html><body><a href=http://b.example/dir/>to b</a><br></body></html>")
    assert ([*page.link_urls], page.link_anchors) == (["http://b.example/dir/"], ["to b"])


@pytest.mark.slow
@pytest.mark.parametrize("cut", range(0, 600, 7))
def test_a_page_that_breaks_off_is_read_up_to_there(cut: int) -> None:
    page = whole(head="<script/>", body="<p><![CDATA[a]]></p><!-- c --><style>b</style>" + "<div/>" * 10)
    said(page[:cut])


PIECES = [
    *("<", ">", "/", "<a", "</a>", "<script", "<script/>", "]]>", "<![CDATA[", "-->", "<!--", "'", '"', "=", "<?x"),
    *("?>", "&amp;", "x", "<!DOCTYPE", "[", "]", "xmlns:x='http://www.w3.org/1999/xhtml'", "<x:b/>"),
]


@pytest.mark.slow
@given(st.lists(st.sampled_from(PIECES)))
def test_any_markup_is_read(pieces: list[str]) -> None:
    page_of(" ".join(pieces))
    page_of("".join(pieces))


def test_xhtml_is_in_utf8_whatever_its_meta_element_says_unless_its_bytes_are_not() -> None:
    meta = '<html><head><meta charset="iso-8859-1"/><title>é</title></head></html>'
    assert said(meta)[0] == "é"
    assert said(meta.encode("latin-1"))[0] == "é"
    assert said(f'<?xml version="1.0" encoding="koi8-r"?>{meta}'.replace("é", "ж").encode("koi8-r"))[0] == "ж"
    assert said(meta.encode("utf-16"))[0] == "é"
    assert sniff_encoding('<?xml version="1.0"?>'.encode("utf-16le"), XHTML).name == "utf-16le"
