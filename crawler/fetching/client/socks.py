"""Connections through SOCKS proxies (RFC 1928), by the package python-socks."""

from __future__ import annotations

import socket

from hinterland.crawler.fetching.access.access import Proxy


class ProxyFailed(OSError):
    """Raised if a proxy does not connect to a host; the message says why, without the proxy's user and password."""


async def socks_socket(proxy: Proxy, host: str, port: int) -> socket.socket:
    """Return a socket that a SOCKS proxy has connected to a host: an address or, with socks5h, a name.

    Raises ProxyFailed. The caller limits the time.
    """
    from python_socks import ProxyError, ProxyType  # only crawls through such a proxy need the package
    from python_socks.async_.asyncio import Proxy as SocksProxy

    way = SocksProxy(
        ProxyType.SOCKS5,
        proxy.host,
        proxy.port,
        username=proxy.user or None,
        password=proxy.password or None,
        rdns=True,  # addresses are passed on as they are, and names, which only socks5h has, are for the proxy
    )
    try:
        return await way.connect(host, port)
    except (ProxyError, OSError) as error:
        raise ProxyFailed(f"{proxy.url}: {error}") from None
