"""What a single request gets beyond what all requests get, and the providers that give it. Pure.

This is the only place in the path of a request where it is decided which credentials, cookies, signature, certificate
and proxy belong to it. The decision is made for each request by its own target. Nothing is carried over to another
request, be it the one after a redirect, a retry, or one to another name of the same machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_address, ip_network
from typing import Final, NamedTuple, TypeVar

from hinterland.crawler.fetching.access.target import Target

Kind = TypeVar("Kind")
COOKIE: Final = "Cookie"


class ClientCertificate(NamedTuple):
    """The files of a certificate with which a client proves who it is; `password` opens the key, "" if none does."""

    certificate: str
    key: str
    password: str = ""

    def __repr__(self) -> str:
        """Return the certificate's name without the password."""
        return f"ClientCertificate({self.certificate!r})"


class Proxy(NamedTuple):
    """A proxy, such as "http://proxy.example:3128". `user` and `password` are for the proxy alone.

    The schemes are http, socks5, whose names are looked up here, and socks5h, whose names the proxy looks up.
    """

    scheme: str
    host: str
    port: int
    user: str = ""
    password: str = ""

    def __repr__(self) -> str:
        """Return the proxy's URL without user and password."""
        return f"Proxy({self.url!r})"

    @property
    def url(self) -> str:
        """The proxy's URL without user and password."""
        return f"{self.scheme}://{self.host}:{self.port}"

    @property
    def looks_up_names(self) -> bool:
        """Whether the proxy looks up the names of hosts."""
        return self.scheme != "socks5"


@dataclass(frozen=True, slots=True)
class Access:
    """What a single request gets.

    `fields` are header fields, (name, value); they replace fields of the same name that all requests have. `proxy` is
    the proxy to use; None means the usual one, or no proxy if the request `is_direct`. `login` names what opened the
    page to this crawl but not to others, such as "bearer"; "" if nothing did. `networks` are the only networks to which
    the request may be sent, in CIDR notation; empty means that the general rules suffice.
    """

    fields: tuple[tuple[str, str], ...] = ()
    certificate: ClientCertificate | None = None
    proxy: Proxy | None = None
    login: str = ""
    networks: tuple[str, ...] = ()
    is_direct: bool = False

    def __repr__(self) -> str:
        """Return the names of the fields, not their values."""
        names = ", ".join(name for name, _ in self.fields)
        return f"Access({names}; login={self.login!r}, proxy={self.proxy!r})"

    def may_go_to(self, address: str) -> bool:
        """Return whether the request may be sent to an IP address, beyond what the general rules say."""
        return not self.networks or any(ip_address(address) in ip_network(network) for network in self.networks)


NO_ACCESS: Final = Access()
"""What a request gets if no provider gives it anything."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request about to be made.

    `now` is in epoch seconds. `by` is the origin of the page whose script makes the request; "" for requests of the
    crawl itself. `method` is that of HTTP.
    """

    target: Target
    now: float
    by: str = ""
    method: str = "GET"

    @property
    def is_of_another_origin(self) -> bool:
        """Whether the script of a page of another origin makes the request."""
        return bool(self.by) and self.by != self.target.origin


class AccessProvider:
    """Base class of what gives single requests something, such as credentials. This class gives nothing."""

    secret_fields: Sequence[str] = ()
    """Names of the header fields that it sends and that no archive may hold."""

    def access(self, asked: Asked) -> Access:
        """Return what belongs to a request. It is called right before the request is made, each time."""
        return NO_ACCESS

    def answered(self, asked: Asked, status: int, fields: Mapping[str, str], cookies: Sequence[str]) -> None:
        """Learn of the answer to a request. `cookies` are the values of its Set-Cookie fields."""

    def opened(self, url: str, login: str) -> None:
        """Learn that a URL answered a request with a login, such as "bearer". Any provider may have sent the login."""


class CombinedAccess(AccessProvider):
    """Gives what several providers give; the first one that has a field, a certificate or a proxy decides it."""

    def __init__(self, providers: Iterable[AccessProvider] = ()) -> None:
        """Combine providers, the most important first."""
        self._providers = tuple(providers)
        self.secret_fields = tuple(name for each in self._providers for name in each.secret_fields)
        self.on_opened: Callable[[str, str], None] | None = None
        """Called with the URL and the login of each request that was answered to a login, before anything else."""

    def access(self, asked: Asked) -> Access:
        """Return what belongs to a request."""
        combined = NO_ACCESS
        for provider in self._providers:
            if (given := provider.access(asked)) is not NO_ACCESS:
                combined = given if combined is NO_ACCESS else _both(combined, given)
        return combined

    def answered(self, asked: Asked, status: int, fields: Mapping[str, str], cookies: Sequence[str]) -> None:
        """Let all providers learn of an answer."""
        for provider in self._providers:
            provider.answered(asked, status, fields, cookies)

    def opened(self, url: str, login: str) -> None:
        """Say what a login opened."""
        if self.on_opened is not None:
            self.on_opened(url, login)

    def find(self, kind: type[Kind]) -> Kind | None:
        """Return a provider by its class; None if it takes no part."""
        return next((each for each in self._providers if isinstance(each, kind)), None)


def _both(first: Access, second: Access) -> Access:
    cookies = [value for name, value in (*first.fields, *second.fields) if name == COOKIE]
    taken = {name.lower() for name, _ in first.fields} | {COOKIE.lower()}
    fields = [field for field in first.fields if field[0] != COOKIE]
    fields += [(name, value) for name, value in second.fields if name.lower() not in taken]
    if cookies:
        fields.append((COOKIE, "; ".join(cookies)))
    return replace(
        first,
        fields=tuple(fields),
        certificate=first.certificate or second.certificate,
        proxy=first.proxy or second.proxy,
        is_direct=first.is_direct or second.is_direct,
        login=first.login or second.login,
        networks=first.networks or second.networks,
    )
