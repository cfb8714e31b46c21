"""What keeps the pages harmless in a browser: headers, and which names they answer to. Pure."""

from __future__ import annotations

import ipaddress

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",  # for what does not know frame-ancestors
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
}
"""Of every answer, errors included."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that is bound to `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def names_this_machine(host_field: str) -> bool:
    """Whether a Host header names the machine the browser runs on.

    A page of the web can give its own name the address 127.0.0.1 (DNS rebinding) and would then read what a server
    on loopback answers as its own; the browser still sends that name in the Host header.
    """
    name = host_field.rpartition(":")[0] if not host_field.endswith("]") and ":" in host_field else host_field
    name = name.lower().removesuffix(".")
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1]
    return name.endswith(".localhost") or is_loopback(name)
