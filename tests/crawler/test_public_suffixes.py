"""Registrable domains, beside the cases of the public suffix list itself in the conformance tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import tldextract

from crawler.public_suffixes import _rules, registrable_domain

_OTHERS = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
_ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "name,registrable",
    [
        ("example.org.", "example.org"),
        ("WWW.Example.ORG", "example.org"),
        ("a.b.intranet", "b.intranet"),
        ("intranet", None),
        ("www.city.kawasaki.jp", "city.kawasaki.jp"),
        ("a.b.kawasaki.jp", "a.b.kawasaki.jp"),
        ("www.xn--85x722f.xn--fiqs8s", "xn--85x722f.xn--fiqs8s"),
        ("ex.futurecms.at", None),  # by the rule *.futurecms.at, though there is also *.ex.futurecms.at
        ("127.0.0.1", None),
        ("[::1]", None),
        (".org", None),
        ("a..org", None),
        ("", None),
    ],
)
def test_registrable_domains(name: str, registrable: str | None) -> None:
    assert registrable_domain(name) == registrable


def test_names_under_every_rule_are_taken_apart_as_the_package_of_the_list_takes_them() -> None:
    names = [f"{front}{rule.lstrip('!*.')}" for rule in _rules() for front in ("c.b.", "d.c.b.")]
    assert len(names) > 20_000
    assert [name for name in names if registrable_domain(name) != (_OTHERS(name).top_domain_under_public_suffix)] == []


def test_the_package_of_the_list_is_not_imported() -> None:
    code = (
        "import sys; from crawler.urls import site_of; assert site_of('https://a.b.co.uk') == 'b.co.uk';"
        "sys.exit(bool({'tldextract', 'requests'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=_ROOT).returncode == 0
