"""Certificates that prove nothing, and handshakes that never end. The host's plain pages are good all the same."""

from __future__ import annotations

import ssl
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.hostile.behaviour import OK, Behaviour, http, page, raw, said

_UNTIL_CLOSE: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page("cut off").encode()

BEHAVIOURS: Final = [
    Behaviour("good", {"/odd": OK}, tls="good", expected={"/odd": "fetched"}),
    Behaviour("self-signed", tls="self-signed", good=0),
    Behaviour("expired", tls="expired", good=0),
    Behaviour("other-name", tls="other-name", good=0),
    Behaviour("old-version", tls="old-version", good=0),
    Behaviour("plain-http", tls="plain", good=0),
    Behaviour("closes-in-handshake", tls="closes", good=0),
    Behaviour("rubbish-in-handshake", tls="rubbish", good=0),
    Behaviour("stalls-in-handshake", tls="stalls", good=0),
    Behaviour("endless-handshake", tls="drips", good=0),
    Behaviour("ends-without-notice", {"/odd": raw(_UNTIL_CLOSE, close=True)}, tls="good"),
    Behaviour("truncated", {"/odd": raw(http(page(), length=5000), close=True)}, tls="good"),
    Behaviour("to-plain-http", {"/odd": said("", "302 Found", ["Location: http://elsewhere.example/"])}, tls="good"),
]


class Certificates:
    """An authority of our own, and server contexts made from it with the openssl command, in a folder."""

    def __init__(self, folder: Path) -> None:
        """Make an authority in the folder."""
        self._folder = folder
        self.authority = folder / "authority.pem"
        self._openssl("req", "-x509", *_KEY, "-nodes", "-keyout", "authority.key", "-out", "authority.pem",
                      "-subj", "/CN=Hostile Authority", "-days", "3")  # fmt: skip

    def context(self, kind: str, name: str) -> ssl.SSLContext:
        """Return the TLS context of one host, with a certificate of this kind."""
        certificate = f"{name}.{kind}.pem"
        self._openssl("req", *_KEY, "-nodes", "-keyout", f"{certificate}.key", "-out", f"{certificate}.csr",
                      "-subj", "/CN=hostile")  # fmt: skip
        shown = "elsewhere.example" if kind == "other-name" else name
        (self._folder / f"{certificate}.ext").write_text(f"subjectAltName=DNS:{shown}\n")
        signer: Sequence[str] = ("-CA", "authority.pem", "-CAkey", "authority.key", "-CAcreateserial")
        if kind == "self-signed":
            signer = ("-signkey", f"{certificate}.key")
        days = "-1" if kind == "expired" else "3"
        self._openssl("x509", "-req", "-in", f"{certificate}.csr", *signer, "-days", days,
                      "-extfile", f"{certificate}.ext", "-out", certificate)  # fmt: skip
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if kind == "old-version":
            context.minimum_version = ssl.TLSVersion.TLSv1
            context.maximum_version = ssl.TLSVersion.TLSv1_1
            context.set_ciphers("ALL:@SECLEVEL=0")
        context.load_cert_chain(self._folder / certificate, self._folder / f"{certificate}.key")
        return context

    def _openssl(self, *arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=self._folder, check=True, capture_output=True)


_KEY: Final = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256")
