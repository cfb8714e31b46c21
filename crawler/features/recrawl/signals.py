"""Learns from visits how far signals of change can be trusted, for each host and kind of signal.

A page changes at rate Δ. A share r of its changes is signalled (the recall); the others come without a signal, at rate
α = (1 - r)Δ. A signal is true with the chance p (the precision), so right after one signal a page is unchanged with the
chance β = 1 - p. τ seconds after a visit, with n signals since, a copy is current with the chance e^-x, where x = ατ +
n ln(1/β) (Busa-Fekete et al., WWW 2025). β and r are learnt from what visits find beyond what time explains:

  β       visits to signalled pages that found no change, over the number expected from time and other signals
  1 - r   changes at visits without a signal, over the number expected from Δ in their time, by EM

If signals are unrelated to changes, both ratios are 1, and signals have no effect.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from math import exp, log
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from hinterland.crawler.features.recrawl.notices import LEAST_UNSEEN, PageNotices, way_of
from hinterland.crawler.features.recrawl.policy import FloatArray


class SignalKind(IntEnum):
    """The source of a signal that a page has changed. PUSH is a notice that the site sends by itself."""

    SITEMAP = 0
    FEED = 1
    PUSH = 2


_Numbers = TypeVar("_Numbers", float, FloatArray)

_KINDS: Final = len(SignalKind)
_BITS: Final = 2
_MOST_COUNTED: Final = (1 << _BITS) - 1
SIGNAL_BITS: Final = (1 << _BITS * _KINDS) - 1
"""The bits of a page's flags that count the signals of each kind since its last visit, up to three."""

_FIRST_BELIEF: Final = 0.3
"""The precision of a kind about which nothing is known."""
_BELIEF_WEIGHT: Final = 4.0
"""_FIRST_BELIEF weighs as much as this many visits."""
_UNSEEN_WEIGHT: Final = 40.0
"""The initial share of changes without a signal, which is 1, weighs as much as this many changes."""
_USUALLY_FOUND: Final = 0.8
"""The ratio of changes found to changes expected if there are no signals. It is below 1 because a schedule prefers
pages whose rate is overestimated.
"""
_LEAST_BETA: Final = 0.02
_MEMORY: Final = 2000.0
"""The statistics of a host are halved after this many visits, because sites change their habits."""

