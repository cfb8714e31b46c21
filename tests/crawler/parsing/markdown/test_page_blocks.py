"""Pages as Markdown: what their trees hold stands in the text, and is read as the same again."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from hinterland.crawler.parsing.markdown.html_blocks import as_written, html_blocks
from hinterland.crawler.parsing.markdown.inline import Piece, Style, code_span, inline_markdown
from hinterland.crawler.parsing.markdown.markdown_blocks import markdown_of

URL = "http://a.test/docs/page.html"
READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def markdown(html: str, *, is_whole: bool = True) -> str:
    return markdown_of(html_blocks(html.encode(), URL, is_whole=is_whole))


@pytest.mark.parametrize(
    "html, expected",
    [
        ("<h2>Two <b>bold</b></h2><p>Text", "## Two bold\n\nText\n"),
        ("<p>a <b>b</b> <i>c</i> <s>d</s> <code>e`f</code>", "a **b** *c* ~~d~~ ``e`f``\n"),
        ("<p><b>a:</b>b", "a:b\n"),
        ("<p>H<sub>2</sub>O", "H<sub>2</sub>O\n"),
        ("<a href='x (1).html'>to <i>x</i></a>", "[to *x*](<http://a.test/docs/x%20(1).html>)\n"),
        ("<p>!<a href=x>y</a>", "\\![y](http://a.test/docs/x)\n"),
        ("<a href='javascript:x()'>no link</a>", "no link\n"),
        ("<base href='http://b.test/'><a href=x>y</a> <a href='#f'>z</a>", f"[y](http://b.test/x) [z]({URL}#f)\n"),
        ("<p>see <img src=p.png alt='a [b]'>", "see ![a \\[b\\]](http://a.test/docs/p.png)\n"),
        ("<p>one<br>two", "one\\\ntwo\n"),
        ("<p>one<br><br>two", "one\n\ntwo\n"),
        ("<p>one<hr>two<hr>", "one\n\n---\n\ntwo\n"),
        ("<ul><li>a<li>b<ul><li>c</ul></ul>", "- a\n- b\n  - c\n"),
        ("<ul><li>a</ul><ul><li>b</ul>", "- a\n\n* b\n"),
        ("<ol start=9><li>a<li>b</ol>", "9. a\n10. b\n"),
        ("<ul><li><p>a<p>b<pre>c\n d</pre></ul>", "- a\n\n  b\n\n  ```\n  c\n   d\n  ```\n"),
        ("<ul><li><h3>Not an item</h3>x</ul>", "### Not an item\n\nx\n"),
        ("<dl><dt>a<dd>b<dd>c<dt>d<dd>e</dl>", "- **a**\n\n  b\n\n  c\n- **d**\n\n  e\n"),
        ("<blockquote>a<p>b</blockquote>c", "> a\n>\n> b\n\nc\n"),
        ("<div class=highlight-python3><pre>x = 1\n\n</pre></div>", "```python3\nx = 1\n```\n"),
        ("<pre><code class='language-c'>a<br>b</code></pre>", "```c\na\nb\n```\n"),
        ("<pre>```</pre>", "````\n```\n````\n"),
        ("<table><tr><th>a<th>b<tr><td>1<td>2|3</table>", "| a | b |\n| --- | --- |\n| 1 | 2\\|3 |\n"),
        ("<table><tr><td>1<td>2</table>", "| | |\n| --- | --- |\n| 1 | 2 |\n"),
        (
            "<table><tr><th colspan=2>a<th>b<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>",
            "| a | | b |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| | 4 | 5 |\n",
        ),
        ("<table><tr><td><h1>Page</h1><td><p>menu</table>", "# Page\n\nmenu\n"),
        ("<h2 id=x>A<a class=headerlink href='#x'>¶</a></h2>", "## A\n"),
        ("<p>a<script>x</script><style>y</style><template>z</template>b", "ab\n"),
        ("<iframe srcdoc='<p>inner'></iframe><p>outer", "outer\n\ninner\n"),
        ("<p><a href=x><i></i></a>text", "text\n"),
        ("<p>1. no item<p># no heading<p>- no item<p>---", "1\\. no item\n\n\\# no heading\n\n\\- no item\n\n\\---\n"),
        ("<a href=a>one</a><a href=b>Two</a>", "[one](http://a.test/docs/a) [Two](http://a.test/docs/b)\n"),
    ],
)
def test_an_element_is_written_as_the_mark_that_means_it(html: str, expected: str) -> None:
    assert markdown(html) == expected


def test_links_may_stay_as_the_page_has_them() -> None:
    blocks = html_blocks(b"<p><a href='../x#y'>z</a>", URL, is_whole=True, destination=as_written)
    assert markdown_of(blocks) == "[z](../x#y)\n"


def test_only_the_main_content_is_shown_unless_the_whole_page_is_wanted() -> None:
    menu = "".join(f"<li><a href=/{name}>{name}</a>" for name in ("home", "shop", "about", "contact"))
    words = "The keeper of the lighthouse lit the lamp every evening, and wrote down what ships he saw. "
    html = f"<nav><img src=logo.png><ul class=menu>{menu}</ul></nav><main><h1>Lamp</h1><img src=lamp.png>"
    html += f"<p>{words * 5}</p><p>{words * 4}</p></main><footer class=footer>imprint</footer>"
    main = markdown(html, is_whole=False)
    assert main.startswith("# Lamp\n\n![](http://a.test/docs/lamp.png)\n\nThe keeper")
    assert not re.search("shop|logo|imprint", main)
    assert re.search("(?s)logo.*shop.*Lamp.*imprint", markdown(html))


def test_what_is_main_content_may_be_known_already() -> None:
    html = b"<p>one<p>two<p>three"
    found = html_blocks(html, URL, main=bytes([1, 1, 1]))  # one block that is not, one that is, one that is not
    assert markdown_of(found) == "two\n"


def with_one_block_shown(html: str) -> str:
    """The page's Markdown if its second block alone is main content."""
    return markdown_of(html_blocks(html.encode(), URL, main=bytes([1, 1, 9])))


