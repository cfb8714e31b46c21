"""A certificate for hosts of the test web, made on the spot with the openssl command."""

from __future__ import annotations

import ssl
import subprocess
from collections.abc import Sequence
from pathlib import Path


def self_signed(folder: Path, hosts: Sequence[str]) -> tuple[ssl.SSLContext, Path]:
    """For LoopbackWeb(tls=...), and the file that a client needs as fetching.ca_file to trust it."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    names = ",".join(f"DNS:{host}" for host in hosts)
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    command += ["-subj", "/CN=loopback", "-days", "2", "-keyout", str(key), "-out", str(certificate)]
    command += ["-addext", f"subjectAltName={names}", "-addext", "keyUsage=digitalSignature,keyCertSign"]
    subprocess.run(command, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context, certificate
