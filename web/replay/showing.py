"""Turns archived answers into responses that are safe to show; only pages and style sheets are rewritten."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hinterland.crawler.fetching.decoding import ContentDecodingError, ContentTruncated, decode_content
from hinterland.crawler.fetching.gates.recognition import gate_in_fields, gate_in_page
from hinterland.crawler.parsing.charset.encoding import decode, sniff_encoding
from hinterland.crawler.parsing.html.html_source import HtmlSource
from hinterland.crawler.parsing.resources.page_tree import refresh_of, tree_of
from hinterland.crawler.parsing.resources.references import ResourceKind
from hinterland.crawler.parsing.resources.rewriting import Unshowable, rewritten_page, rewritten_style_sheet
from hinterland.library.importing.unpacked_bodies import coding_of
from hinterland.storage.warc.capture_index import ArchivedAnswer
from hinterland.web.replay.media_types import media_type_of

MAX_BYTES: Final = 50_000_000
_HTML: Final = frozenset({"text/html", "application/xhtml+xml"})
_SHOWN: Final = re.compile(
    r"(?:image|audio|video|font)/[\w.+-]+|application/(?:font-|vnd\.ms-fontobject|x-font)[\w.+-]*"
)
_OWN: Final = re.compile(r"/\d{14}(?:mp_)?/https?:/")
_HEAD_BYTES: Final = 16_384
_SOON: Final = 10
"""A page that moves on within this many seconds cannot have been read by then."""
_PARTS: Final = frozenset({"document", "iframe", "frame", "object", "embed"})


@dataclass(frozen=True, slots=True)
class ReplayAddresses:
    """Addresses on the origin of the replay: /MOMENTmp_/URL for what a page loads, /MOMENT/URL for where it links."""

    moment: str

    def resource(self, url: str, kind: ResourceKind) -> str:
        """Return the address of a resource."""
        return f"/{self.moment}mp_/{url}"

    def page(self, url: str) -> str:
        """Return the address of a page."""
        return f"/{self.moment}/{url}"

    def is_own(self, address: str) -> bool:
        """Return whether an address is on the origin of the replay."""
        return _OWN.match(address) is not None


@dataclass(frozen=True, slots=True)
class Shown:
    """A response: its media type with charset, and its body.

    `is_download` means that a browser should save it instead of showing it. `moves_to` is the URL to which a page soon
    redirects by itself (meta refresh); "" if it does not.
    """

    content_type: str
    body: bytes
    is_download: bool = False
    moves_to: str = ""


class NotShown(Exception):
    """An archived answer cannot be shown; the message says why."""


def _next_page(html: bytes, url: str) -> str:
    """Return the URL to which a page soon redirects by meta refresh; "" if it does not.

    In a sandbox, browsers do not follow such a redirect.
    """
    if b"refresh" not in html[:_HEAD_BYTES].lower():
        return ""
    found = refresh_of(tree_of(html[:_HEAD_BYTES]), url)
    return found[1] if found is not None and found[0] <= _SOON else ""


def marks_of(answer: ArchivedAnswer) -> list[str]:
    """Return sentences that warn about an answer: an error, the page of a bot filter or wall, or only a part."""
    marks = []
    try:
        body, is_whole = _decoded(answer)
    except ContentDecodingError:
        body, is_whole = b"", answer.is_whole
    gate = gate_in_fields(answer.status, answer.fields)
    if gate is None and media_type_of(answer.content_type, body) in _HTML:
        gate = gate_in_page(answer.status, body)
    if gate is not None:
        marks.append(f"This is {gate.kind} {gate.owner}, not the page.")
    elif answer.status >= 400:
        marks.append(f"The server answered {answer.status}: this is not the content of a page.")
    if not is_whole:
        marks.append("Only a part of it was archived.")
    return marks


def _decoded(answer: ArchivedAnswer) -> tuple[bytes, bool]:
    """Return the decoded body, and whether it is whole. Of a body that breaks off, the part before that is returned.

    Raises ContentDecodingError.
    """
    try:
        body = decode_content(answer.body, coding_of(answer.body, answer.content_encoding), MAX_BYTES)
    except ContentTruncated as error:
        if not error.part:
            raise
        return error.part, False
    return body, answer.is_whole


def shown(answer: ArchivedAnswer, url: str, moment: str, destination: str) -> Shown:
    """Return what a browser may show of an archived answer.

    `destination` is the use that the browser announces (Sec-Fetch-Dest). Raises NotShown.
    """
    try:
        body, _ = _decoded(answer)
    except ContentDecodingError as error:
        raise NotShown(f"its body cannot be decoded ({error})") from None
    kind, addresses = media_type_of(answer.content_type, body, destination), ReplayAddresses(moment)
    if kind in _HTML:
        try:
            html = HtmlSource(body, answer.content_type or "text/html").html
            return Shown(
                "text/html; charset=utf-8", rewritten_page(html, url, addresses), moves_to=_next_page(html, url)
            )
        except Unshowable:
            raise NotShown("it is made so that filters and browsers read it differently") from None
    if kind == "text/css" or destination == "style":
        css = decode(body, sniff_encoding(body, answer.content_type).name)
        return Shown("text/css; charset=utf-8", rewritten_style_sheet(css, url, addresses).encode("utf-8", "replace"))
    if kind == "image/svg+xml" and destination in _PARTS:  # as a document it could have links
        picture = f'<!doctype html><title>Picture</title><img src="{addresses.resource(url, ResourceKind.IMAGE)}">'
        return Shown("text/html; charset=utf-8", picture.encode())
    if _SHOWN.fullmatch(kind):
        return Shown(kind, body)
    if kind.startswith("text/") or kind in ("application/json", "application/javascript", "application/xml"):
        charset = sniff_encoding(body, answer.content_type).name
        return Shown("text/plain; charset=utf-8", decode(body, charset).encode("utf-8", "replace"))
    return Shown("application/octet-stream", body, is_download=destination in _PARTS)
