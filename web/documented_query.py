"""Enforces the OpenAPI document: a query with parameters or values that it does not allow is rejected."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from aiohttp import web
from multidict import MultiMapping

from hinterland.web.openapi import parameters_of
from hinterland.web.parameters import BadParameter

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,15})", re.ASCII)
_VISIBLE = re.compile("[!-~]")
_LONGEST_SHOWN = 40


def keeping_to_document(name: str, handler: Handler) -> Handler:
    """Wrap the handler of an operation so that it only receives queries that the OpenAPI document allows."""
    parameters = parameters_of(name)

    async def handle(request: web.Request) -> web.StreamResponse:
        require_documented(request.query, parameters, request.path)
        return await handler(request)

    return handle


def require_documented(query: MultiMapping[str], parameters: Sequence[Mapping[str, Any]], path: str) -> None:
    """Raise BadParameter unless the OpenAPI document allows the query.

    Each parameter must be documented, given once and allowed by its schema. All required parameters must be present.
    """
    schemas = _schemas(parameters)
    for name in query:
        if name not in schemas:
            raise BadParameter(_unknown(name, schemas, path))
        if (times := len(query.getall(name))) > 1:
            raise BadParameter(f"{name[:_LONGEST_SHOWN]} is given {times} times; give it once")
    for name, schema in schemas.items():
        if name in query:
            _require_allowed(name, query[name], schema)
    for parameter in parameters:
        _require_present(parameter, query)


def _schemas(parameters: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return the schema of each parameter by its name in a query.

    A parameter that is an object stands for its properties: each is a parameter of the query.
    """
    found: dict[str, Mapping[str, Any]] = {}
    for parameter in parameters:
        schema = parameter["schema"]
        found |= schema["properties"] if schema["type"] == "object" else {parameter["name"]: schema}
    return found


def _unknown(name: str, known: Mapping[str, object], path: str) -> str:
    shown = repr(name[:_LONGEST_SHOWN])
    near = get_close_matches(name[:_LONGEST_SHOWN], known, n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    takes = f" It takes {', '.join(known)}." if known else " It takes no parameters."
    return f"{path} has no parameter {shown}{meant or '.'}{takes}"


def _require_allowed(name: str, value: str, schema: Mapping[str, Any]) -> None:
    if schema["type"] == "integer":
        lowest, highest = schema["minimum"], schema["maximum"]
        if not _NUMBER.fullmatch(value) or not lowest <= int(value) <= highest:
            shown = repr(value[:_LONGEST_SHOWN]) if value else "empty"
            raise BadParameter(
                f"{name} is {shown}; it has to be a whole number from {lowest} to {highest}, or left out"
            )
    elif "enum" in schema:
        if value not in schema["enum"]:
            allowed = ", ".join(filter(None, schema["enum"]))
            raise BadParameter(f"{name} is {value[:_LONGEST_SHOWN]!r}; it has to be one of {allowed}, or left out")
    elif len(value) > schema["maxLength"]:
        raise BadParameter(f"{name} has {len(value)} characters; the limit is {schema['maxLength']}")


def _require_present(parameter: Mapping[str, Any], query: Mapping[str, str]) -> None:
    schema, name = parameter["schema"], parameter["name"]
    if schema["type"] == "object":
        parts = list(schema["properties"])
        given = [part for part in parts if part in query]
        if len(given) != 1 or not _VISIBLE.search(query[given[0]]):
            both = f", not {' and '.join(given)}" if len(given) > 1 else ""
            raise BadParameter(f"give the {name} by {' or '.join(parts)}{both}")
    elif parameter["required"] and not query.get(name, "").strip():
        raise BadParameter(f"{name} is missing: {parameter['description']}")
