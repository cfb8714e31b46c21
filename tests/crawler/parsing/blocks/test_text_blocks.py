"""Where the nodes of text of a page stand in its text."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from hinterland.crawler.parsing.blocks.text_blocks import text_blocks, text_places

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
def test_text_places_agree_with_the_text_and_its_blocks(html: str) -> None:
    body = LexborHTMLParser(html).body
    if body is None:
        return
    counted = text_blocks(body, {"noscript"})
    places = text_places(body, {"noscript"})
    assert places.size == len(counted.text)
    assert list(places.block_starts) == [each.start for each in counted.blocks]
    assert list(places.block_kinds) == [each.kind for each in counted.blocks]
    texts = {node.mem_id: (node.text_content or "").split() for node in body.traverse(include_text=True)}
    parts = pairwise([*places.starts, places.size])
    for node, (start, end) in zip(places.nodes, parts, strict=True):
        words = counted.text[start:end].decode(errors="replace").split()
        assert "".join(words) in ("", "".join(texts[node]))
