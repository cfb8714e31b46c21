"""Which addresses may be connected to: the public ones, and those that settings allow."""

from __future__ import annotations

import pytest

from hinterland.crawler.fetching.address_guard import AddressGuard

PUBLIC = [
    "8.8.8.8", "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
    "128.0.0.1", "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255",
    "198.17.255.255", "198.20.0.0", "223.255.255.255",
    "2606:4700:4700::1111", "2001:200::1", "2a00:1450:4001::1", "2620:4f:8000::1",
]  # fmt: skip

SPECIAL = [
    "0.0.0.0", "0.255.255.255",
    "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1",
    "100.64.0.1", "100.127.255.255",
    "127.0.0.1", "127.255.255.255",
    "169.254.169.254",
    "192.0.0.1", "192.0.0.170", "192.0.0.255",
    "192.0.2.1", "198.51.100.1", "203.0.113.1",
    "192.88.99.1",
    "198.18.0.1", "198.19.255.255",
    "224.0.0.1", "239.255.255.255",
    "240.0.0.1", "255.255.255.255",
    "::", "::1",
    "fc00::1", "fdff::1",
    "fe80::1", "fe80::1%eth0", "fec0::2",
    "ff02::1", "ff0e::1",
    "100::1", "5f00::1", "4000::1", "e000::1",
    "2001:db8::1", "3fff::1", "2001:2::1", "2001:10::1",
]  # fmt: skip


def forms_carrying(v4: str) -> list[str]:
    """IPv6 addresses whose packets may end up at an IPv4 address."""
    a, b, c, d = (int(part) for part in v4.split("."))
    word, last = f"{a:02x}{b:02x}", f"{c:02x}{d:02x}"
    inverted = f"{a ^ 255:02x}{b ^ 255:02x}:{c ^ 255:02x}{d ^ 255:02x}"
    return [
        f"::ffff:{v4}",
        f"::ffff:{word}:{last}",
        f"2002:{word}:{last}::1",
        f"2001:0:{word}:{last}::",  # Teredo: the server
        f"2001:0:0808:0808::{inverted}",  # Teredo: the client
        f"64:ff9b::{v4}",
    ]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_may_be_dialled(address: str) -> None:
    assert AddressGuard().allows(address)


@pytest.mark.parametrize("address", SPECIAL)
def test_special_addresses_are_refused(address: str) -> None:
    assert not AddressGuard().allows(address)


@pytest.mark.parametrize("v4", [address for address in SPECIAL if "." in address])
def test_a_special_ipv4_address_is_refused_in_every_ipv6_disguise(v4: str) -> None:
    for address in forms_carrying(v4):
        assert not AddressGuard().allows(address), address


def test_an_ipv6_form_of_a_public_ipv4_address_may_be_dialled() -> None:
    for address in ("::ffff:8.8.8.8", "2002:808:808::1", "64:ff9b::8.8.8.8", "2001:0:808:808::f7f7:f7f7"):
        assert AddressGuard().allows(address), address


def test_ipv4_compatible_translated_and_local_nat64_forms_are_refused_whatever_they_carry() -> None:
    for address in ("::8.8.8.8", "::ffff:0:8.8.8.8", "64:ff9b:1::8.8.8.8"):
        assert not AddressGuard().allows(address), address


@pytest.mark.parametrize(
    "text", ["", "localhost", "a.example", "127.1", "0177.0.0.1", "2130706433", "1.2.3.4/8", "[::1]", "::1::"]
)
def test_what_is_no_literal_address_is_refused(text: str) -> None:
    assert not AddressGuard(["0.0.0.0/0", "::/0"]).allows(text)


def test_an_allowed_network_may_be_dialled_and_its_neighbours_may_not() -> None:
    guard = AddressGuard(["127.0.0.0/8", "fd12::/16", "10.1.2.3"])
    assert all(map(guard.allows, ["127.0.0.1", "127.9.9.9", "fd12::5", "10.1.2.3", "8.8.8.8"]))
    assert not any(map(guard.allows, ["10.1.2.4", "fd13::5", "::1", "192.168.0.1"]))


def test_allowing_an_ipv4_network_allows_the_forms_that_carry_it() -> None:
    guard = AddressGuard(["127.0.0.0/8"])
    assert guard.allows("::ffff:127.0.0.1")
    assert guard.allows("2002:7f00:1::1")
    assert not guard.allows("::1")


def test_allowing_an_ipv6_network_overrules_what_its_addresses_carry() -> None:
    assert AddressGuard(["2002::/16"]).allows("2002:7f00:1::1")


def test_a_network_with_host_bits_set_is_understood() -> None:
    assert AddressGuard(["192.168.7.9/24"]).allows("192.168.7.1")


def test_a_setting_that_is_no_network_is_an_error() -> None:
    with pytest.raises(ValueError, match="nonsense"):
        AddressGuard(["nonsense"])
