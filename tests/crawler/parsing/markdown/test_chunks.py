"""Chunks: within their bound, code whole, and all text of the page in them once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.parsing.markdown.chunks import LEAST_TOKENS, Chunk, chunks_of
from hinterland.crawler.parsing.markdown.html_blocks import html_blocks
from hinterland.crawler.parsing.markdown.token_estimate import estimated_tokens


def chunks(html: str, most: int) -> list[Chunk]:
    return list(chunks_of(html_blocks(html.encode(), "http://a.test/", is_whole=True), most))


def words(chunk: Chunk) -> list[str]:
    lines = [line for line in chunk.text.splitlines() if not line.strip("> ").startswith(("```", "| ---"))]
    return "".join(each if each.isalnum() else " " for each in "\n".join(lines)).split()


sentence = st.integers(1, 60).map(lambda count: " ".join(f"w{number}" for number in range(count)) + ". ")
text = st.lists(sentence, min_size=1, max_size=4).map("".join)
block = st.one_of(
    st.sampled_from(["<h1>one</h1>", "<h2>two</h2>", "<h3>three</h3>"]),
    text.map(lambda each: f"<p>{each}</p>"),
    text.map(lambda each: f"<ul><li>{each}<li>{each}<ul><li>{each}</ul></ul>"),
    text.map(lambda each: f"<blockquote><p>{each}<pre>{each}</pre></blockquote>"),
    text.map(lambda each: "<pre>" + each.replace(". ", "\n") + "</pre>"),
    text.map(lambda each: f"<table><tr><th>a<th>b{'<tr><td>' + each[:99] + '<td>c' + each[:80]}</table>"),
    st.integers(1, 900).map(lambda size: f"<p>{'x' * size}</p>"),
)


@pytest.mark.slow
@given(st.lists(block, max_size=8).map("".join), st.integers(LEAST_TOKENS, 300))
def test_no_chunk_is_over_the_bound_and_all_text_is_there_once(html: str, most: int) -> None:
    found = chunks(html, most)
    assert all(0 < chunk.tokens <= most for chunk in found)
    assert all(chunk.tokens == estimated_tokens(chunk.text) for chunk in found)
    [whole] = chunks(html, 10**6) or [Chunk((), "", "", 0)]
    assert "".join(word for chunk in found for word in words(chunk)) == "".join(words(whole))
    for chunk in found:
        assert chunk.text.count("```") % 2 == 0
        if chunk.cuts_code:
            assert any(estimated_tokens(code) > most - 12 for code in whole.text.split("```"))


def test_a_heading_stays_with_what_is_below_it_and_begins_a_chunk() -> None:
    html = "<h1 id=a>A</h1>" + "<p>one two three four five six seven eight</p>" * 3 + "<h2 id=b>B</h2><p>nine"
    first, last = chunks(html, LEAST_TOKENS + 8)
    assert (first.section, first.anchor) == (("A",), "a")
    assert (last.section, last.anchor, last.text) == (("A", "B"), "b", "## B\n\nnine")


def test_short_sections_share_a_chunk() -> None:
    assert [chunk.text for chunk in chunks("<h2>A</h2><p>a<h2>B</h2><p>b", 100)] == ["## A\n\na\n\n## B\n\nb"]


def test_text_is_cut_behind_sentences_and_never_in_a_link() -> None:
    html = "<p>" + "One two three four five six seven. " * 9 + "<a href=http://b.test/x>to the other site</a>"
    found = [chunk.text for chunk in chunks(html, 40)]
    assert len(found) > 1
    assert all(each.endswith((".", ")")) for each in found)
    assert found[-1].endswith("[to the other site](http://b.test/x)")


def test_code_over_the_bound_is_cut_behind_lines_and_says_so() -> None:
    code = "\n".join(f"line_{number} = {number}" for number in range(40))
    found = chunks(f"<p>before<pre class=python>{code}</pre><p>after", 60)
    assert [chunk.cuts_code for chunk in found] == [False, *[True] * (len(found) - 2), False]
    assert all(chunk.text.startswith("```python\n") for chunk in found[1:-1])
    assert "\n".join(chunk.text.removeprefix("```python\n").removesuffix("\n```") for chunk in found[1:-1]) == code


def test_a_table_is_cut_behind_rows_and_stays_a_table() -> None:
    rows = "".join(f"<tr><td>{number}<td>value {number}" for number in range(30))
    found = chunks(f"<table><tr><th>n<th>v{rows}</table>", 80)
    assert found[0].text.startswith("| n | v |\n| --- | --- |\n| 0 | value 0 |")
    assert all(chunk.text.startswith("| | |\n| --- | --- |\n") for chunk in found[1:])


@pytest.mark.parametrize(
    "text, tokens",
    [
        ("", 0),
        ("word", 1),
        ("wonderful words", 3),
        ("a, b", 3),
        ("1234", 2),
        ("größer", 3),
        ("漢字です", 4),
        ("a\n\n  b", 3),
    ],
)
def test_tokens_are_estimated_by_letters_digits_and_signs(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens
