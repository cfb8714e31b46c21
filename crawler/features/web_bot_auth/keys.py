"""Ed25519 keys in files, and the directory that publishes them."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from hinterland.crawler.features.web_bot_auth.signature import thumbprint, url_safe
from hinterland.crawler.fetching.access.secret_sources import SecretUnusable, private_file

KEY_FILE: Final = "key.pem"
FORMER_FILE: Final = "former-keys.json"
_PRIVATE: Final = 0o600
FORMER_DAYS: Final = 7
"""How many days the directory keeps a key after a new one has replaced it."""


@dataclass(frozen=True, slots=True)
class Ed25519Key:
    """A private key, with which requests are signed."""

    private: Ed25519PrivateKey
    keyid: str

    @staticmethod
    def of(private: Ed25519PrivateKey) -> Ed25519Key:
        """Return a key with its thumbprint."""
        return Ed25519Key(private, thumbprint(_public(private)))

    def __repr__(self) -> str:
        """Return the thumbprint of the key."""
        return f"Ed25519Key({self.keyid})"

    def sign(self, data: bytes) -> bytes:
        """Return the signature of some bytes."""
        return self.private.sign(data)

    def public_jwk(self) -> dict[str, str]:
        """Return the public key as a JWK, as the directory lists it."""
        x = url_safe(_public(self.private))
        return {"kty": "OKP", "crv": "Ed25519", "kid": self.keyid, "x": x, "use": "sig"}


def read_key(path: str) -> Ed25519Key:
    """Return the key in a PEM file. Raises SecretUnusable."""
    data = private_file(path, "the key of [signatures]")
    try:
        private = load_pem_private_key(data, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise SecretUnusable(f"{path} is not a private key in PEM format without a password") from None
    if not isinstance(private, Ed25519PrivateKey):
        raise SecretUnusable(f"{path} is not an Ed25519 key; make one with `identity new`")
    return Ed25519Key.of(private)


def make_key(folder: Path) -> tuple[Ed25519Key, Ed25519Key | None]:
    """Make a key in a folder; return it and the key that it replaces, None if there was none.

    The directory keeps the public half of the replaced key for FORMER_DAYS, because requests signed with it may still
    be under way. Raises SecretUnusable and OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / KEY_FILE
    former = read_key(str(file)) if file.exists() else None
    if former is not None:
        entry = {**former.public_jwk(), "exp": int(time.time()) + FORMER_DAYS * 86_400}
        kept = [*former_keys(folder), entry]
        (folder / FORMER_FILE).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    new = folder / f"{KEY_FILE}.new"
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE), "wb") as opened:
        opened.write(pem)
    new.replace(file)
    return Ed25519Key.of(key), former


def former_keys(folder: Path) -> list[dict[str, Any]]:
    """Return the public halves of replaced keys that have not expired, as JWKs."""
    file = folder / FORMER_FILE
    if not file.exists():
        return []
    found: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    return [key for key in found if key.get("exp", 0) > time.time()]


def directory(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the directory of public keys: the current key, and former keys. Raises SecretUnusable."""
    return {"keys": [read_key(str(folder / KEY_FILE)).public_jwk(), *former_keys(folder)]}


def _public(private: Ed25519PrivateKey) -> bytes:
    return private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
