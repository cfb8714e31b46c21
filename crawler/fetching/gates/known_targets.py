"""Redirect targets that show a gate instead of the requested page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hinterland.crawler.fetching.gates.gate import GateKind


@dataclass(frozen=True, slots=True)
class KnownTarget:
    """The URLs of a known gate. `pattern` matches the beginning of each URL in lower case."""

    owner: str
    kind: GateKind
    pattern: re.Pattern[str]


def _at(host: str, path: str) -> re.Pattern[str]:
    """Return a pattern for a path at a host; `host` and `path` are patterns."""
    return re.compile(rf"(?:https?:)?//{host}(?::\d+)?{path}")


def _below(path: str) -> re.Pattern[str]:
    """Return a pattern for a path at any host."""
    return re.compile(rf"(?:(?:https?:)?//[^/?#]*)?{path}")


KNOWN_TARGETS: Final = (
    KnownTarget("Google", GateKind.CHALLENGE, _at(r"(?:[a-z0-9-]+\.)*google\.[a-z.]+", "/sorry/")),
    KnownTarget("Google", GateKind.CONSENT, _at(r"consent\.(?:google|youtube)\.[a-z.]+", "/")),
    KnownTarget("Yahoo", GateKind.CONSENT, _at(r"consent\.yahoo\.com", "/")),
    KnownTarget("Yahoo", GateKind.CONSENT, _at(r"guce\.[a-z0-9-]+\.[a-z.]+", "/(?:copy)?consent")),
    KnownTarget("DPG Media", GateKind.CONSENT, _at(r"myprivacy\.dpgmedia\.[a-z]+", "/consent")),
    KnownTarget("DataDome", GateKind.CHALLENGE, _at(r"geo\.captcha-delivery\.com", "/")),
    KnownTarget("Radware", GateKind.CHALLENGE, _at(r"validate\.perfdrive\.com", "/")),
    KnownTarget("Yandex", GateKind.CHALLENGE, _at(r"(?:[a-z0-9-]+\.)*(?:yandex\.[a-z.]+|ya\.ru)", "/showcaptcha")),
    KnownTarget("eBay", GateKind.CHALLENGE, _at(r"(?:[a-z0-9-]+\.)*ebay\.[a-z.]+", "/splashui/(?:challenge|captcha)")),
    KnownTarget("Amazon", GateKind.CHALLENGE, _at(r"(?:[a-z0-9-]+\.)*amazon\.[a-z.]+", "/errors/validatecaptcha")),
    KnownTarget("SiteGround", GateKind.CHALLENGE, _below(r"/\.well-known/(?:sg)?captcha/")),
    KnownTarget("Anubis", GateKind.CHALLENGE, _below(r"/\.within\.website/")),
    KnownTarget("DDoS-Guard", GateKind.CHALLENGE, _below(r"/\.well-known/ddos-guard/")),
    KnownTarget("Imperva", GateKind.CHALLENGE, _below(r"/_incapsula_resource\?")),
    KnownTarget("Atypon", GateKind.COOKIES, _below(r"/action/cookieabsent(?:[?#]|$)")),
)
