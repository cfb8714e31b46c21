"""IndexNow: notices by which a site says which of its pages have changed (indexnow.org/documentation). Pure.

A notice names pages of one host and a key. The host proves that it has the key by a file KEY.txt at its root or, if the
notice says so, elsewhere; a key file in a folder is valid for that folder only. The receiver answers with a status:

  200 accepted         400 malformed               422 pages of another host, or pages that the key is not valid for
  202 accepted, but    403 the key is not the      429 too many
      key not checked      host's
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hinterland.crawler.urls.canonical import WEB, join
from hinterland.crawler.urls.hosts import authority_of, host_of, path_of

MOST_URLS: Final = 10_000
"""The most URLs in one notice, according to the protocol."""
_KEY: Final = re.compile(r"[A-Za-z0-9-]{8,128}")
_LONGEST_URL: Final = 2_048
MOST_KEY_BYTES: Final = 4_096
"""The most bytes that are read of a key file."""


class BadNotice(Exception):
    """Raised if a notice is refused. `status` is the HTTP status of the answer; the message says what is wrong."""

    def __init__(self, status: int, message: str) -> None:
        """Refuse a notice with an HTTP status and a message for its sender."""
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice. `host` is the scheme and authority of its pages; `location` is the URL of the key file."""

    host: str
    key: str
    location: str
    urls: Sequence[str]


def notice_of_query(query: Mapping[str, str]) -> Notice:
    """Return the notice in a GET with the parameters url, key and, optionally, keyLocation. Raises BadNotice."""
    if not query.get("url"):
        raise BadNotice(400, "url is missing; it names the page that has changed")
    return _notice(None, query.get("key"), query.get("keyLocation"), [query["url"]])


def notice_of_json(body: bytes) -> Notice:
    """Return the notice in the body of a POST: {"host", "key", "keyLocation", "urlList"}. Raises BadNotice."""
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise BadNotice(400, "the body is not JSON") from None
    if not isinstance(given, dict):
        raise BadNotice(400, "the body is not a JSON object")
    host, urls = given.get("host"), given.get("urlList")
    if not isinstance(host, str) or not host:
        raise BadNotice(400, "host is missing; it names the host whose pages have changed")
    if not isinstance(urls, list) or not urls or not all(isinstance(url, str) for url in urls):
        raise BadNotice(400, "urlList is missing; it lists the pages that have changed")
    return _notice(host, given.get("key"), given.get("keyLocation"), urls)


def is_in_key_file(key: str, body: bytes) -> bool:
    """Return whether the body of a key file proves that its host has the key."""
    text = body[:MOST_KEY_BYTES].decode("utf-8-sig", "replace")
    return key in (line.strip() for line in text.splitlines())


def _notice(host: str | None, key: object, location: object, given: Sequence[str]) -> Notice:
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise BadNotice(422 if key else 400, "key has to be 8 to 128 characters from a-z, A-Z, 0-9 and -")
    if len(given) > MOST_URLS:
        raise BadNotice(400, f"there are {len(given):,} URLs, more than {MOST_URLS:,}")
    urls = [_url(each) for each in given]
    of_host = host_of(urls[0])
    if host is not None and host.lower().rstrip("/") != authority_of(urls[0]):
        raise BadNotice(422, f"{urls[0]} is not a page of {host}")
    if location is not None and not isinstance(location, str):
        raise BadNotice(400, "keyLocation is not a URL")
    at = _url(location) if location else f"{of_host}/{key}.txt"
    if authority_of(at) != authority_of(urls[0]):
        raise BadNotice(422, f"the key file {at} is not on the host of the pages, {of_host}")
    folder = path_of(at).partition("?")[0].rpartition("/")[0] + "/"
    for url in urls:
        if host_of(url) != of_host:
            raise BadNotice(422, f"{url} is not a page of {of_host}")
        if not path_of(url).startswith(folder):
            raise BadNotice(422, f"a key file at {at} is not valid for {url}")
    return Notice(of_host, key, at, list(dict.fromkeys(urls)))


def _url(text: str) -> str:
    """Return a URL as the WHATWG parser writes it, without a fragment. Raises BadNotice."""
    url = join(text) if len(text) <= _LONGEST_URL else None
    if url is None or not url.startswith(WEB) or "@" in authority_of(url):
        raise BadNotice(
            400, f"{text[:200]!r} is not the URL of a web page, or has more than {_LONGEST_URL:,} characters"
        )
    return url.partition("#")[0]
