"""The API refuses every query that its document does not allow, and says what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from multidict import MultiDict

from hinterland.web.documented_query import require_documented
from hinterland.web.openapi import document, parameters_of
from hinterland.web.parameters import BadParameter
from tests.web.test_pages import client_of

OPERATIONS = [path.removeprefix("/api/") for path in document()["paths"]]

REFUSED = [
    ("host", "give the host by number or url"),
    ("page", "give the page by number or url"),
    ("page?links=25", "give the page by number or url"),
    ("host?url=", "give the host by number or url"),
    ("host?url=%20", "give the host by number or url"),
    ("host?number=0&url=http://a.test", "not number and url"),
    ("host?number=", "number is empty"),
    ("page?number=0&number=1", "number is given 2 times"),
    ("search?q=x&limit=", "limit is empty; it has to be a whole number from 1 to 100, or left out"),
    ("search?q=x&limit=5&limit=6", "limit is given 2 times; give it once"),
    ("search?q=x&q=y", "q is given 2 times; give it once"),
    ("search?q=x&limit=%205", "limit is ' 5'"),
    ("search?q=x&limit=05", "limit is '05'"),
    ("search?q=x&limit=%2B5", "limit is '+5'"),
    ("search?q=x&limit=5.0", "limit is '5.0'"),
    ("search?q=x&limit=1e1", "limit is '1e1'"),
    ("search?q=x&limit=%D9%A5", "limit is"),
    ("search?q=x&explain=", "explain is ''; it has to be one of 0, 1, false, true, or left out"),
    ("search?q=x&explain=True", "explain is 'True'"),
    ("search?q=x&limt=5", "no parameter 'limt'; did you mean limit?"),
    ("search?q=x&_=1", "no parameter '_'"),
    ("search", "q is missing"),
    ("search?q=", "q is missing"),
    ("status?verbose=1", "It takes no parameters."),
    ("estimates?limit=1", "It takes no parameters."),
    ("errors?after=&after=3", "after is given 2 times"),
    ("errors?after=-2", "after is '-2'"),
    ("pages?after=9007199254740993", "after is '9007199254740993'"),
    ("links?after=0-0", "after is '0-0'"),
    ("hosts?all=yes", "all is 'yes'"),
    ("broken-links?to=487121130040325440", "to is '487121130040325440'"),
    ("broken-links?status=", "status is empty"),
]


@pytest.mark.slow
@pytest.mark.parametrize("asked, why", REFUSED)
async def test_a_query_that_the_document_does_not_allow_is_refused_with_the_reason(
    asked: str, why: str, crawled_store: Path
) -> None:
    async with client_of(crawled_store) as client, client.get(f"/api/{asked}") as answer:
        value = await answer.json()
        assert answer.status == 400, value
    assert why in value["error"]


def test_every_number_of_the_document_has_both_bounds() -> None:
    for name in OPERATIONS:
        for parameter in parameters_of(name):
            schema = parameter["schema"]
            for each in schema["properties"].values() if schema["type"] == "object" else [schema]:
                assert each["type"] != "integer" or {"minimum", "maximum"} <= set(each), (name, parameter["name"])
                assert each["type"] != "string" or "enum" in each or "maxLength" in each, (name, parameter["name"])


def values_of(schema: dict[str, Any]) -> st.SearchStrategy[str]:
    if schema["type"] == "integer":
        return st.integers(schema["minimum"], schema["maximum"]).map(str)
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "pattern" in schema:
        return st.sampled_from(["1-2-3"]) if "-" in schema["pattern"] else st.just("http://a.test/")
    return st.text(max_size=min(schema["maxLength"], 50))


@pytest.mark.slow
@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_query_that_keeps_to_the_document_is_allowed(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(OPERATIONS))
    query: MultiDict[str] = MultiDict()
    for parameter in parameters_of(name):
        schema = parameter["schema"]
        if schema["type"] == "object":
            chosen = data.draw(st.sampled_from(schema["oneOf"]))["required"][0]
            query.add(chosen, data.draw(values_of(schema["properties"][chosen])))
        elif parameter["required"] or data.draw(st.booleans()):
            query.add(parameter["name"], data.draw(values_of(schema)))
    require_documented(query, parameters_of(name), f"/api/{name}")


@given(st.sampled_from(OPERATIONS), st.text(max_size=20), st.text(max_size=20))
@settings(max_examples=100, deadline=None)
def test_a_name_that_is_not_in_the_document_is_refused(operation: str, name: str, value: str) -> None:
    known = {parameter["name"] for parameter in parameters_of(operation)} | {"number", "url"}
    if name not in known:
        with pytest.raises(BadParameter, match="has no parameter"):
            require_documented(MultiDict([(name, value)]), parameters_of(operation), f"/api/{operation}")
