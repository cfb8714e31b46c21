"""Which hosts are reached through a proxy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from hinterland.crawler.fetching.access.host_patterns import check_host_pattern
from hinterland.crawler.fetching.access.proxy_urls import proxy_of
from hinterland.crawler.fetching.access.secret_names import check_source
from hinterland.crawler.settings.rules import Complaint, EntriesSection, RowRule, setting

DIRECT: Final = "direct"


def check_route(row: Mapping[str, str]) -> None:
    """Check an entry. Raises Complaint, which quotes nothing that may be a secret."""
    hosts = row.get("hosts", "").replace(",", " ").split()
    if not hosts:
        raise Complaint('write in `hosts` names such as "a.example", "*.onion", or "*" for all')
    for host in hosts:
        check_host_pattern(host)
    url = row.get("proxy", "")
    if url == DIRECT:
        if "login" in row:
            raise Complaint(f"the entry for {row['hosts']} has a `login` but no proxy")
        return
    try:
        proxy = proxy_of(url)
    except ValueError:
        raise Complaint(
            'write in `proxy` "socks5://127.0.0.1:9050", "socks5h://...", "http://..." or "direct"'
        ) from None
    if proxy.user:
        raise Complaint("`proxy` cannot contain user and password; say in `login` where they are")
    if "login" in row:
        check_source(row["login"])


_ROW: Final = RowRule(
    columns={
        "hosts": 'names of hosts, separated by commas; "*.a.example" means all hosts below a name, "*" all',
        "proxy": 'a URL: socks5:// (the crawler looks up names), socks5h:// or http:// (the proxy does); or "direct"',
        "login": 'where the proxy\'s user and password are, as "user:password"',
    },
    open_columns=("hosts",),
    example={"hosts": "*.onion", "proxy": "socks5h://127.0.0.1:9050"},
    check=check_route,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxySettings(EntriesSection):
    """Proxies for single hosts. All other hosts use `fetching.proxy`. Stores do not keep these entries."""

    name_in_file: ClassVar[str] = "proxies"

    entries: Sequence[Mapping[str, str]] = setting(
        (),
        "an entry for each",
        "The first entry that matches a host decides. Rests, limits and robots.txt are the same with a proxy. With "
        "socks5://, the crawler looks up names and checks addresses as usual (fetching.allow_networks). Other proxies "
        "look up names themselves, so they must also block requests to private networks.",
        row=_ROW,
    )
