"""Rewrites pages and style sheets so that all they load and link to comes from an archive. Pure.

The page is taken apart and put together again. Only resources and links that are known here keep an address. Scripts,
forms and everything else that may reach the network lose their addresses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Protocol

from hinterland.crawler.parsing.html.shadow_roots import with_shadow_roots
from hinterland.crawler.parsing.resources.elements import (
    LAZY_ELEMENTS,
    LAZY_SRCSETS,
    LAZY_URLS,
    Attributes,
    references_of,
)
from hinterland.crawler.parsing.resources.page_tree import (
    Node,
    Tree,
    base_of,
    elements_of,
    remove,
    set_css,
    tree_of,
    written,
)
from hinterland.crawler.parsing.resources.references import ResourceKind, Span
from hinterland.crawler.parsing.resources.selectors import KEPT, with_original_values
from hinterland.crawler.parsing.resources.style_sheets import normalised, spans_of_css, with_replaced_urls
from hinterland.crawler.urls.canonical import WEB, join

_NEVER_NEEDED: Final = frozenset(
    {"base", "template", "applet", "portal", "fencedframe", "animate", "set", "animatemotion", "animatetransform"}
)
"""Elements that are removed: they do nothing without scripts, or could change where a link leads."""
_DANGEROUS: Final = frozenset(
    {
        *("ping", "action", "formaction", "manifest", "archive", "codebase", "classid", "cite", "longdesc", "profile"),
        *("integrity", "nonce", "http-equiv", "attributionsrc", "shadowrootmode", "sandbox"),
        *("csp", "allow", "credentialless", "is"),
    }
)
"""Attributes that are removed: addresses to which something could be sent, and conditions that replaced content does
not meet."""
_LINKED: Final = frozenset({ResourceKind.STYLE, ResourceKind.ICON, ResourceKind.FONT, ResourceKind.IMAGE})
"""The kinds of <link> that are kept. Others only announce what may be loaded, and some bypass every content policy."""
_LINKS: Final = frozenset({"a", "area"})
_NOWHERE: Final = "#-"
"""The address of links that lead to no page, such as mailto: and javascript:. They still look like links."""
_NOT_STYLED: Final = frozenset({"link", "script"})
_MOST_KEPT: Final = 2_000
"""The longest original value that is kept for selectors; pictures inside the page are longer."""
_MOST_DOCUMENTS: Final = 50
_HREFS: Final = ("href", "xlink:href")
_MOST_READINGS: Final = 3
_DOCTYPE: Final = re.compile(rb"(?:\s++|<!--.*?-->|<\?[^>]*+>)*+(<!doctype\s[^<>]{0,300}>)", re.IGNORECASE | re.DOTALL)


class Addresses(Protocol):
    """Gives new addresses to resources and pages."""

    def resource(self, url: str, kind: ResourceKind) -> str:
        """Return the new address of a resource, given by its absolute URL: a path on this origin."""
        ...

    def page(self, url: str) -> str:
        """Return the new address of a page that a link leads to."""
        ...

    def is_own(self, address: str) -> bool:
        """Return whether an address was made by `resource` or `page`."""
        ...


class Unshowable(Exception):
    """Raised if a rewritten page still has original addresses when it is read again, so that it is not safe to show."""


def rewritten_page(html: bytes, url: str, addresses: Addresses) -> bytes:
    """Return a page, given as HTML in UTF-8, with new addresses.

    Raises Unshowable if a page still has an original address after several rewritings. Such pages are made to deceive
    filters. Raises MemoryError.
    """
    tree = tree_of(with_shadow_roots(html))
    _rewrite(tree, url, addresses, _MOST_DOCUMENTS)
    page = written(tree)
    for _ in range(_MOST_READINGS):
        again = tree_of(page)
        if not _rewrite(again, url, _Finished(addresses), _MOST_DOCUMENTS):
            return _with_doctype(page, html)
        page = written(again)
    raise Unshowable(url)


def _with_doctype(page: bytes, html: bytes) -> bytes:
    """Return a page with its original doctype, on which the layout depends; the tree keeps only the doctype's name."""
    original, short = _DOCTYPE.match(html), _DOCTYPE.match(page)
    return page if original is None or short is None else original[1] + page[short.end() :]


def rewritten_style_sheet(css: str, url: str, addresses: Addresses) -> str:
    """Return a style sheet with new addresses."""
    text = normalised(css)
    new = with_replaced_urls(text, spans_of_css(text), lambda span: _address(span, url, addresses) or "data:,")
    return with_original_values(new)


class _Finished:
    """Addresses for reading a rewritten page again: each address in it must be a new one already."""

    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses

    def resource(self, url: str, kind: ResourceKind) -> str:
        return "data:,"

    def page(self, url: str) -> str:
        return ""

    def is_own(self, address: str) -> bool:
        return self._addresses.is_own(address)


