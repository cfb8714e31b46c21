"""A gate between a crawl and a page: a bot filter, or a wall that asks for consent or cookies. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class GateKind(StrEnum):
    """How a gate responds to a request, in words that precede the name of its owner."""

    CHALLENGE = "a challenge page of"  # it asks for a proof that a person or a browser is there
    REFUSAL = "a refusal by"  # it takes the request for one of a robot, and says no
    CONSENT = "a consent page of"
    COOKIES = "a page that asks for cookies, of"


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate that was recognised.

    `owner` is the filter or service, by its usual name; `sign` says how it was recognised.
    """

    kind: GateKind
    owner: str
    sign: str

    def in_words(self, status: int) -> str:
        """Describe the gate and its status: "a challenge page of Cloudflare (status 403, ...)"."""
        return f"{self.kind} {self.owner} (status {status}, {self.sign})"
