"""The OpenAPI document of the API, its schemas read from the answers themselves. Pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec

from crawler import __version__
from crawler.apps.search.answers import ORDERS
from crawler.apps.serving.api_answers import ANSWERS, ErrorAnswer
from crawler.apps.serving.parameters import MAX_OFFSET, MAX_QUERY, MAX_URL
from storage.values.hosts import HOST_ORDERS
from storage.values.pages import PAGE_STATES

MAX_HITS = 100
MAX_LINKS = 500
MAX_HOSTS = 500
MAX_LISTED = 1_000
LAST_HIT = 1_000


def document(root: str = "") -> dict[str, Any]:
    """As OpenAPI 3.1. root: what all paths begin with."""
    schemas, components = msgspec.json.schema_components(
        [*ANSWERS.values(), ErrorAnswer], ref_template="#/components/schemas/{name}"
    )
    components = msgspec.json.decode(msgspec.json.encode(components))  # a default that is a tuple becomes a list
    references = dict(zip([*ANSWERS, "error"], schemas, strict=True))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Hinterland",
            "version": __version__,
            "summary": "A crawled corner of the web: its pages, its hosts, a search over it and how its crawl stands.",
            "description": "Reads only. Texts are as crawled: escape them before you show them.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": f"{root}/"}],
        "paths": {f"/api/{name}": {"get": _operation(name, references)} for name in ANSWERS},
        "components": {"schemas": {name: _closed(schema) for name, schema in components.items()}},
    }


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    """No field beside those that are named; those with a default are there all the same."""
    if schema.get("type") != "object" or "properties" not in schema:
        return schema
    return {**schema, "required": list(schema["properties"]), "additionalProperties": False}


def _operation(name: str, references: dict[str, Any]) -> dict[str, Any]:
    summary, parameters = _OPERATIONS[name]
    errors = {
        "400": "A parameter, or the query, cannot be used.",
        **({"404": "The store does not know it."} if name in ("page", "host") else {}),
        "503": "The store or the index cannot be read now.",
    }
    return {
        "operationId": name,
        "summary": summary,
        "parameters": parameters,
        "responses": {
            "200": {"description": "The answer.", "content": _json(references[name])},
            **{status: {"description": text, "content": _json(references["error"])} for status, text in errors.items()},
        },
    }


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _parameter(name: str, description: str, schema: dict[str, Any], *, required: bool = False) -> dict[str, Any]:
    return {"name": name, "in": "query", "description": description, "required": required, "schema": schema}


def _number(name: str, description: str, default: int, highest: int | None = None, lowest: int = 0) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer", "default": default, "minimum": lowest}
    return _parameter(name, description, schema if highest is None else {**schema, "maximum": highest})


def _text(name: str, description: str, longest: int, *, required: bool = False) -> dict[str, Any]:
    shortest = {"minLength": 1} if required else {}
    return _parameter(name, description, {"type": "string", **shortest, "maxLength": longest}, required=required)


def _choice(name: str, description: str, choices: Collection[str], default: str) -> dict[str, Any]:
    return _parameter(name, description, {"type": "string", "enum": list(choices), "default": default})


_STATUS = {"type": "integer", "default": -1, "minimum": -1, "maximum": 999}
_LISTED = [
    _number("after", "Those after this one: next_after of the answer before", -1, lowest=-1),
    _number("limit", "So many at most", 100, MAX_LISTED, 1),
]
_FLAG = ("0", "1", "false", "true")

_OPERATIONS: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "search": (
        "The pages that answer a query best",
        [
            _text("q", 'Words, "phrases", -word, site:, title:, lang:, since:', MAX_QUERY, required=True),
            _number("limit", "So many hits at most", 10, MAX_HITS, 1),
            _number("offset", "Leave out so many of the best", 0, LAST_HIT),
            _choice("explain", "With the parts of each score", _FLAG, "0"),
            _choice("grouped", "No more than two hits of a site in ten, while there are others", _FLAG, "0"),
            _choice("order", "By score, or the latest date first", ORDERS, ""),
            _choice("facets", "With counts of all pages that match", _FLAG, "0"),
            _choice("verbatim", "As it is written: no other spelling", _FLAG, "0"),
        ],
    ),
    "page": (
        "One page, by its number or its URL",
        [
            _parameter("number", "Its number in the store", {"type": "integer", "minimum": 0}),
            _text("url", "Its URL; counts if there is no number", MAX_URL),
            _number("links", "So many outlinks and inlinks, and the rest of those to the last page", 25, MAX_LINKS, 1),
            _number("out", "Outlinks after this one: next_after of the answer before", -1, lowest=-1),
            _number("in", "Inlinks after this one", -1, lowest=-1),
        ],
    ),
    "hosts": (
        "The hosts",
        [
            _choice("order", "What comes first", HOST_ORDERS, "pages"),
            _text("host", "Only those whose URL holds this", 200),
            _choice("all", "Also those that were never visited", _FLAG, "0"),
            _number("limit", "So many at most", 50, MAX_HOSTS, 1),
            _number("offset", "Leave out so many", 0, 1_000 * MAX_OFFSET),
        ],
    ),
    "host": (
        "One host, by its number or its URL",
        [
            _parameter("number", "Its number in the store", {"type": "integer", "minimum": 0}),
            _text("url", "Scheme and authority, such as https://docs.example.org", MAX_URL),
        ],
    ),
    "status": ("How the crawl stands", []),
    "estimates": ("How the estimate of the global PageRank settled", []),
    "broken-links": (
        "Links that lead nowhere, and the pages they stand on",
        [
            _text("outcome", "Only those for this reason, such as client_error", 100),
            _parameter("status", "Only those with this status; 0: without one", _STATUS),
            _parameter("to", "Only those that lead to the host with this number", {"type": "integer", "minimum": -1}),
            _parameter("from", "Only those on pages of the host with this number", {"type": "integer", "minimum": -1}),
            _number("links", "So many links to each page at most", 5, MAX_LINKS),
            _number("limit", "So many pages at most", 25, MAX_LISTED, 1),
            _number("offset", "Leave out so many", 0, 1_000 * MAX_OFFSET),
        ],
    ),
    "pages": (
        "All pages, by their numbers",
        [
            _choice("state", "Only those in this state", ("", *PAGE_STATES), ""),
            _text("outcome", "Only those whose last visit came to this", 100),
            *_LISTED,
        ],
    ),
    "links": (
        "All links, by the numbers of the pages they stand on",
        [
            _text("after", "Those after this one: next_after of the answer before", 40),
            _number("limit", "So many at most", 100, MAX_LISTED, 1),
        ],
    ),
    "errors": (
        "The pages whose last visit failed or was refused, by their numbers",
        [_text("outcome", "Only those whose visit came to this", 100), *_LISTED],
    ),
}
