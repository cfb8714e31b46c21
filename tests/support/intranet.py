"""A small intranet on loopback: four hosts with 31 pages each, every one of them behind a login of another kind."""

from __future__ import annotations

import secrets
import ssl
import subprocess
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs

from tests.support.web import ANY_PATH, Answer, Exchange, Handler, LoopbackWeb
from tests.support.web_tls import self_signed

PAGES = 31
USER, PASSWORD, TOKEN = "alice", "planted-open-sesame", "planted-token-4711"
HOSTS = ("basic.test", "bearer.test", "form.test")
CERTIFIED = "cert.test"


@dataclass(slots=True)
class Sessions:
    """The sessions of the host with a form. Each is good for `uses` pages; then the user must log in again."""

    uses: int = 1000
    live: dict[str, int] = field(default_factory=dict)
    tokens: set[str] = field(default_factory=set)
    logins: int = 0
    refused: int = 0
    logged_out: int = 0
    deleted: int = 0


def tree_page(path: str, more: Sequence[str] = ()) -> Answer:
    """Page n links to 2n and 2n+1, of a tree that begins at 1."""
    number = int(path.strip("/") or "1")
    links = [f"/{each}" for each in (2 * number, 2 * number + 1) if each <= PAGES]
    anchors = "".join(f'<a href="{each}">{each}</a>' for each in [*links, *more])
    return Answer(f"<title>Page {number}</title><p>Inside, page {number}. {anchors}".encode())


def needs(field_: str, value: str, challenge: str) -> Handler:
    """The tree, for those who send a header field of this value."""

    async def handler(exchange: Exchange) -> None:
        if exchange.request.headers.get(field_) != value:
            await Answer(b"who are you?", 401, headers={"WWW-Authenticate": challenge})(exchange)
            return
        await tree_page(exchange.request.path)(exchange)

    return handler


def behind_form(sessions: Sessions) -> Handler:
    """The tree, for those who have sent the form; it has a token that must come back."""

    async def handler(exchange: Exchange) -> None:
        request = exchange.request
        path = request.path.partition("?")[0]
        cookies = dict(each.partition("=")[::2] for each in request.headers.get("cookie", "").split("; "))
        session = cookies.get("sid", "")
        if path == "/login":
            await _login(sessions, request.form)(exchange)
        elif sessions.live.get(session, 0) <= 0:
            await Answer(b"", 302, headers={"Location": f"/login?next={path}"})(exchange)
        elif path == "/logout":
            sessions.logged_out += 1
            sessions.live.clear()
            await Answer(b"bye")(exchange)
        elif path.endswith("/delete"):
            sessions.deleted += 1
            await Answer(b"gone")(exchange)
        elif path == "/home":
            await Answer(b"<p>Welcome, alice. <a href='/logout'>Sign out</a> <a href='/1'>start</a>")(exchange)
        else:
            sessions.live[session] -= 1
            await tree_page(path, ["/logout", f"{path}/delete", "/home"])(exchange)

    return handler


def _login(sessions: Sessions, form: str) -> Answer:
    if not form:
        token = secrets.token_hex(8)
        sessions.tokens.add(token)
        return Answer(
            f'<form method=post action="/login"><input type=hidden name=token value="{token}">'
            "<input name=user><input type=password name=pass><button name=go value=1>in</button></form>".encode()
        )
    sent = {name: values[0] for name, values in parse_qs(form).items()}
    if sent.get("token") not in sessions.tokens or (sent.get("user"), sent.get("pass")) != (USER, PASSWORD):
        sessions.refused += 1
        return Answer(b"<p>Wrong.<form method=post><input name=user><input type=password name=pass></form>")
    sessions.tokens.discard(sent["token"])
    sessions.logins += 1
    sid = secrets.token_hex(8)
    sessions.live[sid] = sessions.uses
    return Answer(b"", 303, headers={"Location": "/home", "Set-Cookie": f"sid={sid}; HttpOnly; Path=/"})


def define(web: LoopbackWeb, sessions: Sessions) -> None:
    """Define the three hosts without TLS."""
    pair = b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    web.answer("basic.test", ANY_PATH, needs("authorization", f"Basic {pair}", "Basic"))
    web.answer("bearer.test", ANY_PATH, needs("authorization", f"Bearer {TOKEN}", "Bearer"))
    web.answer("form.test", ANY_PATH, behind_form(sessions))


def define_certified(web: LoopbackWeb) -> None:
    """Define the host that lets in clients with a certificate; the TLS handshake checks it."""

    async def handler(exchange: Exchange) -> None:
        await tree_page(exchange.request.path)(exchange)

    web.answer(CERTIFIED, ANY_PATH, handler)


def asking_for_certificates(folder: Path) -> tuple[ssl.SSLContext, Path, Mapping[str, str]]:
    """For LoopbackWeb(tls=...) of a host that wants a client certificate; the file by which clients trust it; and the
    files of a client."""
    context, trusted = self_signed(folder, [CERTIFIED])
    key, certificate = folder / "client.key", folder / "client.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    command += ["-subj", "/CN=alice", "-days", "2", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    key.chmod(0o600)
    context.load_verify_locations(certificate)
    context.verify_mode = ssl.CERT_REQUIRED
    return context, trusted, {"certificate": str(certificate), "key": str(key)}


def private(folder: Path, name: str, text: str) -> str:
    """Where a secret is that was written to a private file."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    file.chmod(0o600)
    return f"file:{file}"
