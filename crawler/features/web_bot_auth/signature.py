"""Signatures of requests according to RFC 9421, for the profile Web Bot Auth. Pure."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import http_sf

from hinterland.crawler.fetching.access.target import Target

TAG: Final = "web-bot-auth"
LABEL: Final = "sig1"
DIRECTORY_PATH: Final = "/.well-known/http-message-signatures-directory"
DIRECTORY_TYPE: Final = "application/http-message-signatures-directory+json"
_USUAL: Final = ("@authority", "signature-agent")
_MOST_CHARACTERS: Final = 2_000
_OPTIONAL: Final = frozenset({"@method", "@scheme", "@path"})
"""Components that a site may ask for besides the usual ones. A signature with @path is valid for one URL only."""


class SigningKey(Protocol):
    """A private key."""

    @property
    def keyid(self) -> str:
        """The thumbprint of its public key."""
        ...

    def sign(self, data: bytes) -> bytes:
        """Return the Ed25519 signature of some bytes."""
        ...


@dataclass(frozen=True, slots=True)
class Challenge:
    """What a site wants signed: components of the request, and the nonce that the site has sent, "" if it sent none."""

    components: tuple[str, ...] = _USUAL
    nonce: str = ""

    @property
    def is_reusable(self) -> bool:
        """Whether one signature can be sent with several requests to the host."""
        return not self.nonce and not set(self.components) & {"@path", "@method"}


def thumbprint(public_key: bytes) -> str:
    """Return the JWK thumbprint of an Ed25519 public key (RFC 7638, RFC 8037 appendix A.3)."""
    canonical = json.dumps({"crv": "Ed25519", "kty": "OKP", "x": url_safe(public_key)}, separators=(",", ":"))
    return url_safe(hashlib.sha256(canonical.encode()).digest())


def url_safe(data: bytes) -> str:
    """Return bytes in base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signature_base(components: Sequence[tuple[str, str]], parameters: str) -> str:
    """Return the text that is signed (RFC 9421 section 2.5).

    `components` are (identifier as written, value) in their order; `parameters` is the value of @signature-params.
    """
    lines = [f"{identifier}: {value}" for identifier, value in components]
    return "\n".join([*lines, f'"@signature-params": {parameters}'])


def signature_parameters(identifiers: Sequence[str], parameters: Mapping[str, int | str]) -> str:
    """Return the value of @signature-params; the header field Signature-Input contains the same value."""
    written = [
        f"{name}={value}" if isinstance(value, int) else f'{name}="{value}"' for name, value in parameters.items()
    ]
    return ";".join([f"({' '.join(identifiers)})", *written])


def signed_fields(
    target: Target,
    key: SigningKey,
    agent: str,
    *,
    challenge: Challenge,
    created: int,
    expires: int,
    nonce: str,
    method: str = "GET",
) -> tuple[tuple[str, str], ...]:
    """Return the three header fields of a signed request.

    `agent` is the origin of the key directory; `created` and `expires` are in epoch seconds. `nonce` is used if the
    site has not sent a nonce.
    """
    values = {
        "@authority": target.authority,
        "@method": method,
        "@scheme": target.scheme,
        "@path": target.path,
        "signature-agent": f'"{agent}"',
    }
    covered = [(f'"{name}"', values[name]) for name in challenge.components if name != "signature-agent"]
    covered.append((f'"signature-agent";key="{LABEL}"', values["signature-agent"]))
    parameters = signature_parameters(
        [identifier for identifier, _ in covered],
        {
            "created": created,
            "expires": expires,
            "keyid": key.keyid,
            "alg": "ed25519",
            "nonce": challenge.nonce or nonce,
            "tag": TAG,
        },
    )
    signature = base64.b64encode(key.sign(signature_base(covered, parameters).encode())).decode()
    return (
        ("Signature-Agent", f'{LABEL}="{agent}"'),
        ("Signature-Input", f"{LABEL}={parameters}"),
        ("Signature", f"{LABEL}=:{signature}:"),
    )


def read_challenge(field: str) -> Challenge | None:
    """Return what an Accept-Signature field asks for; None if the profile or a component is not supported.

    The result always includes the usual components, because the profile requires them.
    """
    try:
        members: Any = http_sf.parse(field[:_MOST_CHARACTERS].encode("ascii"), tltype="dictionary")
    except (http_sf.StructuredFieldError, UnicodeEncodeError):
        return None
    for value, parameters in members.values():
        if not isinstance(value, list) or parameters.get("tag", TAG) != TAG:
            continue
        if parameters.get("alg", "ed25519") != "ed25519":
            continue
        names = [str(name) for name, _ in value]
        more = [name for name in names if name not in _USUAL]
        nonce = parameters.get("nonce", "")
        if not set(more) <= _OPTIONAL or not isinstance(nonce, str) or '"' in nonce or "\\" in nonce:
            continue
        return Challenge(("@authority", *dict.fromkeys(more), "signature-agent"), nonce)
    return None
