"""Sections of a page by their anchors, and pages of which only the text was kept."""

from __future__ import annotations

import json

from hinterland.crawler.parsing.markdown.html_blocks import html_blocks
from hinterland.crawler.parsing.markdown.markdown_blocks import markdown_of, section_of, section_paths
from hinterland.crawler.parsing.markdown.stored_page import PageSource, stored_page_blocks

HTML = b"""<h1 id=top>Guide</h1><p>intro<section id=a><h2>First</h2><p>one<h3><a name=b></a>Deep</h3>two</section>
<h2>Third</h2><dl><dt id=f>f(x)<dd>calls<p>more<dt id=g>g()<dd>other</dl>"""
BLOCKS = html_blocks(HTML, "http://a.test/", is_whole=True)


def test_a_heading_leads_to_everything_up_to_the_next_one_of_its_level() -> None:
    assert markdown_of(section_of(BLOCKS, "a")) == "## First\n\none\n\n### Deep\n\ntwo\n"
    assert markdown_of(section_of(BLOCKS, "b")) == "### Deep\n\ntwo\n"
    assert section_of(BLOCKS, "top") == BLOCKS
    assert section_of(BLOCKS, "none") == ()
    assert section_of(BLOCKS, "") == ()


def test_a_term_leads_to_its_definition() -> None:
    assert markdown_of(section_of(BLOCKS, "f")) == "- **f(x)**\n\n  calls\n\n  more\n"


def test_a_block_knows_the_titles_above_it() -> None:
    paths = dict(zip((block.text for block in BLOCKS), section_paths(BLOCKS), strict=True))
    assert paths["intro"] == (("Guide",), "top")
    assert paths["two"] == (("Guide", "First", "Deep"), "b")
    assert paths["more"] == (("Guide", "Third", "f(x)"), "f")
    assert paths["## Third"] == (("Guide", "Third"), "top")


def test_text_without_a_body_has_its_headings_and_no_marks() -> None:
    headings = json.dumps([[1, "Menu *"], [2, "Part  one"]])
    page = PageSource(
        "http://a.test/", text="skip\n\nMenu *\n\n1. a_b_\nline\n\nPart one", headings=headings, main=b"\1\3"
    )
    expected = "# Menu \\*\n\n1\\. a_b\\_\\\nline\n\n## Part one\n"
    assert markdown_of(stored_page_blocks(page)) == expected
    assert markdown_of(stored_page_blocks(page, is_whole=True)) == f"skip\n\n{expected}"


def test_a_page_nested_too_deeply_is_read_from_its_text() -> None:
    page = PageSource("http://a.test/", "text/html", b"<div>" * 5000 + b"<p>x", text="kept")
    assert markdown_of(stored_page_blocks(page)) == "kept\n"


def test_a_page_in_markdown_stays_what_it_is() -> None:
    page = PageSource("http://a.test/x.md", "text/plain", b"---\na: b\n---\n# T\n\n- x\n\n```c\ny\n```\n")
    assert markdown_of(stored_page_blocks(page)) == "# T\n\n- x\n\n```c\ny\n```\n"


def test_damaged_headings_are_no_headings() -> None:
    assert markdown_of(stored_page_blocks(PageSource("http://a.test/", text="x", headings="[["))) == "x\n"
