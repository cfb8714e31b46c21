"""What the records of three sites should be, as the generators of their pages wrote it beside the pages.

rustdoc lists the items of a module for its side bar, javadoc all types and members for its search, Sphinx all objects
for other projects that link to them. None of it is HTML, and none is read by the code that the rules use. The truth
covers only the pages that a store has, so pages that were never crawled count neither way.

    rust:    sidebar-items1.63.0.js     [kind, name and the summary, in Markdown]; the path is that of the folder
    java:    type-search-index.js, member-search-index.js, element-list
    pandas:  objects.inv
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RUST = "http://doc.rust-lang.org/"
JAVA = "http://docs.oracle.com/en/java/javase/17/docs/api/"
PANDAS = "http://pandas.pydata.org/docs/"

_RUST_KINDS = {
    "attr": ("attr", "Attribute Macro"),
    "constant": ("constant", "Constant"),
    "derive": ("derive", "Derive Macro"),
    "enum": ("enum", "Enum"),
    "externcrate": ("", ""),
    "fn": ("fn", "Function"),
    "keyword": ("keyword", "Keyword"),
    "macro": ("macro", "Macro"),
    "primitive": ("primitive", "Primitive Type"),
    "static": ("static", "Static"),
    "struct": ("struct", "Struct"),
    "trait": ("trait", "Trait"),
    "traitalias": ("traitalias", "Trait Alias"),
    "type": ("type", "Type Definition"),
    "union": ("union", "Union"),
}
"""For each kind in a list: the beginning of its pages' names, and what they say."""


def rust_items(root: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    """(URL, (kind, path)) of every item that has a page of its own. root: of the host's files."""
    for file in root.glob("*/**/sidebar-items*.js"):
        folder = file.parent.relative_to(root).as_posix()
        text = file.read_text(encoding="utf-8")
        items = json.loads(text.partition("=")[2].strip().rstrip(";"))
        for kind, entries in items.items():
            prefix, words = _RUST_KINDS.get(kind, ("", ""))
            for entry in entries if prefix else ():
                path = entry[0] if kind in ("primitive", "keyword") else f"{folder.replace('/', '::')}::{entry[0]}"
                yield f"{RUST}{folder}/{prefix}.{entry[0]}.html", (words, path)


def java_types(root: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    """(URL, (package, name)) of every type. root: of the host's files."""
    api = root / "en/java/javase/17/docs/api"
    url_of = _java_urls(api)
    for entry in _searched(api / "type-search-index.js"):
        if "p" in entry:
            yield url_of(entry["p"], entry["l"]), (entry["p"], entry["l"])


def java_members(root: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    """(URL, (id, name)) of every member: id as in links to it, name without its parameters.

    Members that a type has from a class that is not public are on its page, but not in this list.
    """
    api = root / "en/java/javase/17/docs/api"
    url_of = _java_urls(api)
    for entry in _searched(api / "member-search-index.js"):
        identity = (entry.get("u") or entry["l"]).replace("%3C", "<").replace("%3E", ">")
        yield url_of(entry["p"], entry["c"]), (identity, entry["l"].partition("(")[0])


def pandas_objects(root: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    """(URL, (name, role)) of every Python object; not of the other names that some have."""
    file = (root / "docs/objects.inv").read_bytes()
    lines = zlib.decompress(file.split(b"\n", 4)[4]).decode().splitlines()
    for line in lines:
        match = re.fullmatch(r"(.+?) (\S+):(\S+) (-?\d+) (\S*) (.*)", line)
        is_alias = match is not None and match[4] == "-1"
        if match is not None and match[2] == "py" and match[3] != "module" and not is_alias:
            place = match[5].partition("#")[0]
            yield f"{PANDAS}{place}", (match[1], match[3])


def _searched(file: Path) -> list[dict[str, Any]]:
    text = file.read_text(encoding="utf-8").partition("=")[2]
    return list(json.loads(text[: text.rindex("]") + 1]))


def _java_urls(api: Path) -> Any:
    module_of: dict[str, str] = {}
    module = ""
    for line in (api / "element-list").read_text(encoding="utf-8").splitlines():
        if line.startswith("module:"):
            module = line.removeprefix("module:")
        else:
            module_of[line] = module
    return lambda package, name: f"{JAVA}{module_of.get(package, '')}/{package.replace('.', '/')}/{name}.html"
