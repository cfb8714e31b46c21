"""Decides to which addresses a request with a login may be sent.

With HTTPS, the certificate proves who receives a login. Plain HTTP has no such proof: any machine that answers at the
address of the name gets the login. So later logins over plain HTTP must stay within the network to which the first
login was sent.
"""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Final

from hinterland.crawler.fetching.access.access import Access
from hinterland.crawler.fetching.names.resolver import ForbiddenAddress

_PREFIX_V4: Final = 24
_PREFIX_V6: Final = 64


class LoginPeers:
    """The networks to which logins were sent over plain HTTP, one for each host. Mutable."""

    def __init__(self) -> None:
        """Start without hosts."""
        self._networks: dict[str, IPv4Network | IPv6Network] = {}

    def check(self, host: str, access: Access, address: str | None) -> None:
        """Raise ForbiddenAddress if a request must not be sent to this address.

        A request through a proxy is not checked. `host` is given as in "http://a.example".
        """
        if access.proxy is not None:
            return
        if address is None or not access.may_go_to(address):
            networks = ", ".join(access.networks) or "a known address"
            raise ForbiddenAddress(f"the login may only be sent to {networks}, not to {address}")
        if access.networks or host.startswith("https:"):
            return
        parsed = ip_address(address.partition("%")[0])
        prefix = _PREFIX_V4 if parsed.version == 4 else _PREFIX_V6
        network = self._networks.setdefault(host, ip_network(f"{parsed}/{prefix}", strict=False))
        if parsed not in network:
            raise ForbiddenAddress(
                f"the login was sent to {network} before, and the name now leads to {address}; without HTTPS, name the"
                " networks of the login's host in its settings"
            )
