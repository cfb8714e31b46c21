"""How reliably hosts announce changes, in words."""

from __future__ import annotations

from hinterland.library.text.signals_text import reliability, signals_lines
from hinterland.storage.values.history import StoredSignals

SITEMAPS = StoredSignals(3, "sitemap", 1134.2, 0.714, 0.5, b"")


def test_how_far_a_host_can_be_believed_is_said() -> None:
    told = "71% of its notices of changes are true; it announces 50% of its changes (1,134 revisits)"
    assert reliability(SITEMAPS) == told
    assert list(signals_lines(["https://a.test"], [SITEMAPS]))[2:] == [
        "  https://a.test  sitemaps  71%  50%  1,134 revisits"
    ]


def test_hosts_without_announcements_are_left_out_and_only_the_first_are_listed() -> None:
    assert list(signals_lines([], [])) == []
    assert list(signals_lines(["https://a.test"] * 12, [SITEMAPS] * 12))[-1] == "  and 2 more"
