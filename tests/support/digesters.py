"""Readers of pages that misbehave, for processes that import them by name."""

from __future__ import annotations

import os
import signal
import time

from hinterland.search.main_content import HostProfile, digest
from hinterland.search.store.values.documents import Digest, RawContent

HANGS, DIES, RAISES = "http://a.test/hangs", "http://a.test/dies", "http://a.test/raises"


def misbehaving(raw: RawContent, profile: HostProfile) -> Digest:
    """As `digest`, but some URLs end badly."""
    if raw.url == HANGS:
        time.sleep(600)
    if raw.url == DIES:
        os.kill(os.getpid(), signal.SIGKILL)
    if raw.url == RAISES:
        raise LookupError("a parser's surprise")
    return digest(raw, profile)


def endless(raw: RawContent, profile: HostProfile) -> Digest:
    """Says that it has begun, and never ends."""
    print(raw.page, flush=True)
    time.sleep(600)
    return digest(raw, profile)
