"""Reads JSON-LD, microdata and meta elements of a page as items of names and values. Pure.

Microdata follows the HTML Standard (5.2), itemref included. JSON-LD is read from script elements without resolving
contexts: names are taken as written, which suits the way schema.org is used on the web. An item maps names to lists of
values. Its types are under "@type"; they are cut to the part after the last "/", "#" or ":".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from hinterland.crawler.parsing.extraction.lenient_json import json_value
from hinterland.crawler.parsing.extraction.tree import Element, PageTree, text_of
from hinterland.crawler.urls.canonical import join

Item = Mapping[str, Sequence[Any]]

MOST_ITEMS: Final = 10_000
_DEEPEST: Final = 64
_MOST_JSON_CHARACTERS: Final = 4_000_000
_URL_ATTRIBUTES: Final = {
    **dict.fromkeys(("audio", "embed", "iframe", "img", "source", "track", "video"), "src"),
    **dict.fromkeys(("a", "area", "link"), "href"),
    "object": "data",
}
"""The elements whose microdata value is a URL, each with the attribute that holds it."""


class StructuredData:
    """The structured data of one page, parsed on first use."""

    def __init__(self, page: PageTree, url: str) -> None:
        """Wrap a page; relative URLs resolve against `url`."""
        self._page = page
        self._url = url
        self._items: dict[str, list[Item]] = {}
        self._meta: dict[str, list[str]] | None = None

    def items(self, kind: str) -> list[Item]:
        """Return all items of the page in document order; nested items follow the items that contain them.

        `kind` is jsonld or microdata.
        """
        if kind not in self._items:
            read = _json_ld if kind == "jsonld" else _microdata
            self._items[kind] = read(self._page, self._url)
        return self._items[kind]

    def of_type(self, kind: str, name: str) -> list[Item]:
        """Return the items whose "@type" includes `name`."""
        return [item for item in self.items(kind) if name in item.get("@type", ())]

    def meta(self, name: str) -> list[str]:
        """Return the contents of the meta elements with this name or property, ignoring case."""
        if self._meta is None:
            self._meta = {}
            for element in self._page.all("meta[content]"):
                attributes = element.attributes
                for key in ("property", "name", "itemprop"):
                    for each in (attributes.get(key) or "").lower().split():
                        self._meta.setdefault(each, []).append(attributes.get("content") or "")
        return self._meta.get(name.lower(), [])


def values_at(items: Iterable[Item], path: str) -> Iterator[Any]:
    """Yield the strings, numbers and booleans at a path of names, such as offers.price, in order."""
    found: list[Any] = list(items)
    for name in path.split("."):
        found = [value for item in found if isinstance(item, Mapping) for value in item.get(name, ())]
    for value in found:
        if isinstance(value, Mapping):
            yield from value.get("@value", value.get("@id", ()))
        else:
            yield value


# --- JSON-LD --------------------------------------------------------------------------------------


def _json_ld(page: PageTree, _: str) -> list[Item]:
    items: list[Item] = []
    for script in page.all('script[type*="ld+json" i]'):
        _take(json_value((script.text() or "")[:_MOST_JSON_CHARACTERS]), items, 0)
    return items


def _take(given: object, items: list[Item], depth: int) -> object:
    """Return a JSON value with its objects converted to items, which are also appended to `items`."""
    if depth > _DEEPEST or len(items) >= MOST_ITEMS:
        return None
    if isinstance(given, list):
        return [_take(each, items, depth + 1) for each in given]
    if not isinstance(given, dict):
        return given
    item: dict[str, list[Any]] = {}
    items.append(item)
    for name, value in given.items():
        taken = _take(value, items, depth + 1)
        values = taken if isinstance(taken, list) else [taken]
        flat = [each for value in values for each in (value if isinstance(value, list) else [value])]
        item[name] = [_type_name(each) if name == "@type" else each for each in flat if each is not None]
    return item


def _type_name(given: object) -> str:
    text = str(given)
    return text[max(text.rfind(mark) for mark in "/#:") + 1 :]


# --- microdata ------------------------------------------------------------------------------------


def _microdata(page: PageTree, url: str) -> list[Item]:
    by_id: dict[str, Element] | None = None
    items: list[Item] = []
    of_element: dict[int, dict[str, list[Any]]] = {}
    elements = page.all("[itemscope]")[:MOST_ITEMS]
    for element in elements:
        item: dict[str, list[Any]] = {}
        if types := (element.attributes.get("itemtype") or "").split():
            item["@type"] = [_type_name(each) for each in types]
        if identity := element.attributes.get("itemid"):
            item["@id"] = [join(identity, url) or identity]
        of_element[element.mem_id] = item
        items.append(item)
    for element in elements:
        roots = list(element.iter())
        if references := (element.attributes.get("itemref") or "").split():
            if by_id is None:
                by_id = {}
                for each in page.all("[id]"):
                    by_id.setdefault(each.attributes.get("id") or "", each)
            roots += [by_id[name] for name in dict.fromkeys(references) if name in by_id]
        item = of_element[element.mem_id]
        for root in roots:
            if root.mem_id == element.mem_id:
                continue
            for found in _properties(root):
                inner = of_element.get(found.mem_id)
                if inner is item:
                    continue
                value = _property_value(found, url) if inner is None else inner
                for name in (found.attributes.get("itemprop") or "").split():
                    item.setdefault(name, []).append(value)
    return items


def _properties(root: Element) -> Iterator[Element]:
    """Yield the elements with an itemprop in a tree, except those inside a nested item."""
    node: Element | None = root
    while node is not None:
        attributes = node.attributes
        if "itemprop" in attributes:
            yield node
        below = None if "itemscope" in attributes else _first_element(node.first_child)
        if below is not None:
            node = below
            continue
        while node is not None and node.mem_id != root.mem_id and _first_element(node.next) is None:
            node = node.parent
        if node is None or node.mem_id == root.mem_id:
            return
        node = _first_element(node.next)


def _first_element(node: Element | None) -> Element | None:
    """Return the node itself, or its next sibling that is an element."""
    while node is not None and not node.is_element_node:
        node = node.next
    return node


def _property_value(element: Element, url: str) -> str:
    attributes, tag = element.attributes, element.tag or ""
    if tag == "meta":
        return attributes.get("content") or ""
    if tag in _URL_ATTRIBUTES:
        href = attributes.get(_URL_ATTRIBUTES[tag]) or ""
        return join(href, url) or href
    if tag in ("data", "meter"):
        return attributes.get("value") or ""
    if tag == "time" and attributes.get("datetime"):
        return attributes.get("datetime") or ""
    if attributes.get("content"):  # not in the standard, but this is what sites mean by it
        return attributes.get("content") or ""
    return text_of(element)