_BY_KIND: Final = ("signals", "found", "unchanged", "expected")
"""Kept for each host and kind of signal: visits to signalled pages, how many of these found a change and how many found
none, and how many would be expected to find none without the signal.
"""
_BY_HOST: Final = ("visits", "changes", "missed", "at_risk")
"""Kept for each host: visits, changes found, estimated changes without a signal, changes expected from time alone."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """How reliable one kind of signal is at one host; all values are estimates.

    `visits` counts visits to pages with such a signal. `precision` is the chance that such a signal is true. `recall`
    is the share of all changes that such signals announce.
    """

    kind: SignalKind
    visits: float
    precision: float
    recall: float


def with_signal(flags: int, kind: SignalKind) -> int:
    """Return the flags of a page after one more signal."""
    return flags + (1 << _BITS * kind) if count_of(flags, kind) < _MOST_COUNTED else flags


def count_of(flags: int, kind: int) -> int:
    """Return how many signals of a kind came since the last visit."""
    return flags >> _BITS * kind & _MOST_COUNTED


class SignalTrust:
    """What visits showed about the signals of each host. Mutable; every update is O(1). A host takes 129 bytes."""

    def __init__(self) -> None:
        """Start without hosts."""
        self._by_kind = {name: np.zeros((0, _KINDS)) for name in _BY_KIND}
        self._by_host = {name: np.zeros(0) for name in _BY_HOST}
        self._ways = np.zeros(0, np.uint8)

    def visited(self, host: int, flags: int, changes: float, sureness: float, *, changed: bool) -> None:
        """Record a visit to a page of a host.

        `flags` holds the page's signals. `changes` is Δτ, the number of changes expected since its last visit. This
        number has a Gamma distribution of shape `sureness`.
        """
        self._grow(host + 1)
        by_host, unseen = self._by_host, self.unseen(host)
        by_host["visits"][host] += 1
        by_host["changes"][host] += changed
        current = (1 + unseen * changes / sureness) ** -sureness
        if flags & SIGNAL_BITS:
            self._signalled(host, flags, current, changed=changed)
        else:
            at_risk = changes / (1 + unseen * changes / sureness)  # of a page that has not changed
            if changed:
                changing = max(1 - current, 1e-9)
                at_risk = (changes - current * at_risk) / changing
                by_host["missed"][host] += unseen * changes / changing
            by_host["at_risk"][host] += at_risk
        if by_host["visits"][host] >= _MEMORY:
            for values in (*by_host.values(), *self._by_kind.values()):
                values[host] /= 2

    def unseen(self, host: int) -> float:
        """Return 1 - r for all kinds together; 1 if there has been no signal."""
        if host >= len(self._by_host["visits"]) or not self._by_kind["signals"][host].any():
            return 1.0
        share = _share_unseen(float(self._by_host["missed"][host]), float(self._by_host["at_risk"][host]))
        return min(max(share, LEAST_UNSEEN), 1.0)

    def strength(self, host: int, flags: int) -> float:
        """Return what the signals of one page add to x (see the module): Σ n ln(1/β) over their kinds."""
        if not flags & SIGNAL_BITS:
            return 0.0
        self._grow(host + 1)
        return -sum(count * log(self._beta(host, kind)) for kind in SignalKind if (count := count_of(flags, kind)))

    def notices(self, host: int, flags: int) -> PageNotices | None:
        """Return the notices of one page; None if the page had no signal and no signal is expected for it."""
        unseen, strength = self.unseen(host), self.strength(host, flags)
        if unseen == 1 and not strength:
            return None
        return PageNotices(np.array([unseen]), np.array([strength]), self._ways[host : host + 1])

    def notices_of(self, hosts: NDArray[np.integer], flags: NDArray[np.integer]) -> PageNotices:
        """Return the notices of several pages, shape (k,) each."""
        self._grow(int(hosts.max(initial=-1)) + 1)
        asked: NDArray[np.integer] | slice = hosts
        places: NDArray[np.integer] = np.arange(len(hosts))
        if len(hosts) > len(self._ways):
            asked, places = slice(None), hosts
        unseen, betas = self._unseen_of(asked), self._betas(asked)
        strength, told = np.zeros(len(hosts)), np.flatnonzero(flags & SIGNAL_BITS)
        for kind in SignalKind:
            count = flags[told] >> _BITS * kind & _MOST_COUNTED
            strength[told] -= count * np.log(betas[places[told], kind])
        return PageNotices(unseen[places], strength, self._ways[hosts])

    def learn_ways(self) -> NDArray[np.uint8]:
        """Compute the class of each host's notices (see `way_of`), by host number.

        The kind of signal that announces most changes of a host decides its class. From now on `notices` uses the
        classes. To use them in another object, pass them to its `go_by`. Takes time in proportion to the number of
        hosts.
        """
        betas = self._betas(slice(None))
        most = ((1 - betas) * (self._by_kind["found"] + 1)).argmax(axis=1)
        self._ways = way_of(self._unseen_of(slice(None)), 1 - betas[np.arange(len(betas)), most])
        return self._ways

    def go_by(self, ways: NDArray[np.uint8]) -> None:
        """Use these classes of notices, which `learn_ways` of a copy of this object has computed."""
        self._ways[: len(ways)] = ways

    def reliability(self, host: int) -> list[Reliability]:
        """Return the reliability of each kind of signal on this host, if pages with such signals were visited."""
        if host >= len(self._by_host["visits"]):
            return []
        signals, found = self._by_kind["signals"][host], self._by_kind["found"][host]
        told = 1 - self.unseen(host)
        betas = np.array([self._beta(host, kind) for kind in SignalKind])
        true = found * (1 - betas)
        share = true / max(float(true.max()), 1e-9)
        return [
            Reliability(kind, float(signals[kind]), float(1 - betas[kind]), float(told * share[kind]))
            for kind in SignalKind
            if signals[kind] > 0
        ]

    def copy(self) -> SignalTrust:
        """Return a copy to be used in another thread."""
        copied = SignalTrust()
        copied._by_kind = {name: values.copy() for name, values in self._by_kind.items()}
        copied._by_host = {name: values.copy() for name, values in self._by_host.items()}
        copied._ways = self._ways.copy()
        return copied

    def packed(self, host: int, kind: SignalKind) -> bytes:
        """Return the statistics of a host and a kind, as bytes for `restore`."""
        seen = [*(float(self._by_host[name][host]) for name in _BY_HOST)]
        seen += [float(self._by_kind[name][host, kind]) for name in _BY_KIND]
        return np.array(seen, "<f8").tobytes()

    def restore(self, host: int, kind: SignalKind, packed: bytes) -> None:
        """Restore the statistics that `packed` returned."""
        self._grow(host + 1)
        seen = np.frombuffer(packed, "<f8").tolist()
        for name, value in zip(_BY_HOST, seen[: len(_BY_HOST)], strict=True):
            self._by_host[name][host] = value
        for name, value in zip(_BY_KIND, seen[len(_BY_HOST) :], strict=True):
            self._by_kind[name][host, kind] = value

    def _signalled(self, host: int, flags: int, current: float, *, changed: bool) -> None:
        """Record a visit to a page that had signals.

        `current` is the probability that the page would be unchanged if it had had no signals.
        """
        of_all = exp(-self.strength(host, flags))
        for kind in SignalKind:
            if count_of(flags, kind):
                self._by_kind["signals"][host, kind] += 1
                self._by_kind["found"][host, kind] += changed
                self._by_kind["unchanged"][host, kind] += not changed
                self._by_kind["expected"][host, kind] += current * of_all / self._beta(host, kind)

    def _unseen_of(self, hosts: NDArray[np.integer] | slice) -> FloatArray:
        share = _share_unseen(self._by_host["missed"][hosts], self._by_host["at_risk"][hosts])
        return np.where(self._by_kind["signals"][hosts].any(axis=1), np.clip(share, LEAST_UNSEEN, 1.0), 1.0)

    def _beta(self, host: int, kind: SignalKind) -> float:
        unchanged, expected = self._by_kind["unchanged"][host, kind], self._by_kind["expected"][host, kind]
        return min(max(_share_unchanged(float(unchanged), float(expected)), _LEAST_BETA), 1.0)

    def _betas(self, hosts: NDArray[np.integer] | slice) -> FloatArray:
        share = _share_unchanged(self._by_kind["unchanged"][hosts], self._by_kind["expected"][hosts])
        return np.clip(share, _LEAST_BETA, 1.0)

    def _grow(self, host_count: int) -> None:
        missing = host_count - len(self._by_host["visits"])
        if missing > 0:
            missing = max(missing, host_count // 8)
            for columns, shape in ((self._by_host, (missing,)), (self._by_kind, (missing, _KINDS))):
                for name, values in columns.items():
                    columns[name] = np.concatenate((values, np.zeros(shape)))
            self._ways = np.concatenate((self._ways, np.zeros(missing, np.uint8)))


def _share_unseen(missed: _Numbers, at_risk: _Numbers) -> _Numbers:
    return (missed / _USUALLY_FOUND + _UNSEEN_WEIGHT) / (at_risk + _UNSEEN_WEIGHT)


def _share_unchanged(unchanged: _Numbers, expected: _Numbers) -> _Numbers:
    return (unchanged + (1 - _FIRST_BELIEF) * _BELIEF_WEIGHT) / (expected + _BELIEF_WEIGHT)
