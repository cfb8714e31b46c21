"""Additions to single requests (credentials, cookies, signatures, certificates, proxies), and their providers. Pure.

This module alone decides which of these a request gets. The decision is made for each request, by its own target.
Nothing is carried over to another request, even if that request follows a redirect, is a retry, or goes to another name
of the same machine.
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
    """A client certificate for TLS: the file of the certificate and the file of its key.

    `password` decrypts the key; it is "" if the key is not encrypted.
    """

    certificate: str
    key: str
    password: str = ""

    def __repr__(self) -> str:
        """Return a description with the file of the certificate, without the password."""
        return f"ClientCertificate({self.certificate!r})"


class Proxy(NamedTuple):
    """A proxy, such as "http://proxy.example:3128". Only the proxy receives `user` and `password`.

    The schemes are http, socks5 (host names are looked up here) and socks5h (the proxy looks them up).
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
    """What a single request gets in addition to what all requests get.

    `fields` are header fields, (name, value); they replace fields of the same name that all requests have.
    `certificate` is offered to the host during the TLS handshake. `proxy` is the proxy to use; None means the usual
    one, or no proxy if the request `is_direct`. `login` is the kind of login that the request carries, such as
    "bearer"; "" for none. `networks` are the only networks to which the request may be sent, in CIDR notation; empty
    means that the general rules suffice.
    """

    fields: tuple[tuple[str, str], ...] = ()
    certificate: ClientCertificate | None = None
    proxy: Proxy | None = None
    login: str = ""
    networks: tuple[str, ...] = ()
    is_direct: bool = False

    def __repr__(self) -> str:
        """Return a description with the names of the header fields, without their values."""
        names = ", ".join(name for name, _ in self.fields)
        return f"Access({names}; login={self.login!r}, proxy={self.proxy!r})"

    def may_go_to(self, address: str) -> bool:
        """Return whether `networks` allow an IP address as the target. The general rules are checked elsewhere."""
        return not self.networks or any(ip_address(address) in ip_network(network) for network in self.networks)


NO_ACCESS: Final = Access()
"""The access of a request to which no provider gives anything."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that is about to be made.

    `now` is in epoch seconds. `by` is the origin of the page whose script makes the request; "" for requests of the
    crawl itself. `method` is the HTTP method.
    """

    target: Target
    now: float
    by: str = ""
    method: str = "GET"

    @property
    def is_of_another_origin(self) -> bool:
        """Whether the request is made by a script of a page with another origin than the target."""
        return bool(self.by) and self.by != self.target.origin


class AccessProvider:
    """Base class of providers, which add something to single requests, such as credentials. This class adds nothing."""

    secret_fields: Sequence[str] = ()
    """Names of header fields that the provider adds and that no archive may hold."""

    def access(self, asked: Asked) -> Access:
        """Return what the provider adds to a request. This is called for every request, right before it is made."""
        return NO_ACCESS

    def answered(self, asked: Asked, status: int, fields: Mapping[str, str], cookies: Sequence[str]) -> None:
        """Learn of the answer to a request. `cookies` are the values of its Set-Cookie fields."""

    def opened(self, url: str, login: str) -> None:
        """Learn that a URL answered a request with a login, such as "bearer". Any provider may have sent the login."""


class CombinedAccess(AccessProvider):
    """Combines providers.

    If several providers give a request the same header field, a certificate or a proxy, the first of them decides. Only
    cookies are joined.
    """

    def __init__(self, providers: Iterable[AccessProvider] = ()) -> None:
        """Combine providers, the most important first."""
        self._providers = tuple(providers)
        self.secret_fields = tuple(name for each in self._providers for name in each.secret_fields)
        self.on_opened: Callable[[str, str], None] | None = None
        """Called with the URL and the login of each answered request that carried a login, before anything else is
        done."""

    def access(self, asked: Asked) -> Access:
        """Return what the providers together add to a request."""
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
        """Call `on_opened`."""
        if self.on_opened is not None:
            self.on_opened(url, login)

    def find(self, kind: type[Kind]) -> Kind | None:
        """Return the first provider that is an instance of this class; None if there is none."""
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
