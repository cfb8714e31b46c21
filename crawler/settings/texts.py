"""Checks of settings that are texts. Each check raises Complaint, which says what to write instead."""

from __future__ import annotations

import ipaddress
import re

from hinterland.crawler.settings.rules import Complaint, toml


def check_product_name(text: str) -> None:
    """Check that a robots.txt can address this product name (RFC 9309 section 2.2.1)."""
    if not re.fullmatch(r"[A-Za-z_-]+", text):
        raise Complaint('robots.txt can only address a name of letters, "_" and "-" (RFC 9309 section 2.2.1)')


def check_contact(text: str) -> None:
    """Check that a contact is an http(s) URL or a mailto: address that fits in a User-Agent comment."""
    is_web = re.fullmatch(r"https?://[^/]+.*", text, re.IGNORECASE)
    is_mail = re.fullmatch(r"mailto:[^@]+@[^@]+", text, re.IGNORECASE)
    if not (is_web or is_mail) or not re.fullmatch(r"[!-'*-~]+", text):
        raise Complaint(
            'write a page such as "https://you.example/crawler" or an address such as "mailto:you@example.org"'
        )


def check_host(text: str) -> None:
    """Check that a text is a host name, perhaps with scheme and port."""
    if not re.fullmatch(r"(https?://)?[^/?#\\@\s]+/?", text, re.IGNORECASE):
        raise Complaint(f'"{text}" is not a host; write one as "docs.example.org" or "docs.example.org:8443"')


def check_pattern(text: str) -> None:
    """Check that a regular expression compiles."""
    try:
        re.compile(text)
    except re.error as error:
        raise Complaint(f"the regular expression {toml(text)} does not compile: {error}") from None


def check_parameter(text: str) -> None:
    """Check that a text is the name of a query parameter, perhaps with one "*" at its end."""
    if not re.fullmatch(r"[^*&=#\s]+\*?", text):
        raise Complaint(f'"{text}" is not the name of a query parameter; it may end in one "*"')


def check_content_type(text: str) -> None:
    """Check that a text is a media type in lower case, without parameters."""
    if not re.fullmatch(r"[a-z0-9.+-]+/[a-z0-9.+-]+", text):
        raise Complaint(f'"{text}" is not a content type in lower case, such as "text/html"')


DOCUMENTS = ("pdf", "text", "markdown", "office")
"""The kinds of documents that fetching.documents may name."""


def check_document(text: str) -> None:
    """Check that a text is one of DOCUMENTS."""
    if text not in DOCUMENTS:
        raise Complaint(f'"{text}" is not one of {", ".join(DOCUMENTS)}')


def check_header_value(text: str) -> None:
    """Check that a text fits in a header field: one line of Latin-1."""
    if not re.fullmatch(r"[\t -~\x80-\xff]*", text):
        raise Complaint("a header value must be one line of Latin-1 text")


def check_header_name(text: str) -> None:
    """Check that a text names a response header that may be kept; Set-Cookie may not."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", text):
        raise Complaint(f'"{text}" is not the name of a response header, such as "Cache-Control"')
    if text.lower() == "set-cookie":
        raise Complaint("Set-Cookie cannot be kept, since its cookies would be given away with the store; leave it out")


_HEADERS_SET_ELSEWHERE = {
    "user-agent": "it is made of identity.name and identity.contact",
    "accept": "it is made of fetching.content_types",
    "accept-language": "set fetching.accept_language instead",
    "accept-encoding": "the crawler names what it can decode",
    "host": "it comes from the URL; see fetching.addresses to direct a name elsewhere",
    "connection": "the crawler manages its connections",
    "content-length": "the crawler sends no bodies",
    "transfer-encoding": "the crawler sends no bodies",
}


def check_header(name: str, text: str) -> None:
    """Check the name and value of a request header; headers that the crawler sets itself are refused."""
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
        raise Complaint(f'"{name}" cannot be the name of a header')
    if reason := _HEADERS_SET_ELSEWHERE.get(name.lower()):
        raise Complaint(f'"{name}" cannot be set here: {reason}')
    check_header_value(text)


def check_proxy(text: str) -> None:
    """Check that a text is the URL of an HTTP or SOCKS5 proxy, without a path."""
    if not re.fullmatch(r"(http|socks5h?)://([^/?#@\s]*@)?[^/?#@\s:\[\]]+(:\d{1,5})?/?", text, re.IGNORECASE):
        raise Complaint('write the proxy as "http://proxy.example:3128" or "socks5://127.0.0.1:9050"')


def check_path(text: str) -> None:
    """Check that a text is a path and not a URL."""
    if "\0" in text or "://" in text:
        raise Complaint("this is not the path of a file; write a path, not a URL")


def check_network(text: str) -> None:
    """Check that a text is an IP network in CIDR notation, without bits beyond its prefix."""
    try:
        ipaddress.ip_network(text)
    except ValueError:
        try:
            instead = f'write "{ipaddress.ip_network(text, strict=False)}" for all of it'
        except ValueError:
            instead = 'write one as "127.0.0.0/8" or "::1"'
        raise Complaint(f'"{text}" is not a network; {instead}') from None


def check_address(name: str, text: str) -> None:
    """Check an entry of fetching.addresses: a host name, perhaps with a port, and the IP address to use for it."""
    match = re.fullmatch(r"([^\s:/?#@\[\]]+)(?::(\d{1,5}))?", name)
    if not match or (match[2] and not 0 < int(match[2]) < 65536):
        raise Complaint(f'"{name}" is not a name such as "docs.example" or "docs.example:8080"')
    try:
        ipaddress.ip_address(text)
    except ValueError:
        raise Complaint(f'"{text}" is not an IP address for "{name}"') from None