@pytest.mark.parametrize(
    "menu",
    [
        "<ul id=menu><li><input type=checkbox><a href=/x>Menu</a><img src=arrow.png></ul>",
        "<nav><img src=logo.png><span id=menu>Menu</span><img src=logo.png></nav>",
        "<table id=menu><tr><th><img src=a.png>Menu<tr><td><img src=b.png></table>",
        "<p id=menu><img src=settings.png>Menu</p><hr>",
        "<p><a id=menu href=/x><img src=logo.png>Menu<img src=logo.png></a></p>",
    ],
)
def test_elements_whose_text_is_not_shown_leave_nothing_behind(menu: str) -> None:
    [block] = html_blocks(f"{menu}<h2>Lamp</h2>".encode(), URL, main=bytes([1, 1, 9]))
    assert (block.text, block.anchor) == ("## Lamp", "")


def test_items_that_are_not_shown_count_in_their_list() -> None:
    assert with_one_block_shown("<ol><li>one<li>two<li>three</ol>") == "2. two\n"


def test_words_on_both_sides_of_a_part_that_is_not_shown_stay_apart() -> None:
    html = b"<p>one<p>light<button><p>two</p></button>house"
    assert markdown_of(html_blocks(html, URL, main=bytes([1, 1, 1, 1]))) == "light\n\nhouse\n"


def read(text: str) -> LexborHTMLParser:
    return LexborHTMLParser(f"<body>{READER.render(text)}")


words = st.text(
    st.sampled_from("ab1 *_`[](){}<>&;#!~|\\-+=.:/\"'é☃\u3000")
    | st.characters(codec="utf-8", exclude_categories=["C"]),
    min_size=1,
    max_size=30,
)


@given(st.lists(words, min_size=1, max_size=4), st.lists(st.integers(0, 63), min_size=4, max_size=4))
def test_any_text_is_read_as_it_was(texts: list[str], styles: list[int]) -> None:
    pieces = [
        Piece(" ".join(text.split()) if style & Style.CODE else " ".join(f".{text}.".split())[1:-1], style)
        for text, style in zip(texts, styles, strict=False)
    ]
    body = read(inline_markdown(pieces)).body
    assert body is not None
    written = "".join(piece.text for piece in pieces)
    assert "".join(body.text().split()) == "".join(written.split())


@given(words)
def test_any_code_is_read_as_it_was(text: str) -> None:
    text = " ".join(text.split())
    if text:
        code = read(f"x {code_span(text)}").css_first("code")
        assert code is not None
        assert code.text() == text


@given(st.lists(words, min_size=2, max_size=6))
def test_any_cells_are_read_as_they_were(texts: list[str]) -> None:
    texts = [" ".join(text.split()) for text in texts]
    cells = "".join(f"<td>{text.replace('&', '&amp;').replace('<', '&lt;')}</td>" for text in texts)
    tree = read(markdown(f"<table><tr><th>a<th>b<tr>{cells}</table>"))
    found = [cell.text() for cell in tree.css("td")]
    assert ["".join(cell.split()) for cell in found[: len(texts)]] == ["".join(text.split()) for text in texts]


def test_deep_nesting_costs_no_deep_indentation() -> None:
    deep = markdown("<ul><li>" * 300 + "x" + "<table><tr><td>" * 100)
    assert "x" in deep
    assert max(map(len, deep.splitlines())) < 300


def test_a_table_of_huge_spans_stays_small() -> None:
    cell = "<td colspan=9999999 rowspan=99999>x"
    assert len(markdown("<table>" + f"<tr>{cell * 50}" * 50 + "</table>")) < 2_000_000
