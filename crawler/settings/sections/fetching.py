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
        "Maximum number of visits in progress, each from its request until its results are in the store. After a"
        " kill, the crawl repeats at most this many fetches. The number of open requests follows demand: it starts at"
        " 8 and grows while hosts are ready, this machine keeps up and no queue builds up in the link.",
        minimum=1,
        maximum=10_000,
    )
    connect_timeout_seconds: float = setting(
        10.0,
        "seconds",
        "Time limit for the lookup of a name, and again for a TCP connection. A host that needs longer counts as"
        " down. If 1 in 100 connections takes more than a third of this, the network here is slow, and the limit for"
        " connections rises to up to three times this.",
        minimum=0.1,
        maximum=3600,
    )
    tls_timeout_seconds: float = setting(
        10.0,
        "seconds",
        "Time limit for the TLS handshake, once the connection is open; on a slow network up to three times this, as"
        " above.",
        minimum=0.1,
        maximum=3600,
    )
    first_byte_timeout_seconds: float = setting(
        20.0,
        "seconds",
        "Time limit from the request to the first byte of the response; on a slow network up to three times this."
        " Some well-behaved servers take ten seconds.",
        minimum=0.1,
        maximum=3600,
    )
    body_timeout_seconds: float = setting(
        120.0,
        "seconds",
        "Time limit for the whole body, however steadily it arrives; on a slow network up to three times this. A body"
        " slower than 500 bytes per second is given up after 10 seconds, or three quarters of this limit if that is"
        " less: it would keep a connection busy for a trickle.",
        minimum=0.1,
        maximum=86_400,
    )
    max_body_bytes: int = setting(
        10_485_760,
        "bytes, decompressed",
        "A larger page is given up. Most pages are smaller than 100 KB; 10 MB of gzip can unpack to 10 GB.",
        minimum=1024,
        maximum=1_073_741_824,
    )
    max_redirects: int = setting(
        10,
        "redirects",
        "The longest chain of redirects to follow; every hop obeys scope, robots.txt and politeness. Browsers stop at"
        " 20.",
        minimum=0,
        maximum=100,
    )
    max_attempts: int = setting(
        3,
        "fetches of a page",
        "How often to fetch a page, the first time included, while it fails in a way that may pass.",
        minimum=1,
        maximum=100,
    )
    content_types: tuple[str, ...] = setting(
        ("text/html", "application/xhtml+xml"),
        "content types",
        "Only bodies of these types are downloaded; others hold no links that the crawler can read.",
        check=texts.check_content_type,
    )
    documents: tuple[str, ...] = setting(
        (),
        "pdf, text, markdown, office",
        "Other kinds of documents to read, with their text and links: PDF (needs `setup documents`), plain text,"
        " Markdown, and the texts and presentations of office programs. If empty, they are recorded but not"
        " downloaded.",
        check=texts.check_document,
    )
    accept_language: str = setting(
        "*",
        "Accept-Language",
        'Preferred languages of pages, such as "de, en;q=0.5". "*" takes each site in its own language; an empty text'
        " sends no such header.",
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
        "Whether to keep cookies. Off, since cookies make the content of a page depend on the pages fetched before it.",
    )
    proxy: str = setting(
        "",
        "http:// URL",
        "Send every request through this proxy. The proxy looks up the hosts and connects to them, so it must also"
        " protect private networks.",
        check=texts.check_proxy,
        is_secret=True,
    )
    verify_tls: bool = setting(
        True,
        "",
        "Whether to check certificates. On, since a page whose sender is not proven may come from anybody.",
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
        "Private, loopback and link-local addresses are refused; otherwise any page could lead the crawler into your"
        ' own network. List the networks that you want to allow, such as "127.0.0.0/8".',
        check=texts.check_network,
    )
    addresses: Mapping[str, str] = setting(
        {},
        "name = IP address",
        'Addresses of names that are not looked up, as in a hosts file: { "docs.example:8080" = "127.0.0.1" }.',
        check=texts.check_address,
    )
    lookups: str = setting(
        "dns",
        "",
        "How names are looked up. dns: by queries to the system's name servers, hundreds at a time, after its hosts"
        " file. system: by the system's own getaddrinfo, in threads, for names that only the system knows (mDNS,"
        " LDAP).",
        choices=("dns", "system"),
    )

    def _check_together(self) -> None:
        if not self.content_types:
            raise Complaint('content_types = []: expected at least one; the default begins with "text/html"')
