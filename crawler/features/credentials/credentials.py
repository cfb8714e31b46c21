"""Chooses the credentials of a request: of each kind, the entry with the longest prefix of the request's URL. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hinterland.crawler.fetching.access.access import (
    COOKIE,
    NO_ACCESS,
    Access,
    AccessProvider,
    Asked,
    ClientCertificate,
)
from hinterland.crawler.fetching.access.target import Target


@dataclass(frozen=True, slots=True)
class FileCookie:
    """A cookie from a cookie file.

    If `domain` begins with a dot, it includes the hosts below it. `until` is the expiry in epoch seconds, or infinity.
    """

    name: str
    value: str
    domain: str
    path: str
    is_secure: bool
    until: float

    def __repr__(self) -> str:
        """Return the cookie without its value."""
        return f"FileCookie({self.name!r}, {self.domain!r})"

    def is_of(self, host: str) -> bool:
        """Return whether the cookie is meant for a host."""
        domain = self.domain.lstrip(".")
        return host == domain or (self.domain.startswith(".") and host.endswith(f".{domain}"))

    def is_for(self, asked: Asked) -> bool:
        """Return whether the cookie is sent with a request (RFC 6265 section 5.4)."""
        target = asked.target
        if self.until <= asked.now or (self.is_secure and not target.is_encrypted):
            return False
        base = self.path.rstrip("/")
        return self.is_of(target.host) and (target.path == self.path or target.path.startswith(f"{base}/"))


@dataclass(frozen=True, slots=True)
class Credential:
    """A login for the URLs under the prefix `at`. Exactly one of `field`, `certificate` and `cookies` is set."""

    at: Target
    kind: str
    field: tuple[str, str] | None = None
    certificate: ClientCertificate | None = None
    cookies: Sequence[FileCookie] = ()
    networks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return the credential without anything secret."""
        return f"Credential({self.kind} at {self.at.origin})"


class Credentials(AccessProvider):
    """Gives credentials to the requests that they are meant for.

    A request by a script of another origin gets none, because the script could read the answer.
    """

    def __init__(self, credentials: Iterable[Credential]) -> None:
        """Choose among `credentials`, all credentials of a crawl."""
        self._of_origin: dict[str, list[Credential]] = {}
        for each in credentials:
            self._of_origin.setdefault(each.at.origin, []).append(each)
        for found in self._of_origin.values():
            found.sort(key=lambda each: -len(each.at.path))
        all_of_them = [each for found in self._of_origin.values() for each in found]
        self.secret_fields = tuple(dict.fromkeys(each.field[0] for each in all_of_them if each.field is not None))

    def access(self, asked: Asked) -> Access:
        """Return the credentials of a request."""
        found = self._of_origin.get(asked.target.origin)
        if found is None or asked.is_of_another_origin:
            return NO_ACCESS
        chosen: dict[str, Credential] = {}
        for each in found:
            if asked.target.is_under(each.at):
                chosen.setdefault(each.kind if each.field is None else each.field[0].lower(), each)
        if not chosen:
            return NO_ACCESS
        fields = [each.field for each in chosen.values() if each.field is not None]
        sent = [each for each in chosen.values() if not each.cookies or any(one.is_for(asked) for one in each.cookies)]
        cookies = [cookie for each in sent for cookie in each.cookies if cookie.is_for(asked)]
        if cookies:
            fields.append((COOKIE, "; ".join(f"{cookie.name}={cookie.value}" for cookie in cookies)))
        certificates = [each.certificate for each in chosen.values() if each.certificate is not None]
        if not fields and not certificates:  # only cookies, and none of them is for this URL
            return NO_ACCESS
        return Access(
            fields=tuple(fields),
            certificate=certificates[0] if certificates else None,
            login="+".join(sorted(each.kind for each in sent)),
            networks=tuple(dict.fromkeys(network for each in chosen.values() for network in each.networks)),
        )