def _rewrite(tree: Tree, url: str, addresses: Addresses, documents: int) -> bool:
    """Rewrite a tree; return whether that changed anything in it."""
    base = base_of(tree, url)
    changes = remove(tree, _NEVER_NEEDED)
    for node in elements_of(tree):
        tag = (node.tag or "").lower()
        if tag == "style":
            changes += _rewrite_style(node, base, addresses)
        changes += _rewrite_element(node, tag, base, addresses, documents)
    return bool(changes)


def _rewrite_style(node: Node, base: str, addresses: Addresses) -> bool:
    css = node.text()
    text = normalised(css)
    new = rewritten_style_sheet(css, base, addresses)
    if new != css:
        set_css(node, new)
    return any(not addresses.is_own(span.url) and span.url != "data:," for span in spans_of_css(text))


def _rewrite_element(node: Node, tag: str, base: str, addresses: Addresses, documents: int) -> bool:
    attributes = dict(node.attributes)
    new: dict[str, str | None] = {}
    for name in attributes:
        if name in _DANGEROUS or name.startswith("on"):
            new[name] = None
    referring = references_of(tag, attributes)
    for attribute in referring:
        value = _replaced(attribute.name, attribute.value, attribute.spans, base, addresses)
        new[attribute.name] = value
    referred = {attribute.name for attribute in referring}
    for name in _HREFS:
        if name in attributes and name not in referred:
            new[name] = _link(attributes[name] or "", base, addresses) or (_NOWHERE if tag in _LINKS else None)
    links = [new.get(name) for name in _HREFS if name not in referred]
    leads_away = tag != "link" and any(address and not address.startswith("#") for address in links)
    if leads_away or "target" in attributes:
        new["target"] = "_top" if leads_away else None
    if tag == "link" and not any(span.kind in _LINKED for each in referring for span in each.spans):
        new |= dict.fromkeys(name for name in ("href", "imagesrcset", "rel") if name in attributes)
    if "crossorigin" in attributes:
        new["crossorigin"] = "anonymous"
    if tag == "script":
        new |= dict.fromkeys(attributes)
    _promote_lazy(tag, attributes, new)
    if (inner := attributes.get("srcdoc")) is not None:
        new["srcdoc"] = _inner(inner, base, addresses, documents)
    changed = {
        name: value
        for name, value in new.items()
        if (name in attributes if value is None else value != attributes.get(name))
    }
    _keep_originals(node, tag, attributes, new)
    for name, value in changed.items():
        if value is None:
            del node.attrs[name]
        else:
            node.attrs[name] = value
    return bool(changed)


def _keep_originals(node: Node, tag: str, attributes: Attributes, new: dict[str, str | None]) -> None:
    """Keep the original values of attributes in other attributes, which rewritten style sheets test and show.

    This includes links inside the page, although their values do not change.
    """
    for name, kept in KEPT.items():
        original = attributes.get(name) or ""
        if name not in new or tag in _NOT_STYLED or not 0 < len(original) <= _MOST_KEPT:
            continue
        if new[name] != original or (original.startswith("#") and kept not in attributes):
            node.attrs[kept] = original


def _promote_lazy(tag: str, attributes: Attributes, new: dict[str, str | None]) -> None:
    """Make the page load immediately what its scripts would load only when it comes into view."""
    source = (attributes.get("src") or "").strip().lower()
    if tag in LAZY_ELEMENTS and (not source or source.startswith("data:")):
        for name, lazy in (("src", LAZY_URLS), ("srcset", LAZY_SRCSETS)):
            found = [address for each in lazy if (address := new.get(each))]
            if found and not attributes.get(name if name == "srcset" else ""):
                new[name] = found[0]


def _replaced(name: str, value: str, spans: Sequence[Span], base: str, addresses: Addresses) -> str | None:
    if name == "style":
        return with_replaced_urls(value, spans, lambda span: _address(span, base, addresses) or "data:,")
    parts, position = [], 0
    for span in spans:
        address = _address(span, base, addresses)
        parts += [value[position : span.start], "data:," if address is None else address]
        position = span.end
    return "".join([*parts, value[position:]])


def _address(span: Span, base: str, addresses: Addresses) -> str | None:
    if addresses.is_own(span.url):
        return span.url
    url, _, fragment = (join(span.url, base) or "").partition("#")
    if not url.startswith(WEB):
        return None
    return addresses.resource(url, span.kind) + (f"#{fragment}" if fragment else "")


def _link(href: str, base: str, addresses: Addresses) -> str | None:
    """Return the new address of a link; None for links that lead to no page."""
    if href.strip().startswith("#") or addresses.is_own(href):
        return href
    url, _, fragment = (join(href, base) or "").partition("#")
    if not url.startswith(WEB):
        return None
    address = addresses.page(url)
    return f"{address}#{fragment}" if address and fragment else address or None


def _inner(html: str, base: str, addresses: Addresses, documents: int) -> str:
    """Return the document in a srcdoc, rewritten; "" if it is nested too deeply."""
    if documents <= 0:
        return ""
    tree = tree_of(with_shadow_roots(html.encode("utf-8", "replace")))
    _rewrite(tree, base, addresses, documents // 4)
    return written(tree).decode("utf-8", "replace")
