"""Decides to which IP addresses the crawler may connect. Pure.

Addresses that are not reachable on the public internet (private, loopback, link-local, multicast, reserved, ...) are
refused unless settings allow their network; otherwise any page could lead the crawler into the network it runs in. The
lists are IANA's special-purpose registries (RFC 6890), written out here because Python's own lists change from version
to version. An IPv6 address that carries an IPv4 address (mapped, 6to4, Teredo, NAT64) is treated as that address.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

_SPECIAL_V4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared by customers of a provider
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local; the metadata of clouds
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved; broadcast
    )
)
_GLOBAL_V6 = IPv6Network("2000::/3")
"""Contains all publicly routed addresses; loopback, local, multicast and IPv4-compatible addresses are outside."""
_SPECIAL_V6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments
        "2001:db8::/32",  # documentation
        "3fff::/20",  # documentation
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")


class AddressGuard:
    """Decides whether the crawler may connect to an address."""

    def __init__(self, allow_networks: Iterable[str] = ()) -> None:
        """Allow public addresses, and all addresses in `allow_networks`, which are in CIDR notation."""
        self._allowed = [ip_network(network, strict=False) for network in allow_networks]

    def allows(self, address: str) -> bool:
        """Return whether the crawler may connect to this literal address ("192.0.2.1", "2001:db8::1%eth0").

        Returns False if the text is not an address.
        """
        try:
            return self._allows(ip_address(address.partition("%")[0]))
        except ValueError:
            return False

    def _allows(self, address: IPv4Address | IPv6Address) -> bool:
        if any(address in network for network in self._allowed if network.version == address.version):
            return True
        if isinstance(address, IPv4Address):
            return not any(address in network for network in _SPECIAL_V4)
        carried = _carried(address)
        if carried:
            return all(self._allows(each) for each in carried)
        return address in _GLOBAL_V6 and not any(address in network for network in _SPECIAL_V6)


def _carried(address: IPv6Address) -> tuple[IPv4Address, ...]:
    """Return the IPv4 addresses that packets to an IPv6 address may reach."""
    if address.ipv4_mapped is not None:
        return (address.ipv4_mapped,)
    if address.sixtofour is not None:
        return (address.sixtofour,)
    if address.teredo is not None:
        return address.teredo
    if address in _NAT64:
        return (IPv4Address(int(address) & 0xFFFFFFFF),)
    return ()
