"""Whatever a client asks for, it gets an answer or one clear sentence."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hinterland.web.assistants.asked_stores import AskedStores
from hinterland.web.assistants.calls import called
from hinterland.web.assistants.resources import NoResource, page_named, uri_of
from hinterland.web.assistants.tools import TOOLS
from tests.support.levels import rounds

HOSTILE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=30),
    st.sampled_from(["", "quarry", "ferries", "'; DROP TABLE page; --", "\x00", "\ud800", "http://[", "x" * 9_000]),
    st.sampled_from(["since:", '"', "-", "a OR", "site:", "(((((", "9999-99-99", "1e308d", "0x10", "NaN", "waiting"]),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)
NAMES = st.sampled_from(
    ["url", "query", "store", "limit", "after", "section", "characters", "since", "kind", "order", "contains", "state"]
)


@settings(max_examples=rounds(60, 3_000))
@given(st.sampled_from(list(TOOLS)), st.dictionaries(NAMES, HOSTILE, max_size=4))
def test_hostile_arguments_get_an_answer_or_a_clear_error(
    stores: AskedStores, tool: str, arguments: dict[str, Any]
) -> None:
    result = called(TOOLS[tool], stores, arguments)
    if result.values is None:
        assert result.text
        assert len(result.text.splitlines()) == 1
        assert len(result.text) <= 1_000
        assert "internal error" not in result.text
    result.text.encode()


@pytest.mark.parametrize(
    "tool, arguments, complaint",
    [
        ("search", {}, "missing required field `query`"),
        ("search", {"query": "x", "limit": 10_000}, "`int` <= 20 - at `$.limit`"),
        ("search", {"query": "x", "size": 3}, "unknown field `size`"),
        ("search", {"query": "title:"}, "title:"),
        ("search", {"query": "x", "store": "ferries"}, "the command that builds it: "),
        ("read_page", {"url": "http://elsewhere.test/"}, "there is no page with this URL in any store"),
        ("read_page", {"url": "x", "store": "boats"}, "there is no store 'boats'; the stores are: quarry, ferries"),
        ("list_hosts", {}, "say which store; the stores are: quarry, ferries"),
        ("changes_since", {"since": "tomorrow", "store": "quarry"}, "since: 'tomorrow' is not a time: write 12h"),
    ],
)
def test_errors_say_what_is_wrong_and_the_way_out(
    stores: AskedStores, tool: str, arguments: dict[str, Any], complaint: str
) -> None:
    result = called(TOOLS[tool], stores, arguments)
    assert result.values is None
    assert complaint in result.text


def test_numbers_as_text_and_nulls_are_taken_as_models_give_them(stores: AskedStores) -> None:
    result = called(TOOLS["search"], stores, {"query": "granite", "limit": "3", "after": None, "store": None})
    assert result.values is not None
    assert len(result.values["hits"]) == 3


@given(st.text(min_size=1), st.text(min_size=1))
def test_the_uri_of_a_page_leads_back_to_it(store: str, url: str) -> None:
    try:
        uri = uri_of(store, url)
    except UnicodeEncodeError:
        return  # half a character has no URI
    assert page_named(uri) == (store, url)


@pytest.mark.parametrize(
    "uri", ["", "http://a.test/", "hinterland://page/", "hinterland://page/a", "file:///etc/passwd"]
)
def test_other_uris_name_no_page(uri: str) -> None:
    with pytest.raises(NoResource, match="this server has pages only"):
        page_named(uri)
