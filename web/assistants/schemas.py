"""JSON Schemas of arguments and answers. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from hinterland.web.assistants.values import Answer, Arguments


def schema_of(kind: type[Arguments | Answer], stores: Sequence[str] = ()) -> dict[str, Any]:
    """Return the schema of objects of this class; `stores` are the possible values of the argument `store`."""
    (reference,), components = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    plain = msgspec.json.decode(msgspec.json.encode(components))
    root = plain.pop(reference["$ref"].rpartition("/")[2])
    root.pop("title")
    for each in root["properties"].values():
        if "enum" in each:
            each["type"] = "string"  # which some clients demand
    if stores:
        root["properties"]["store"]["enum"] = ["", *stores]
    return {**root, "$defs": plain} if plain else root
