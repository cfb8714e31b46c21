"""Signs the requests to hosts that ask for signatures or that the settings name.

Pure: keys and nonces come from outside.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import Final

from hinterland.crawler.features.web_bot_auth.signature import Challenge, SigningKey, read_challenge, signed_fields
from hinterland.crawler.fetching.access.access import NO_ACCESS, Access, AccessProvider, Asked
from hinterland.crawler.fetching.access.host_patterns import HostPatterns

SECONDS: Final = 300
"""How long a signature is used for a host. It expires a minute later, since requests take a while."""
_GRACE: Final = 60
_MOST_HOSTS: Final = 10_000
_WRONG_CLOCK: Final = 60.0
_REFUSALS: Final = frozenset({400, 401, 403, 429})


class Signer(AccessProvider):
    """Signs requests. Each signature is for one host, and is used for up to five minutes. Mutable."""

    def __init__(
        self,
        load: Callable[[], SigningKey],
        agent: str,
        *,
        hosts: Sequence[str] = (),
        challenged: bool = True,
        nonce: Callable[[], str],
    ) -> None:
        """Sign with the key that `load` returns, which is called again every five minutes.

        `agent` is the origin of the key directory. `hosts` are patterns of hosts whose requests are always
        signed. `nonce` returns a text that it has never returned before.
        """
        self._load = load
        self._agent = agent
        self._named = HostPatterns(hosts)
        self._challenged = challenged
        self._nonce = nonce
        self._key: SigningKey | None = None
        self._key_until = 0.0
        self._challenges: OrderedDict[str, Challenge] = OrderedDict()
        self._signed: OrderedDict[str, tuple[float, Access]] = OrderedDict()
        self.made = 0
        """How many signatures were made."""
        self.refused = dict[str, str]()
        """Origins that refuse signed requests, each with the likely reason."""

    @property
    def keyid(self) -> str:
        """The thumbprint of the key in use; "" before the first signature."""
        return "" if self._key is None else self._key.keyid

    @property
    def challenges(self) -> int:
        """How many origins have asked for signatures."""
        return len(self._challenges)

    def is_asked_by(self, origin: str) -> bool:
        """Return whether an origin has asked for signatures."""
        return origin in self._challenges

    def access(self, asked: Asked) -> Access:
        """Return the signature of a request, if its host wants one."""
        origin = asked.target.origin
        challenge = self._challenges.get(origin)
        if challenge is None:
            if not self._named.match(asked.target.host):
                return NO_ACCESS
            challenge = Challenge()
        if (kept := self._signed.get(origin)) is not None and kept[0] > asked.now:
            return kept[1]
        access = self._sign(asked, challenge)
        if challenge.is_reusable:
            self._signed.pop(origin, None)
            self._signed[origin] = (asked.now + SECONDS, access)
            if len(self._signed) > _MOST_HOSTS:
                self._signed.popitem(last=False)
        elif challenge.nonce:
            self._challenges[origin] = replace(challenge, nonce="")  # a nonce is valid for one request
        return access

    def answered(self, asked: Asked, status: int, fields: Mapping[str, str], cookies: Sequence[str]) -> None:
        """Note whether the answer asks for signatures or refuses them."""
        if not self._challenged or status not in _REFUSALS or "Accept-Signature" not in fields:
            return
        challenge = read_challenge(fields["Accept-Signature"])
        if challenge is None:
            return
        origin = asked.target.origin
        was_signed = origin in self._challenges or self._named.match(asked.target.host)
        if was_signed and len(self.refused) < _MOST_HOSTS:
            self.refused[origin] = _reason(asked.now, fields.get("Date"))
        self._challenges[origin] = challenge
        self._signed.pop(origin, None)
        if len(self._challenges) > _MOST_HOSTS:
            self._challenges.popitem(last=False)

    def _sign(self, asked: Asked, challenge: Challenge) -> Access:
        if self._key is None or self._key_until <= asked.now:
            self._key, self._key_until = self._load(), asked.now + SECONDS
        self.made += 1
        created = int(asked.now)
        fields = signed_fields(
            asked.target,
            self._key,
            self._agent,
            challenge=challenge,
            created=created,
            expires=created + SECONDS + _GRACE,
            nonce=self._nonce(),
            method=asked.method,
        )
        return Access(fields=fields)


def _reason(now: float, date: str | None) -> str:
    """Return why a signed request may have been refused, judging by the Date field of the answer."""
    try:
        off = now - parsedate_to_datetime(date or "").timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return "it gives no reason"
    if abs(off) < _WRONG_CLOCK:
        return "it gives no reason; does it know your directory?"
    return f"the clock of this machine is {abs(off):.0f} s {'ahead of' if off > 0 else 'behind'} the host's"
