"""TLS with resumption: a second connection to a host needs no exchange of keys and certificates."""

from __future__ import annotations

import ssl
import sys
from collections.abc import Callable
from typing import Final

from hinterland.crawler.fetching.access.access import ClientCertificate
from hinterland.crawler.fetching.answers import PLAIN, Connection, Validity
from hinterland.crawler.fetching.client.request import under_way
from hinterland.crawler.settings import FetchingSettings

_MOST_SESSIONS: Final = 1_000  # of 12 KB each, mostly the certificates of the server


class TlsContext(ssl.SSLContext):
    """A TLS context that resumes sessions: it offers a host the session of the last connection, once.

    A session is used only for the name whose certificate was checked when it began, and only in this context, since
    another context may check certificates differently. If there are too many sessions, the oldest are forgotten.
    """

    def prepare(self, load: Callable[[], object] | None, most_sessions: int = _MOST_SESSIONS) -> None:
        """Prepare the context; call it once, before the first connection.

        `load` is called before the first handshake.
        """
        self._sessions: dict[str, ssl.SSLSession] = {}
        self._most_sessions = most_sessions
        self._load = load

    def wrap_bio(
        self,
        incoming: ssl.MemoryBIO,
        outgoing: ssl.MemoryBIO,
        server_side: bool = False,
        server_hostname: str | bytes | None = None,
        session: ssl.SSLSession | None = None,
    ) -> ssl.SSLObject:
        """Begin a handshake, with a kept session if there is one; the event loop calls this."""
        if self._load is not None:
            load, self._load = self._load, None
            load()
        if (request := under_way.get()) is not None:
            request.handshake_begins()
        if session is None and isinstance(server_hostname, str):
            session = self._sessions.pop(server_hostname, None)
        return super().wrap_bio(incoming, outgoing, server_side, server_hostname, session)

    def keep_session(self, connection: ssl.SSLObject) -> None:
        """Keep the session of a connection that has ended; TLS 1.3 sends it with or after the first answer."""
        name, session = connection.server_hostname, connection.session
        if name is None or session is None or not (session.has_ticket or session.id):
            return
        self._sessions.pop(name, None)
        self._sessions[name] = session
        if len(self._sessions) > self._most_sessions:
            del self._sessions[next(iter(self._sessions))]


def connection_over(tls: ssl.SSLObject | None) -> Connection:
    """Return what is known about a connection just made; `tls` is None if it does not use TLS."""
    certificate = None if tls is None else tls.getpeercert()
    if not certificate:
        return PLAIN
    since, until = (ssl.cert_time_to_seconds(str(certificate[name])) for name in ("notBefore", "notAfter"))
    return Connection(Validity(since, until))


def tls_context(settings: FetchingSettings, certificate: ClientCertificate | None = None) -> TlsContext:
    """Return a context that follows the settings, and offers a client certificate if one is given.

    The system's certificate authorities are loaded before the first handshake. This takes 30 ms, which a crawl without
    TLS saves.
    """
    context = TlsContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_alpn_protocols(("http/1.1",))
    if certificate is not None:
        context.load_cert_chain(certificate.certificate, certificate.key or None, certificate.password)
    if not settings.verify_tls:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.prepare(None)
        return context
    if sys.version_info >= (3, 13):  # as ssl.create_default_context does from then on
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN | ssl.VERIFY_X509_STRICT
    if settings.ca_file:
        context.load_verify_locations(cafile=settings.ca_file)
        context.prepare(None)
    else:
        context.prepare(context.load_default_certs)
    return context
