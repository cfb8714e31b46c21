"""Which pages are nested too deeply to be walked over in bounded time."""

from __future__ import annotations

import pytest

from hinterland.crawler.parsing.html.nesting import is_too_deep


@pytest.mark.parametrize(
    "html, is_deep",
    [
        ("<div>" * 1000, False),
        ("<div>" * 1001, True),
        ("<SPAN class=x\n>" * 1001, True),
        ("<x-y>" * 1001, True),
        ("<p-x>" * 1001, True),
        ("<listing>" * 1001, True),
        ("<div></div>" * 5000, False),
        ("<custom></custom>" * 5000, False),
        ("<div><p><b><br>text<li><td><a href=x><code>" * 1000, False),
        ("<div><p><b><br>text<li><td><a href=x><code>" * 1001, True),
        ("<div></p></b></li></td></a>" * 1001, True),  # end tags of what does not nest
        ("</div>" * 5000 + "<div>" * 1001, True),  # end tags of nothing
        ("</div>" * 5000 + "<div>" * 1000 + "</div>" * 900 + "<div>" * 900, False),
        ("<p>" * 5000 + "<tr\t><td\n><img src=x>" * 5000, False),
        ("a < b <" * 5000, False),
        ("<", False),
    ],
)
def test_elements_that_nest_are_counted(html: str, is_deep: bool) -> None:
    assert is_too_deep(html.encode()) is is_deep
