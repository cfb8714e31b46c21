"""The anchors that lead to the headings of a page."""

from __future__ import annotations

import pytest

from hinterland.crawler.parsing.html.headings import Heading, as_stored
from tests.support.page_parsing import readable


@pytest.mark.parametrize(
    "html, anchor",
    [
        ("<h2 id=own>x</h2>", "own"),
        ("<h2><span class=mw-headline id=Inside>x</span></h2>", "Inside"),
        ("<h2><a name=old></a>x</h2>", "old"),
        ("<section id=around><h2>x<a class=headerlink href=#around>¶</a></h2></section>", "around"),
        ("<section id=around><span id=target></span><h2>x</h2></section>", "target"),
        ("<a name='javadoc'><!--   --></a>\n<h3>x</h3>", "javadoc"),
        ("<div id=box><div class=titlepage><div><h2>x</h2></div></div></div>", "box"),
        ("<p>text</p><h2>x</h2>", ""),
        ("<div id=box>text<h2>x</h2></div>", ""),
        ("<div id=box><p>text</p><h2>x</h2></div>", ""),
        ("<body id=page><h2>x</h2>", ""),
        ("<h2 id='two words'>x</h2>", ""),
        (f"<h2 id={'l' * 201}>x</h2>", ""),
    ],
)
def test_an_anchor_leads_to_where_the_heading_begins(html: str, anchor: str) -> None:
    text = readable(html.encode()).content
    assert [each.anchor for each in text.headings] == [anchor]


def test_anchors_of_an_inner_document_do_not_lead_anywhere_in_the_page() -> None:
    text = readable(b"<h1 id=a>x</h1><iframe srcdoc='<h2 id=b>y</h2>'></iframe>").content
    assert text.headings == [Heading(1, "x", "a"), Heading(2, "y")]


def test_headings_are_stored_with_the_anchors_that_they_have() -> None:
    assert as_stored([Heading(1, "x"), Heading(2, "y", "b")]) == '[[1,"x"],[2,"y","b"]]'
