"""Answers as they go over the wire: content, troubles, conditions. Pure, but for what the hostile web does itself."""

from __future__ import annotations

import gzip
import hashlib
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

import brotli

from benchmarks.crawl_fuzzer.markup import link_fields, markup
from benchmarks.crawl_fuzzer.odd_answers import handler_of, space_of
from benchmarks.crawl_fuzzer.site import (
    PORT,
    Content,
    File,
    Gate,
    Listing,
    Odd,
    Page,
    Redirect,
    Refusal,
    RobotsText,
    Site,
    SiteHost,
)
from benchmarks.hostile.behaviour import Handler, http, raw, reset, said, stall

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PATIENCE: Final[Mapping[str, int]] = {
    "500": 2, "502": 2, "503": 2, "504": 2, "429": 4, "reset": 2, "silent": 2, "truncated": 1, "corrupt": 1,
    "nonsense": 1, "half-head": 2,
}  # fmt: skip
"""After how many such answers the crawl still asks again."""
_LAST_MODIFIED: Final = "Last-Modified: Tue, 0{} Sep 2026 10:00:00 GMT"
_NOT_HTTP: Final = b"SSH-2.0-OpenSSH_9.6\r\n"
_CUT: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9000\r\n\r\n<p>cut"
_CORRUPT: Final = http(b"\x1f\x8b\x08" + b"\0" * 7 + b"\xff" * 40, fields=["Content-Encoding: gzip"])
_TROUBLES: Final[Mapping[str, Handler]] = {
    "500": said("oops", "500 Internal Server Error"),
    "502": said("oops", "502 Bad Gateway"),
    "503": said("oops", "503 Service Unavailable"),
    "504": said("oops", "504 Gateway Timeout"),
    "429": said("slower", "429 Too Many Requests", ["Retry-After: 0"]),
    "reset": reset(),
    "silent": stall(),
    "truncated": raw(_CUT, close=True),
    "corrupt": raw(_CORRUPT),
    "nonsense": raw(_NOT_HTTP, close=True),
    "half-head": raw(b"HTTP/1.1 200 OK\r\nContent-Ty", close=True),
}


def answer(site: Site, host: SiteHost, target: str, headers: Mapping[str, str], *, visit: int, times: int) -> Handler:
    """Return how a host answers a request.

    `times` counts the requests for the path during this visit, including this one.
    """
    if visit in host.down:
        return reset()
    if target == "/robots.txt":
        return _robots(host.robots, times)
    if target == "/moved-robots.txt" and host.robots.moved:
        return _robots_text(host.robots)
    resource = site.resources.get(_url(host, target))
    if resource is None:
        space = space_of(host.space) if host.space else None
        return space or _NOT_FOUND
    version = resource.at(visit)
    if version.trouble is not None and (version.trouble.times < 0 or times <= version.trouble.times):
        return _TROUBLES[version.trouble.kind]
    return _content(version.content, headers, target)


def _url(host: SiteHost, target: str) -> str:
    return f"http://{host.name}:{PORT}{target}"


_NOT_FOUND: Final = said("<title>Not found</title><p>There is no such page.", "404 Not Found")


def _robots(robots: RobotsText, times: int) -> Handler:
    if robots.odd is not None:
        return handler_of(robots.odd) or _NOT_FOUND
    if times <= robots.failures:
        return _TROUBLES["500"]
    if robots.moved:
        return said("moved", "301 Moved Permanently", ["Location: /moved-robots.txt"])
    return _robots_text(robots)


def _robots_text(robots: RobotsText) -> Handler:
    if robots.text is None:
        return _NOT_FOUND
    return said(robots.text, content_type="text/plain")


def _content(content: Content, headers: Mapping[str, str], target: str) -> Handler:
    match content:
        case Page():
            return _page(content, headers)
        case Redirect(status, location, _):
            return said("moved", f"{status} Moved", [b"Location: " + location.encode("utf-8")])
        case Refusal(status):
            return said(f"<title>{status}</title><p>No.", f"{status} No")
        case File(content_type, body):
            return said(body, content_type=content_type)
        case Listing(content_type, text, codings):
            return said(_coded(text.encode(), codings), fields=_coding_fields(codings), content_type=content_type)
        case Gate(page):
            if "seen=1" in headers.get("cookie", ""):
                return _page(page, headers)
            to_itself = f"/.{target}" if target.startswith("//") else target  # else the first part would be a host
            return said("", "302 Found", [f"Location: {to_itself}", "Set-Cookie: seen=1; Path=/"])
        case Odd():
            return handler_of(content) or _NOT_FOUND


def _page(page: Page, headers: Mapping[str, str]) -> Handler:
    body = _encoded(page)
    fields: list[bytes | str] = [*page.odd_fields, *link_fields(page)]
    if page.directives_field:
        fields.append(f"X-Robots-Tag: {page.directives_field}")
    if (validator := _validator(page, body)) is not None:
        name, value, condition = validator
        if value.removeprefix("W/") in headers.get(condition, "").replace("W/", ""):
            return raw(http(b"", "304 Not Modified", [f"{name}: {value}"], content_type=None).replace(_NO_LENGTH, b""))
        fields.append(f"{name}: {value}")
    body = _coded(body, page.codings)
    fields += _coding_fields(page.codings)
    if page.framing == "length":
        return said(body, fields=fields, content_type=page.content_type)
    head = http(b"", fields=fields, content_type=page.content_type).replace(_NO_LENGTH, b"")
    if page.framing == "chunked":
        return raw(head.replace(b"\r\n\r\n", b"\r\nTransfer-Encoding: chunked\r\n\r\n") + _chunks(body))
    return raw(head.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n") + body, close=True)


_NO_LENGTH: Final = b"\r\nContent-Length: 0"


def _encoded(page: Page) -> bytes:
    text = markup(page)
    if page.charset.startswith("utf-16"):
        return text.encode(page.charset)
    return text.encode(page.charset, "xmlcharrefreplace")


def _validator(page: Page, body: bytes) -> tuple[str, str, str] | None:
    tag = hashlib.sha256(body).hexdigest()[:10]
    match page.validator:
        case "etag":
            return "ETag", f'"{tag}"', "if-none-match"
        case "weak":
            return "ETag", f'W/"{tag}"', "if-none-match"
        case "bare":
            return "ETag", tag, "if-none-match"
        case "modified":
            return "Last-Modified", _LAST_MODIFIED.format(1 + int(tag, 16) % 9), "if-modified-since"
        case "star":
            return "ETag", "*", "never"
    return None


def _chunks(body: bytes) -> bytes:
    size = max(1, len(body) // 3)
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%X;x=y\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def _coding_fields(codings: Sequence[str]) -> list[bytes | str]:
    """One line for all; "+" before a coding gives it a line of its own."""
    lines: list[str] = []
    for coding in codings:
        if coding.startswith("+") or not lines:
            lines.append(coding.removeprefix("+"))
        else:
            lines[-1] += f", {coding}"
    return [f"Content-Encoding: {line}" for line in lines]


def _coded(body: bytes, codings: Sequence[str]) -> bytes:
    for coding in codings:
        body = _CODERS.get(coding.removeprefix("+").lower(), bytes)(body)
    return body


_CODERS: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "gzip": partial(gzip.compress, mtime=0),
    "x-gzip": partial(gzip.compress, mtime=0),
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}
"""All others leave the body as it is: identity, and what is no coding."""
