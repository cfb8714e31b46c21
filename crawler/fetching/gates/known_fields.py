"""Header fields that reveal that an answer comes from a bot filter and not from the site.

Fields that such services add to ordinary answers as well (`server: cloudflare`, `x-datadome: protected`, `x-iinfo`,
their cookies) reveal nothing, and are not listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hinterland.crawler.fetching.gates.gate import GateKind

_REFUSING: Final = frozenset({401, 403, 405, 406, 429, 503})


@dataclass(frozen=True, slots=True)
class KnownField:
    """A header field that reveals a gate.

    `values` are the values that reveal it, in lower case; None means any value. `statuses` are the statuses of answers
    in which the field reveals it; None means any status.
    """

    owner: str
    kind: GateKind
    name: str
    values: frozenset[str] | None = None
    statuses: frozenset[int] | None = None


def _challenge(owner: str, name: str, *values: str) -> KnownField:
    return KnownField(owner, GateKind.CHALLENGE, name, frozenset(values))


KNOWN_FIELDS: Final = (
    _challenge("Cloudflare", "cf-mitigated", "challenge"),
    _challenge("AWS WAF", "x-amzn-waf-action", "challenge", "captcha"),
    _challenge("Vercel", "x-vercel-mitigated", "challenge"),
    KnownField("Vercel", GateKind.REFUSAL, "x-vercel-mitigated", frozenset({"deny"}), _REFUSING),
    _challenge("SiteGround", "sg-captcha", "challenge"),
    KnownField("DataDome", GateKind.CHALLENGE, "x-dd-b", None, _REFUSING),
    KnownField("Kasada", GateKind.CHALLENGE, "x-kpsdk-ct", None, frozenset({403, 429})),
    KnownField("Sucuri", GateKind.REFUSAL, "x-sucuri-block", None, _REFUSING),
)

FILTER_FIELDS: Final = tuple(dict.fromkeys(known.name for known in KNOWN_FIELDS))
"""The names of these fields, in lower case."""
