"""Which names share a certificate."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.internet.certificates import NAMES_IN_ONE, CertificatesFailed, gathered, make_certificates

LABELS = st.text("abc", min_size=1, max_size=3)
NAMES = st.lists(st.lists(LABELS, min_size=2, max_size=4).map(".".join), max_size=100)


def covers(entry: str, name: str) -> bool:
    return entry == name or (entry.startswith("*.") and name.partition(".")[2] == entry[2:])


@pytest.mark.slow
@given(NAMES)
def test_every_name_is_in_a_certificate_and_none_is_long(names: list[str]) -> None:
    groups = gathered(names)
    entries = [entry for group in groups for entry in group]
    assert all(any(covers(entry, name) for entry in entries) for name in names)
    assert all(any(covers(entry, name) for name in names) for entry in entries)
    assert all(len(group) <= NAMES_IN_ONE for group in groups)
    assert len(set(entries)) == len(entries)


def test_names_below_one_parent_share_a_wildcard_but_not_below_a_top_level_domain() -> None:
    assert gathered(["a.box.example", "b.box.example"]) == [["*.box.example"]]
    assert gathered(["a.example", "b.example"]) == [["a.example", "b.example"]]


def test_that_openssl_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CertificatesFailed, match="install the package openssl"):
        make_certificates(tmp_path / "made", ["a.example"], [])
