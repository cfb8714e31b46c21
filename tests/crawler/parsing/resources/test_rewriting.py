"""Rewritten pages and style sheets refer to nothing but what the archive gives them, whatever they try."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from hinterland.crawler.parsing.resources.pages import resources_of_page
from hinterland.crawler.parsing.resources.references import ResourceKind
from hinterland.crawler.parsing.resources.rewriting import Unshowable, rewritten_page, rewritten_style_sheet

PAGE = "https://a.example/dir/page"


class InArchive:
    """Addresses like those of a replay: /r/ and /p/ with the URL behind them."""

    def resource(self, url: str, kind: ResourceKind) -> str:
        return f"/r/{url}"

    def page(self, url: str) -> str:
        return f"/p/{url}"

    def is_own(self, address: str) -> bool:
        return re.match(r"/[rp]/https?:/", address) is not None


def body_of(html: str) -> str:
    written = rewritten_page(html.encode(), PAGE, InArchive()).decode()
    return written.partition("<body")[2].partition(">")[2].removesuffix("</body></html>")


def without_kept(html: str) -> str:
    return re.sub(r' data-archived-(?:href|src)="[^"]*"', "", html)


@pytest.mark.parametrize(
    "html, expected",
    [
        ("<img src=a.png#f>", '<img src="/r/https://a.example/dir/a.png#f">'),
        ("<img srcset='a.png 1x, /b.png 2x'>",
         '<img srcset="/r/https://a.example/dir/a.png 1x, /r/https://a.example/b.png 2x">'),
        ("<img src=data:image/gif;x data-src=l.png>",
         '<img src="/r/https://a.example/dir/l.png" data-src="/r/https://a.example/dir/l.png">'),
        ("<p style='background:url(b.png);color:red'>",
         '<p style="background:url(&quot;/r/https://a.example/dir/b.png&quot;);color:red"></p>'),
        ("<a href=b#c target=_blank ping=/p onclick=x()>b</a>",
         '<a href="/p/https://a.example/dir/b#c" target="_top">b</a>'),
        ("<a href=https://b.example/>b</a>", '<a href="/p/https://b.example/" target="_top">b</a>'),
        ("<a href='#here'>b</a><a href=mailto:a@b>m</a><a href=javascript:x()>j</a>",
         '<a href="#here">b</a><a href="#-">m</a><a href="#-">j</a>'),
        ("<svg><a xlink:href=//evil.example/><image href=/i.png /></a><animate attributeName=href to=//evil.example/>",
         ('<svg><a xlink:href="/p/https://evil.example/" target="_top"><image href="/r/https://a.example/i.png"></image>'
          "</a></svg>")),
        ("<math href=//evil.example/><mi>x</mi></math>",
         '<math href="/p/https://evil.example/" target="_top"><mi>x</mi></math>'),
        ("<form action=//evil.example/ method=post><input formaction=/x></form>", '<form method="post"><input></form>'),
        ("<p><script src=a.js>x()</script>", "<p><script>x()</script></p>"),
        ("<iframe src=f.html sandbox=allow-scripts></iframe>",
         '<iframe src="/r/https://a.example/dir/f.html"></iframe>'),
        ("<template shadowrootmode=open><a href=//evil.example/>x</a></template>",
         '<shadow-root><a href="/p/https://evil.example/" target="_top">x</a></shadow-root>'),
        ("<p><template><img src=x></template>", "<p></p>"),
    ],
)  # fmt: skip
def test_what_a_page_loads_and_links_to_comes_from_the_archive(html: str, expected: str) -> None:
    assert without_kept(body_of(html)) == expected


@pytest.mark.parametrize(
    "html, kept",
    [
        ("<a href=https://b.example/>b</a>", ' data-archived-href="https://b.example/"'),
        ("<a href=b.pdf>b</a>", ' data-archived-href="b.pdf"'),
        ("<a href=mailto:a@b>b</a>", ' data-archived-href="mailto:a@b"'),
        ("<img src=a.svg>", ' data-archived-src="a.svg"'),
        ("<a href='#here'>b</a>", ' data-archived-href="#here"'),
        (f"<img src='data:image/gif;base64,{'x' * 3000}' data-src=l.png>", ""),
        ("<script src=a.js></script>", ""),
    ],
)
def test_the_original_value_of_a_replaced_attribute_is_kept_for_selectors(html: str, kept: str) -> None:
    assert "".join(re.findall(r' data-archived-(?:href|src)="[^"]*"', body_of(html))) == kept


HREF_UNLESS, SRC_UNLESS = (f":where(:not([data-archived-{name}]))" for name in ("href", "src"))


@pytest.mark.parametrize(
    "css, expected",
    [
        ('a[href^="http"]:hover{color:red}',
         f'a:is([data-archived-href^="http"],[href^="http"]{HREF_UNLESS}):hover{{color:red}}'),
        ("a{color:red}\n@media print{img:not([ SRC $= '.svg' i ]){color:red}}",
         ("a{color:red}\n@media print{img:not(:is([data-archived-src$= '.svg' i ],[ SRC $= '.svg' i ]"
          f"{SRC_UNLESS})){{color:red}}}}")),
        ("a[href*=']']{}", f"a:is([data-archived-href*=']'],[href*=']']{HREF_UNLESS}){{}}"),
        ("a[href]{}p[title=x]{}", "a[href]{}p[title=x]{}"),
        ("p::after{content:'[href^=x]'}/* [href^=x] */", "p::after{content:'[href^=x]'}/* [href^=x] */"),
        ("a[href^=x", "a[href^=x"),
        ('a:after{content:" (" attr(href) ")"}', 'a:after{content:" (" attr(data-archived-href) ")"}'),
        ("@media print{a:after{content:attr( HREF ,'')}}",
         "@media print{a:after{content:attr( data-archived-href ,'')}}"),
        ("a:after{content:'attr(href)'}/*attr(href)*/", "a:after{content:'attr(href)'}/*attr(href)*/"),
        ("a:after{content:attr(href-x) attr(data-href)}", "a:after{content:attr(href-x) attr(data-href)}"),
    ],
)  # fmt: skip
def test_style_sheets_test_and_show_what_an_attribute_was_before_it_was_replaced(css: str, expected: str) -> None:
    written = rewritten_style_sheet(css, PAGE, InArchive())
    assert written == expected
    assert rewritten_style_sheet(written, PAGE, InArchive()) == expected


def test_heads_announce_nothing_to_the_live_web() -> None:
    html = (
        "<?xml version='1.0'?><!-- c -->"
        "<!doctype html public '-//W3C//DTD HTML 4.01 Transitional//EN'><base href=/other/><link rel=dns-prefetch href="
        "//evil.example><link rel=preconnect href=//evil.example><link rel=stylesheet href=s.css integrity=sha256-x>"
        "<meta http-equiv=refresh content='0;url=//evil.example'><meta http-equiv=content-security-policy content=x>"
    )
    written = rewritten_page(html.encode(), PAGE, InArchive()).decode()
    assert written.startswith("<!doctype html public '-//W3C//DTD HTML 4.01 Transitional//EN'>")
    assert '<link rel="stylesheet" href="/r/https://a.example/other/s.css">' in written
    assert all(word not in written for word in ("dns-prefetch", "preconnect", "http-equiv", "integrity", "<base"))


def test_a_style_sheet_comes_from_the_archive() -> None:
    css = "@import 'b.css';p{color:red;background:url(a.png)}q{x:url(data:,a)}"
    assert rewritten_style_sheet(css, PAGE, InArchive()) == (
        '@import "/r/https://a.example/dir/b.css";p{color:red;background:url("/r/https://a.example/dir/a.png")}'
        "q{x:url(data:,a)}"
    )
    assert body_of(f"<p><style>{css}</style>").startswith('<p><style>@import "/r/https://a.example/dir/b.css"')


PIECES = st.sampled_from(
    ["<svg>", "</svg>", "<math>", "<mtext>", "<mglyph>", "<style>", "</style>", "<!--", "-->",
     "<noscript>", "</noscript>",
     "<title>", "</title>", "<a href=//evil.example/x>", "<img src=//evil.example/y>", "<table>", "<select>", "<p",
     ">", "'",
     '"', "<template>", "</template>", "<iframe srcdoc='<a href=//evil.example>", "<textarea>", "</textarea>", "<xmp>",
     "url(//evil.example/z)", "<frameset>", "<frame src=//evil.example>", "<foreignObject>", "<annotation-xml>",
     "</p>", "<a "]
)  # fmt: skip


@given(st.lists(PIECES, max_size=14).map("".join))
def test_no_page_that_is_shown_has_an_address_of_the_live_web_when_it_is_read_again(html: str) -> None:
    try:
        written = rewritten_page(html.encode(), PAGE, InArchive())
    except Unshowable:
        return
    for reference in resources_of_page(written, "https://replay.example/").references:
        assert reference.url.startswith("https://replay.example/"), written
    for node in LexborHTMLParser(written).css("[href]"):
        assert (node.attributes["href"] or "").startswith("/p/"), written
