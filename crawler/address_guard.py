"""Which IP addresses may be dialled. Pure.

Private, loopback, link-local, multicast and reserved addresses are refused unless settings allow their
network, or any page could lead the crawler into the network it runs in. An IPv6 address that carries an
IPv4 address (mapped, 6to4, Teredo, NAT64) is judged by both.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

_NAT64 = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
_COMPATIBLE = IPv6Network("::/96")


class AddressGuard:
    """allow_networks: CIDR networks that may be dialled although they are not globally routable."""

    def __init__(self, allow_networks: Iterable[str] = ()) -> None:
        self._allowed = [ip_network(network, strict=False) for network in allow_networks]

    def allows(self, address: str) -> bool:
        """Whether this literal address ("192.0.2.1", "2001:db8::1%eth0") may be dialled. False if it is none."""
        try:
            parsed = ip_address(address.partition("%")[0])
        except ValueError:
            return False
        if any(parsed in network for network in self._allowed if network.version == parsed.version):
            return True
        if isinstance(parsed, IPv4Address):
            return _is_public(parsed)
        if parsed.ipv4_mapped is not None:  # a spelling of the IPv4 address, no address of its own
            return self.allows(str(parsed.ipv4_mapped))
        return _is_public(parsed) and all(self.allows(str(each)) for each in _embedded(parsed))


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    return address.is_global and not address.is_multicast and not address.is_reserved


def _embedded(address: IPv6Address) -> Iterable[IPv4Address]:
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
    if any(address in network for network in (*_NAT64, _COMPATIBLE)):
        yield IPv4Address(int(address) & 0xFFFFFFFF)
