"""How pages are requested, and what is kept of the responses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings import texts
from hinterland.crawler.settings.rules import Complaint, SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchingSettings(SettingsSection):
    """How pages are fetched, and when a fetch is given up."""

    name_in_file: ClassVar[str] = "fetching"

    max_in_flight: int = setting(
        2_000,
        "visits",
        "Maximum number of visits in progress. A visit is in progress from its request until its results are in the "
        "store. After a kill, the crawl repeats at most this many fetches. The number of open requests follows "
        "demand: it starts at 8, and grows while hosts are ready, this machine keeps up and no queue builds up in the "
        "network connection.",
        minimum=1,
        maximum=10_000,
    )
    connect_timeout_seconds: float = setting(
        10.0,
        "seconds",
        "Time limit for a DNS lookup, and also for opening a TCP connection. A host that needs longer counts as down. "
        "If 1 in 100 connections takes more than a third of this limit, the local network is taken to be slow, and "
        "the limit for connections rises, at most to three times this value.",
        minimum=0.1,
        maximum=3600,
    )
    tls_timeout_seconds: float = setting(
        10.0,
        "seconds",
        "Time limit for the TLS handshake, once the connection is open. On a slow network it rises, at most to three "
        "times this value, as explained at connect_timeout_seconds.",
        minimum=0.1,
        maximum=3600,
    )
    first_byte_timeout_seconds: float = setting(
        20.0,
        "seconds",
        "Time limit from the request to the first byte of the response. On a slow network it rises, at most to three "
        "times this value. Some well-behaved servers take ten seconds.",
        minimum=0.1,
        maximum=3600,
    )
    body_timeout_seconds: float = setting(
        120.0,
        "seconds",
        "Time limit for the whole body, however steadily it arrives. On a slow network it rises, at most to three "
        "times this value. A body slower than 500 bytes per second is given up earlier, after 10 seconds or three "
        "quarters of this limit, whichever is less: it would keep a connection busy for little data.",
        minimum=0.1,
        maximum=86_400,
    )
    max_body_bytes: int = setting(
        10_485_760,
        "bytes, decompressed",
        "Maximum size of a page; a larger one is given up. Most pages are smaller than 100 KB. The limit also holds "
        "for the unpacked page, since 10 MB of gzip can unpack to 10 GB.",
        minimum=1024,
        maximum=1_073_741_824,
    )
    max_redirects: int = setting(
        10,
        "redirects",
        "Maximum length of a chain of redirects; every hop obeys scope, robots.txt and politeness. Browsers stop at "
        "20.",
        minimum=0,
        maximum=100,
    )
    max_attempts: int = setting(
        3,
        "fetches of a page",
        "Maximum number of attempts to fetch a page, including the first. Only failures that may be temporary are "
        "retried.",
        minimum=1,
        maximum=100,
    )
    content_types: tuple[str, ...] = setting(
        ("text/html", "application/xhtml+xml"),
        "content types",
        "Content types of the pages to download. Other types hold no links that the crawler can read.",
        check=texts.check_content_type,
    )
    documents: tuple[str, ...] = setting(
        (),
        "pdf, text, markdown, office",
        "Other kinds of documents whose text and links are read: PDF (needs `setup documents`), plain text, Markdown, "
        "and office documents (word processing and presentations). Kinds that are not listed are recorded but not "
        "downloaded.",
        check=texts.check_document,
    )
    accept_markdown: bool = setting(
        False,
        "",
        "Whether to ask for Markdown from sites that offer it in addition to HTML (Accept: text/markdown). "
        '`documents` must then include "markdown".',
    )
    accept_language: str = setting(
        "*",
        "Accept-Language",
        'Preferred languages of pages, sent as Accept-Language, such as "de, en;q=0.5". With "*", each site chooses '
        "the language; an empty string sends no such header.",
        check=texts.check_header_value,
    )
    headers: Mapping[str, str] = setting(
        {},
        "name = value",
        'Extra headers to send with every request, such as { "X-Study" = "link survey" }. Every host sees them.',
        check=texts.check_header,
        is_secret=True,
    )
    cookies: bool = setting(
        False,
        "",
        "Whether to keep cookies. Off, because with cookies the content of a page depends on the pages fetched before "
        "it.",
    )
    proxy: str = setting(
        "",
        "http://, socks5:// or socks5h:// URL",
        "Proxy through which every request is sent. With http:// and socks5h://, the proxy looks up the names of "
        "hosts, so the proxy must also block requests to private networks. With socks5://, the crawler looks up names "
        "and checks addresses itself. For single hosts, see [[proxies]].",
        check=texts.check_proxy,
        is_secret=True,
    )
    verify_tls: bool = setting(
        True,
        "",
        "Whether to check TLS certificates. On, because without the check, anybody on the network path could send a "
        "forged page.",
    )
    ca_file: str = setting(
        "",
        "path of a PEM file",
        "Certificate authorities to trust instead of the system's, for example a company's own.",
        check=texts.check_path,
    )
    allow_networks: tuple[str, ...] = setting(
        (),
        "CIDR networks",
        'Networks to allow although their addresses are private, loopback or link-local, such as "127.0.0.0/8". By '
        "default, requests to such addresses are refused; otherwise any page could lead the crawler into your own "
        "network.",
        check=texts.check_network,
    )
    addresses: Mapping[str, str] = setting(
        {},
        "name = IP address",
        'Fixed addresses of names, which replace a lookup, as in a hosts file: { "docs.example:8080" = "127.0.0.1" }.',
        check=texts.check_address,
    )
    lookups: str = setting(
        "dns",
        "",
        "How names are looked up. dns: in the system's hosts file, then by queries to the system's name servers, "
        "hundreds at a time. system: by the system's function getaddrinfo, in threads; this also finds names that "
        "only the system knows (mDNS, LDAP).",
        choices=("dns", "system"),
    )

    def _check_together(self) -> None:
        if not self.content_types:
            raise Complaint('content_types = []: expected at least one; the default begins with "text/html"')
        if self.accept_markdown and "markdown" not in self.documents:
            raise Complaint('accept_markdown = true: Markdown would not be read; add "markdown" to documents')
