"""The OpenAPI document of the API, with schemas generated from the types of the answers.

Pure, except that `python -m hinterland.web.openapi > docs/openapi.json` prints it.
"""

from __future__ import annotations

import json
import sys
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
    """Return the OpenAPI 3.1 document; `root` is put before all paths."""
    schemas, components = msgspec.json.schema_components(
        [*ANSWERS.values(), ErrorAnswer], ref_template="#/components/schemas/{name}"
    )
    components = msgspec.json.decode(msgspec.json.encode(components))  # turns tuples in defaults into lists
    references = dict(zip([*ANSWERS, "error"], schemas, strict=True))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Hinterland",
            "version": __version__,
            "summary": "A crawled part of the web: its pages and hosts, search, and the status of the crawl.",
            "description": "Read-only. Texts come from crawled pages: escape them before showing them.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": f"{root}/"}],
        "paths": {f"/api/{name}": {"get": _operation(name, references)} for name in ANSWERS},
        "components": {"schemas": {name: _closed(schema) for name, schema in components.items()}},
    }


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema of an object with all fields required and no others allowed.

    An answer also contains the fields that have their default values.
    """
    if schema.get("type") != "object" or "properties" not in schema:
        return schema
    return {**schema, "required": list(schema["properties"]), "additionalProperties": False}


def _operation(name: str, references: dict[str, Any]) -> dict[str, Any]:
    summary, parameters = _OPERATIONS[name]
    errors = {
        "400": "A parameter is missing, unknown, repeated or out of bounds, or the query is invalid.",
        **({"404": "It is not in the store."} if name in ("page", "host") else {}),
        "503": "The store or the index cannot be read at the moment.",
    }
    return {
        "operationId": name,
        "summary": summary,
        "parameters": parameters,
        "responses": {
            "200": {"description": "Success.", "content": _json(references[name])},
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
    """Return a parameter of the API that names a page or host, by a number or by a URL.

    The parameter is an object with two properties. In a query, each property is a parameter of its own.
    """
    of_number = f"Number of the {what} in the store"
    number = {"type": "integer", "minimum": 0, "maximum": MAX_NUMBER, "description": of_number}
    url = {"type": "string", "minLength": 1, "maxLength": MAX_URL, "pattern": "[!-~]", "description": of_url}
    schema = {
        "type": "object",
        "properties": {"number": number, "url": url},
        "additionalProperties": False,
        "oneOf": [{"required": ["number"]}, {"required": ["url"]}],
    }
    named = _parameter(what, f"The {what}, by number or by URL", schema, required=True)
    return {**named, "style": "form", "explode": True}


def parameters_of(name: str) -> list[dict[str, Any]]:
    """Return the documented parameters of an operation."""
    return _OPERATIONS[name][1]


def _choice(name: str, description: str, choices: Collection[str], default: str) -> dict[str, Any]:
    return _parameter(name, description, {"type": "string", "enum": list(choices), "default": default})


_STATUS = {"type": "integer", "default": -1, "minimum": -1, "maximum": 999}
_HOST = {"type": "integer", "default": -1, "minimum": -1, "maximum": MAX_NUMBER}
LINK_PATTERN = "^([0-9]{1,12}-[0-9]{1,12}-[0-9]{1,3})?$"
_LISTED = [
    _number("after", "Pagination cursor: `next_after` of the previous response", -1, lowest=-1),
    _number("limit", "Maximum number of pages to return", 100, MAX_LISTED, 1),
]
_ASKED = 'Words, "phrases", -excluded, OR, and operators such as site:, title:, lang: and since:'
_FLAG = ("0", "1", "false", "true")

_OPERATIONS: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "search": (
        "Search the pages",
        [
            _text("q", _ASKED, MAX_QUERY, required=True, pattern=r"\S"),
            _number("limit", "Maximum number of hits to return", 10, MOST_HITS, 1),
            _number("offset", "Number of top hits to skip", 0, MOST_OFFSET),
            _choice("explain", "Include the parts of each score", _FLAG, "0"),
            _choice("grouped", "Return at most two hits of a site in every ten while other sites match", _FLAG, "0"),
            _choice("order", "Order of the hits: empty for the best first, `date` for the latest first", ORDERS, ""),
            _choice("facets", "Include facet counts of all matching pages", _FLAG, "0"),
            _choice("verbatim", "Search as written, without spelling correction", _FLAG, "0"),
        ],
    ),
    "page": (
        "Get a page by number or URL",
        [
            _named("page", "URL of the page, such as https://docs.example.org/start"),
            _number("links", "Maximum number of outlinks and of inlinks to return", 25, MAX_LINKS, 1),
            _number("out", "Pagination cursor of outlinks: their `next_after` in the previous response", -1, lowest=-1),
            _number("in", "Pagination cursor of inlinks: their `next_after` in the previous response", -1, lowest=-1),
        ],
    ),
    "hosts": (
        "List the hosts",
        [
            _choice("order", "Order of the hosts", HOST_ORDERS, "pages"),
            _text("host", "Only hosts whose URL contains this", 200),
            _choice("all", "Include hosts that were never visited", _FLAG, "0"),
            _number("limit", "Maximum number of hosts to return", 50, MAX_HOSTS, 1),
            _number("offset", "Number of entries to skip", 0, 1_000 * MAX_OFFSET),
        ],
    ),
    "host": (
        "Get a host by number or URL",
        [
            _named("host", "Scheme and authority, such as https://docs.example.org"),
        ],
    ),
    "status": ("Get the status of the crawl", []),
    "estimates": ("List the refreshes of the estimate of global PageRank", []),
    "broken-links": (
        "List broken links and the pages they are on",
        [
            _text("outcome", "Only pages that are broken for this reason, such as client_error", 100),
            _parameter("status", "Only pages with this HTTP status; 0 for pages without one, -1 for all", _STATUS),
            _parameter("to", "Only links to the host with this number; -1 for all", _HOST),
            _parameter("from", "Only links from pages of the host with this number; -1 for all", _HOST),
            _number("links", "Maximum number of links to return for each page", 5, MAX_LINKS),
            _number("limit", "Maximum number of pages to return", 25, MAX_LISTED, 1),
            _number("offset", "Number of entries to skip", 0, 1_000 * MAX_OFFSET),
        ],
    ),
    "pages": (
        "List all pages in the order of their numbers",
        [
            _choice("state", "Only pages in this state", ("", *PAGE_STATES), ""),
            _text("outcome", "Only pages whose last visit had this outcome", 100),
            *_LISTED,
        ],
    ),
    "links": (
        "List all links in the order of the pages they are on",
        [
            _text("after", "Pagination cursor: `next_after` of the previous response", 40, pattern=LINK_PATTERN),
            _number("limit", "Maximum number of links to return", 100, MAX_LISTED, 1),
        ],
    ),
    "errors": (
        "List the pages whose last visit failed or was refused, in the order of their numbers",
        [_text("outcome", "Only pages whose last visit had this outcome", 100), *_LISTED],
    ),
}


def as_text() -> str:
    """Return the document as JSON text, as kept in docs/openapi.json."""
    return json.dumps(document(), ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    sys.stdout.write(as_text())
