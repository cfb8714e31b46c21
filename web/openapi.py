"""The OpenAPI document of the API, its schemas read from the answers themselves. Pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec

from hinterland.crawler import __version__
from hinterland.search.answers import MOST_HITS, MOST_OFFSET, ORDERS
from hinterland.storage.values.hosts import HOST_ORDERS
from hinterland.storage.values.pages import PAGE_STATES
from hinterland.web.api_answers import ANSWERS, ErrorAnswer
from hinterland.web.parameters import MAX_NUMBER, MAX_OFFSET, MAX_QUERY, MAX_URL

MAX_LINKS = 500
MAX_HOSTS = 500
MAX_LISTED = 1_000


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
        "400": "A parameter is missing, unknown, given twice or out of its bounds, or the query cannot be understood.",
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


def _number(name: str, description: str, default: int, highest: int = MAX_NUMBER, lowest: int = 0) -> dict[str, Any]:
    schema = {"type": "integer", "default": default, "minimum": lowest, "maximum": highest}
    return _parameter(name, description, schema)


def _text(name: str, description: str, longest: int, *, required: bool = False, pattern: str = "") -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string", **({"minLength": 1} if required else {}), "maxLength": longest}
    return _parameter(name, description, {**schema, **({"pattern": pattern} if pattern else {})}, required=required)


def _named(what: str, of_url: str) -> dict[str, Any]:
    """A number or a URL, and not both: the parts of one object, which stand as parameters of their own in the query."""
    of_number = f"Number of the {what} in the store"
    number = {"type": "integer", "minimum": 0, "maximum": MAX_NUMBER, "description": of_number}
    url = {"type": "string", "minLength": 1, "maxLength": MAX_URL, "pattern": "[!-~]", "description": of_url}
    schema = {
        "type": "object",
        "properties": {"number": number, "url": url},
        "additionalProperties": False,
        "oneOf": [{"required": ["number"]}, {"required": ["url"]}],
    }
    named = _parameter(what, f"The {what}, by its number or by its URL", schema, required=True)
    return {**named, "style": "form", "explode": True}


def parameters_of(name: str) -> list[dict[str, Any]]:
    """The parameters of an operation, as the document has them."""
    return _OPERATIONS[name][1]


def _choice(name: str, description: str, choices: Collection[str], default: str) -> dict[str, Any]:
    return _parameter(name, description, {"type": "string", "enum": list(choices), "default": default})


_STATUS = {"type": "integer", "default": -1, "minimum": -1, "maximum": 999}
_HOST = {"type": "integer", "default": -1, "minimum": -1, "maximum": MAX_NUMBER}
LINK_PATTERN = "^([0-9]{1,12}-[0-9]{1,12}-[0-9]{1,3})?$"
_LISTED = [
    _number("after", "Only pages after this one: next_after of the previous answer", -1, lowest=-1),
    _number("limit", "Maximum number of pages to return", 100, MAX_LISTED, 1),
]
_ASKED = 'Words, "phrases", -word, site:, title:, lang:, since:'
_FLAG = ("0", "1", "false", "true")

_OPERATIONS: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "search": (
        "The pages that answer a query best",
        [
            _text("q", _ASKED, MAX_QUERY, required=True, pattern=r"\S"),
            _number("limit", "Maximum number of hits to return", 10, MOST_HITS, 1),
            _number("offset", "Number of the best hits to skip", 0, MOST_OFFSET),
            _choice("explain", "Add the parts of each score", _FLAG, "0"),
            _choice("grouped", "No more than two hits of a site in ten, while there are others", _FLAG, "0"),
            _choice("order", "By score, or the latest date first", ORDERS, ""),
            _choice("facets", "Add counts of all pages that match", _FLAG, "0"),
            _choice("verbatim", "Search as written: try no other spelling", _FLAG, "0"),
        ],
    ),
    "page": (
        "One page, by its number or its URL",
        [
            _named("page", "URL of the page, such as https://docs.example.org/start"),
            _number("links", "Maximum number of outlinks and of inlinks to return", 25, MAX_LINKS, 1),
            _number("out", "Only outlinks after this one: next_after of the previous answer", -1, lowest=-1),
            _number("in", "Only inlinks after this one", -1, lowest=-1),
        ],
    ),
    "hosts": (
        "The hosts",
        [
            _choice("order", "What comes first", HOST_ORDERS, "pages"),
            _text("host", "Only hosts whose URL contains this", 200),
            _choice("all", "Include hosts that were never visited", _FLAG, "0"),
            _number("limit", "Maximum number of hosts to return", 50, MAX_HOSTS, 1),
            _number("offset", "Number of the first entries to skip", 0, 1_000 * MAX_OFFSET),
        ],
    ),
    "host": (
        "One host, by its number or its URL",
        [
            _named("host", "Scheme and authority, such as https://docs.example.org"),
        ],
    ),
    "status": ("How the crawl stands", []),
    "estimates": ("How the estimate of the global PageRank settled", []),
    "broken-links": (
        "Links that lead nowhere, and the pages they stand on",
        [
            _text("outcome", "Only pages that are broken for this reason, such as client_error", 100),
            _parameter("status", "Only pages with this status; 0: without one", _STATUS),
            _parameter("to", "Only links to the host with this number", _HOST),
            _parameter("from", "Only links on pages of the host with this number", _HOST),
            _number("links", "Maximum number of links to return for each page", 5, MAX_LINKS),
            _number("limit", "Maximum number of pages to return", 25, MAX_LISTED, 1),
            _number("offset", "Number of the first entries to skip", 0, 1_000 * MAX_OFFSET),
        ],
    ),
    "pages": (
        "All pages, by their numbers",
        [
            _choice("state", "Only pages in this state", ("", *PAGE_STATES), ""),
            _text("outcome", "Only pages whose last visit had this outcome", 100),
            *_LISTED,
        ],
    ),
    "links": (
        "All links, by the numbers of the pages they stand on",
        [
            _text("after", "Only links after this one: next_after of the previous answer", 40, pattern=LINK_PATTERN),
            _number("limit", "Maximum number of links to return", 100, MAX_LISTED, 1),
        ],
    ),
    "errors": (
        "The pages whose last visit failed or was refused, by their numbers",
        [_text("outcome", "Only pages whose last visit had this outcome", 100), *_LISTED],
    ),
}
