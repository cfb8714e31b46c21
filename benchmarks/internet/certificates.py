"""Certificates of an own authority for the hosts of a box, made with the openssl command.

Names below one parent share a wildcard; the others are gathered in certificates of some dozens of names, so that
20,000 hosts need few files and no handshake carries a long list.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

NAMES_IN_ONE: Final = 40
_SHARED_BY: Final = 2
"""Names below one parent from which on it gets a wildcard."""


class CertificatesFailed(Exception):
    """The openssl command is missing or refused to make a certificate."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """The files of a certificate; `chain` has it first, then those above it except the root. Both are PEM."""

    chain: Path
    key: Path


@dataclass(frozen=True, slots=True)
class Certificates:
    """What the hosts show. authority: the PEM file that a client trusts. of_name: the place of a name in the lists."""

    authority: Path
    good: list[Certificate]
    expired: list[Certificate]
    wrong_name: Certificate
    unknown_authority: list[Certificate]
    of_name: dict[str, int]


def gathered(names: Iterable[str]) -> list[list[str]]:
    """Return the names of each certificate, so that all names are covered.

    Names that share a parent are covered by a wildcard.
    """
    parents = {name: name.partition(".")[2] for name in dict.fromkeys(names)}
    shared = {parent for parent, count in Counter(parents.values()).items() if count >= _SHARED_BY and "." in parent}
    entries = dict.fromkeys(f"*.{parent}" if parent in shared else name for name, parent in parents.items())
    listed = list(entries)
    return [listed[begin : begin + NAMES_IN_ONE] for begin in range(0, len(listed), NAMES_IN_ONE)]


def make_certificates(folder: Path, names: Sequence[str], odd_names: Sequence[str]) -> Certificates:
    """Make the certificates of all names in a folder.

    `odd_names` also need an expired one and one of an unknown authority. Raises CertificatesFailed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    root, authority = _authority(folder, "authority")
    _, stranger = _authority(folder, "stranger")
    key = _key(folder / "host.key")
    _openssl("req", "-new", "-key", key, "-out", _request_of(key), "-subj", "/O=Box")
    groups = gathered(names) or [["nobody.invalid"]]
    numbers = {entry: number for number, entries in enumerate(groups) for entry in entries}
    of_name = {name: _number(numbers, name) for name in names}
    needed = {of_name[name] for name in odd_names}
    good = [_signed(folder, f"good{number}", entries, key, authority) for number, entries in enumerate(groups)]
    expired, unknown = list(good), list(good)
    for number in needed:
        expired[number] = _signed(folder, f"expired{number}", groups[number], key, authority, is_expired=True)
        unknown[number] = _signed(folder, f"unknown{number}", groups[number], key, stranger)
    other = _signed(folder, "other", ["another-host.invalid"], key, authority)
    return Certificates(root.chain, good, expired, other, unknown, of_name)


def _number(numbers: dict[str, int], name: str) -> int:
    exact = numbers.get(name)
    return numbers["*." + name.partition(".")[2]] if exact is None else exact


def _authority(folder: Path, name: str) -> tuple[Certificate, Certificate]:
    """Make a root, which clients may trust, and the authority below it that signs for hosts."""
    root, below = (Certificate(folder / f"{each}.pem", _key(folder / f"{each}.key")) for each in (name, f"{name}2"))
    constraints = "basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"
    _openssl("req", "-x509", "-key", root.key, "-out", root.chain, "-days", "3", "-subj", f"/CN=Box {name}",
             *(word for each in constraints for word in ("-addext", each)))  # fmt: skip
    request, extensions = folder / f"{name}2.csr", folder / f"{name}2.ext"
    extensions.write_text("\n".join((*constraints, "subjectKeyIdentifier=hash", "authorityKeyIdentifier=keyid")) + "\n")
    _openssl("req", "-new", "-key", below.key, "-out", request, "-subj", f"/CN=Box {name} 2")
    _sign(request, extensions, below.chain, root)
    return root, below


def _sign(request: Path, extensions: Path, chain: Path, by: Certificate) -> None:
    _openssl("x509", "-req", "-in", request, "-CA", by.chain, "-CAkey", by.key, "-CAcreateserial", "-days", "2",
             "-extfile", extensions, "-out", chain)  # fmt: skip


def _key(path: Path) -> Path:
    _openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path)
    return path


def _signed(
    folder: Path, name: str, entries: Sequence[str], key: Path, by: Certificate, *, is_expired: bool = False
) -> Certificate:
    request, extensions, chain = _request_of(key), folder / f"{name}.ext", folder / f"{name}.pem"
    names = ",".join(f"DNS:{entry}" for entry in entries)
    extensions.write_text(
        f"subjectAltName={names}\nbasicConstraints=CA:FALSE\nkeyUsage=digitalSignature\nextendedKeyUsage=serverAuth\n"
        "authorityKeyIdentifier=keyid\nsubjectKeyIdentifier=hash\n"
    )
    if is_expired:
        _expire(folder, name, request, extensions, chain, by)
    else:
        _sign(request, extensions, chain, by)
    chain.write_text(chain.read_text() + by.chain.read_text())
    return Certificate(chain, key)


def _request_of(key: Path) -> Path:
    """Return the signing request of a key, the same for all of its certificates: it has no names."""
    return key.with_suffix(".csr")


def _expire(folder: Path, name: str, request: Path, extensions: Path, chain: Path, by: Certificate) -> None:
    """Sign with an end in the past, which `openssl x509` refuses and `openssl ca` does."""
    database, configuration = folder / f"{name}.index", folder / f"{name}.cnf"
    database.write_text("")
    configuration.write_text(
        f"[ca]\ndefault_ca=box\n[box]\ndatabase={database}\nnew_certs_dir={folder}\nrand_serial=yes\npolicy=any\n"
        "default_md=sha256\n[any]\norganizationName=optional\n"
    )
    _openssl("ca", "-batch", "-notext", "-config", configuration, "-cert", by.chain, "-keyfile", by.key,
             "-startdate", "20200101000000Z", "-enddate", "20200201000000Z", "-in", request, "-extfile", extensions,
             "-out", chain)  # fmt: skip


def _openssl(*words: str | Path) -> None:
    try:
        done = subprocess.run(["openssl", *map(str, words)], check=False, capture_output=True, text=True)
    except FileNotFoundError:
        raise CertificatesFailed("the openssl command is missing; install the package openssl") from None
    if done.returncode:
        raise CertificatesFailed(f"openssl {words[0]} failed: {done.stderr.strip()}")
