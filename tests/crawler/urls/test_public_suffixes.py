"""The public suffix list, read without the package it comes with, says what that package says."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest
from tldextract import TLDExtract

from hinterland.crawler.urls.hosts import registrable_domain
from hinterland.crawler.urls.public_suffixes import _rules, public_suffix


@pytest.mark.slow
def test_every_rule_means_what_it_means_to_the_package() -> None:
    theirs = TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
    different = set[str]()
    for name in _names():
        parts = theirs(name)
        if public_suffix(name) != parts.suffix:
            different.add(name)
        elif parts.suffix:
            assert registrable_domain(name) == (parts.top_domain_under_public_suffix or None), name
    # Where "*.b" and a rule that is longer than "a.b" meet in a.b, it forgets the first.
    assert len(different) < 20
    assert all(f"*.{name.partition('.')[2]}" in _rules() for name in different)


def _names() -> Iterator[str]:
    rules = sorted(_rules())
    assert len(rules) > 8000
    for rule in rules:
        name = rule.removeprefix("!").replace("*", "anything").encode("idna").decode()
        yield from (name, f"a.{name}", f"b.a.{name}", name.partition(".")[2] or "com")


@pytest.mark.parametrize(
    "name, suffix",
    [
        ("example.co.uk", "co.uk"),
        ("alice.github.io", "github.io"),
        ("www.ck", "ck"),
        ("www.www.ck", "ck"),
        ("other.ck", "other.ck"),
        ("xn--85x722f.com.cn", "com.cn"),
        ("a.xn--85x722f.cn", "cn"),
        ("a.xn--55qx5d.cn", "xn--55qx5d.cn"),
        ("xn--.com", "com"),
        ("a.nowhere", ""),
        ("localhost", ""),
        ("", ""),
    ],
)
def test_the_suffix_of_a_name(name: str, suffix: str) -> None:
    assert public_suffix(name) == suffix


def test_the_package_itself_is_not_loaded() -> None:
    program = (
        "import sys; from hinterland.crawler.urls.hosts import site_of;"
        " assert site_of('https://a.b.co.uk/') == 'b.co.uk';"
        "sys.exit('tldextract' in sys.modules or 'requests' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
