"""Security headers, and the host names to which the server answers. Pure."""

from __future__ import annotations

import ipaddress

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",  # for browsers without frame-ancestors
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
}
"""Sent with every response, including errors."""


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a server bound to `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def names_this_machine(host_field: str) -> bool:
    """Return whether a Host header names the machine that the browser runs on.

    A hostile website can give its host name the address 127.0.0.1 (DNS rebinding), and could then read responses of a
    server on loopback. But the browser still sends the website's name in the Host header.
    """
    name = host_field.rpartition(":")[0] if not host_field.endswith("]") and ":" in host_field else host_field
    name = name.lower().removesuffix(".")
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1]
    return name.endswith(".localhost") or is_loopback(name)
