"""Pages as MCP resources: each has a URI that names a store and a page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote

from hinterland.storage.no_store import NoStore
from hinterland.web.assistants.asked_stores import AskedStores
from hinterland.web.assistants.quoting import one_line

_BEGINNING: Final = "hinterland://page/"
TEMPLATE: Final = f"{_BEGINNING}{{store}}/{{url}}"
"""The URI template (RFC 6570) of all pages; both names are percent-encoded."""
_STARTS: Final = 20
_LONGEST_NAME: Final = 200


class NoResource(Exception):
    """A URI that names no page was requested."""


@dataclass(frozen=True, slots=True)
class ListedPage:
    """A page in the list of MCP resources."""

    uri: str
    name: str


def uri_of(store: str, url: str) -> str:
    """Return the URI of a page's resource."""
    return f"{_BEGINNING}{quote(store, safe='')}/{quote(url, safe='')}"


def page_named(uri: str) -> tuple[str, str]:
    """Return the store and the URL that a URI names. Raises NoResource."""
    store, slash, url = uri.removeprefix(_BEGINNING).partition("/")
    if not uri.startswith(_BEGINNING) or not slash or not store or not url:
        raise NoResource(f"this server has pages only; write {TEMPLATE}, with both parts percent-encoded")
    return unquote(store), unquote(url)


def start_pages(stores: AskedStores) -> Iterator[ListedPage]:
    """Yield the start pages of all crawls, as resources from which users can begin."""
    for home in stores.chosen(""):
        try:
            with home.reading() as store:
                starts = store.pages.first_seeds(_STARTS)
        except NoStore:
            continue  # the tools say what is wrong with it
        for url in starts:
            yield ListedPage(uri_of(home.name, url), one_line(f"{url} ({home.name})", _LONGEST_NAME))
