"""Signals of change are trusted as far as visits have found them to be true, host by host."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.crawler.features.recrawl.signals import SignalKind, SignalTrust, count_of, with_signal

RATE, SURE = 0.02, 50.0
"""Changes a day, and how well they are known."""


def trust_after(recall: float, false_a_day: float, seed: int = 1, visits: int = 3000, host: int = 0) -> SignalTrust:
    """Of a host whose pages change at random, and which tells of its changes and of what is none."""
    draw, trust = np.random.default_rng(seed), SignalTrust()
    for days in draw.exponential(30, visits).tolist():
        changes = int(draw.poisson(RATE * days))
        flags = 0
        for _ in range(int(draw.binomial(changes, recall) + draw.poisson(false_a_day * days))):
            flags = with_signal(flags, SignalKind.SITEMAP)
        trust.visited(host, flags, RATE * days, SURE, changed=changes > 0)
    return trust


@pytest.mark.parametrize("recall, precision", [(0.8, 0.8), (0.5, 0.2)])
def test_precision_is_learnt_and_recall_with_caution(recall: float, precision: float) -> None:
    false_a_day = recall * RATE * (1 - precision) / precision
    (found,) = trust_after(recall, false_a_day).reliability(0)
    assert found.kind is SignalKind.SITEMAP
    assert found.precision == pytest.approx(precision, abs=0.1)
    assert recall / 4 < found.recall < recall


def test_signals_that_have_nothing_to_do_with_changes_count_for_nothing_however_many_come() -> None:
    trust = trust_after(0.0, 0.1)
    flags = with_signal(with_signal(0, SignalKind.SITEMAP), SignalKind.SITEMAP)
    assert trust.strength(0, flags) < 0.1
    assert trust.unseen(0) > 0.9


def test_each_host_and_kind_is_judged_on_its_own() -> None:
    trust = trust_after(0.8, 0.0, host=2)
    assert trust.unseen(0) == 1.0
    assert trust.reliability(0) == []
    assert trust.strength(2, with_signal(0, SignalKind.SITEMAP)) > 1
    assert trust.strength(2, with_signal(0, SignalKind.FEED)) == pytest.approx(trust.strength(0, 1 << 2))


def test_what_was_learnt_is_restored_from_what_the_store_keeps() -> None:
    trust, again = trust_after(0.8, 0.01), SignalTrust()
    again.restore(0, SignalKind.SITEMAP, trust.packed(0, SignalKind.SITEMAP))
    assert again.reliability(0) == trust.reliability(0)


def test_up_to_three_signals_of_a_kind_are_counted() -> None:
    flags = 0
    for _ in range(5):
        flags = with_signal(flags, SignalKind.FEED)
    assert [count_of(flags, kind) for kind in SignalKind] == [0, 3, 0]
