"""Messages on pages: commands stand out, and nothing that a message quotes becomes markup."""

from __future__ import annotations

import pytest

from hinterland.web.rendering import Renderer
from tests.support.stores import HOSTILE


def shown(message: str) -> str:
    site = {"store": "a.db", "reviewed": None, "extra_pages": ()}
    page = Renderer({}).page("message.html", title="Title", message=message, **site)
    return page.partition('<p class="lead">')[2].partition("</p>")[0]


@pytest.mark.parametrize(
    "message, html",
    [
        ("run `index` to update it", "run <code>index</code> to update it"),
        ("`a` and `b --c`", "<code>a</code> and <code>b --c</code>"),
        ("one ` alone", "one ` alone"),
        ("nothing between ``", "nothing between ``"),
        ("`<b>` & <i>", "<code>&lt;b&gt;</code> &amp; &lt;i&gt;"),
    ],
)
def test_what_stands_between_backticks_is_shown_as_code(message: str, html: str) -> None:
    assert shown(message) == html


def test_a_message_that_quotes_a_page_has_no_other_markup_than_code() -> None:
    assert "<" not in shown(f"`{HOSTILE}` and {HOSTILE}").replace("<code>", "").replace("</code>", "")
