"""The blocks of a text are the same whether anything is counted in them or not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from hinterland.crawler.parsing.blocks.text_blocks import text_blocks

TAGS = st.sampled_from(
    [
        "p",
        "h1",
        "h3",
        "div",
        "pre",
        "ul",
        "li",
        "dl",
        "dt",
        "dd",
        "table",
        "td",
        "a",
        "b",
        "sup",
        "br",
        "noscript",
        "nav",
    ]
)
PIECES = st.builds(lambda tag, text: f'<{tag} class="menu" href="/x">{text}', TAGS, st.text(max_size=12))
ENDS = st.builds(lambda tag: f"</{tag}> ", TAGS)


@given(st.lists(PIECES | ENDS, max_size=25).map("".join))
def test_without_counts_text_beginnings_and_kinds_of_blocks_are_the_same(html: str) -> None:
    body = LexborHTMLParser(html).body
    if body is None:
        return
    begins: list[int] = []
    plain_begins: list[int] = []
    counted = text_blocks(body, {"noscript"}, lambda start, _: begins.append(start))
    plain = text_blocks(body, {"noscript"}, lambda start, _: plain_begins.append(start), counts=False)
    assert plain.text == counted.text
    assert plain_begins == begins
    assert [(each.start, each.end, each.kind) for each in plain.blocks] == [
        (each.start, each.end, each.kind) for each in counted.blocks
    ]
