"""How pages are requested, and what is taken of the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings import texts
from hinterland.crawler.settings.rules import Complaint, SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchingSettings(SettingsSection):
    """How a page is fetched, and when a fetch is given up."""

    name_in_file: ClassVar[str] = "fetching"

    max_in_flight: int = setting(
        2_000,
        "visits",
        "The most visits under way at a time, from the request until what it brought is in the store; a kill makes the"
        " crawl fetch no more than these again. How many requests are open at once follows from need: it begins with 32"
        " and grows while hosts are ready, this machine keeps up and the link does not queue.",
        minimum=1,
        maximum=10_000,
    )
    connect_timeout_seconds: float = setting(
        10.0,
        "seconds",
        "For the lookup of a name, and then for a TCP connection. A host that needs longer is down. Where 1 in 100"
        " connections takes over a third of this, the network here is slow: then up to three times as long.",
        minimum=0.1,
        maximum=3600,
    )
    tls_timeout_seconds: float = setting(
        10.0,
        "seconds",
        "For the TLS handshake, once there is a connection; on slow networks up to three times as long, as above.",
        minimum=0.1,
        maximum=3600,
    )
    first_byte_timeout_seconds: float = setting(
        20.0,
        "seconds",
        "From the request to the first byte of the answer; on slow networks up to three times as long. Some honest"
        " servers think for ten seconds.",
        minimum=0.1,
        maximum=3600,
    )
    body_timeout_seconds: float = setting(
        120.0,
        "seconds",
        "For the whole body, however steadily it comes; on slow networks up to three times as long. A body slower than"
        " 500 bytes per second is given up after 10 seconds, or three quarters of this: it would hold a connection for"
        " its trickle.",
        minimum=0.1,
        maximum=86_400,
    )
    max_body_bytes: int = setting(
        10_485_760,
        "bytes, decompressed",
        "A larger page is given up. Most have less than 100 KB; 10 MB of gzip can unpack to 10 GB.",
        minimum=1024,
        maximum=1_073_741_824,
    )
    max_redirects: int = setting(
        10,
        "redirects",
        "The longest chain followed; every hop obeys scope, robots.txt and politeness. Browsers stop at 20.",
        minimum=0,
        maximum=100,
    )
    max_attempts: int = setting(
        3,
        "fetches of a page",
        "A page that fails in a way that may pass is tried this often in all.",
        minimum=1,
        maximum=100,
    )
    content_types: tuple[str, ...] = setting(
        ("text/html", "application/xhtml+xml"),
        "content types",
        "Other bodies are not downloaded: they hold no links we can read.",
        check=texts.check_content_type,
    )
    documents: tuple[str, ...] = setting(
        (),
        "pdf, text, markdown, office",
        "Further documents to read, with their text and links: PDF (needs `setup documents`), plain text,"
        " Markdown, and texts and presentations of office programs. Empty: they are noted, but not downloaded.",
        check=texts.check_document,
    )
    accept_language: str = setting(
        "*",
        "Accept-Language",
        'Which translation to prefer, such as "de, en;q=0.5". "*" takes each site in its own language; empty'
        " sends no such header.",
        check=texts.check_header_value,
    )
    headers: Mapping[str, str] = setting(
        {},
        "name = value",
        'Further headers of every request, such as { "X-Study" = "link survey" }. Every host sees them.',
        check=texts.check_header,
        is_secret=True,
    )
    cookies: bool = setting(
        False,
        "",
        "Off: cookies make what a page says depend on the pages fetched before.",
    )
    proxy: str = setting(
        "",
        "http:// URL",
        "Send every request through this proxy. It looks up and dials the hosts, so guarding private networks"
        " is then its task.",
        check=texts.check_proxy,
        is_secret=True,
    )
    verify_tls: bool = setting(
        True,
        "",
        "On: a page whose sender is unproven is not that site's page.",
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
        "Private, loopback and link-local addresses are refused, or any page could lead the crawler into your"
        ' own network. Name here the ones you mean, such as "127.0.0.0/8".',
        check=texts.check_network,
    )
    addresses: Mapping[str, str] = setting(
        {},
        "name = IP address",
        'Names that are not looked up, as in a hosts file: { "docs.example:8080" = "127.0.0.1" }.',
        check=texts.check_address,
    )
    lookups: str = setting(
        "dns",
        "",
        "How names are looked up. dns: by questions to the system's name servers, hundreds at a time, after its hosts"
        " file. system: by the system's own getaddrinfo, in threads; for names that only it knows (mDNS, LDAP).",
        choices=("dns", "system"),
    )

    def _check_together(self) -> None:
        if not self.content_types:
            raise Complaint('content_types = []: expected at least one; the default begins with "text/html"')
