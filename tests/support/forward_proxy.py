"""A forward proxy that finds every host on this machine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

_OF_ONE_CONNECTION = ("connection", "transfer-encoding", "content-length", "server", "date")


class _Forwarder(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        upstream = HTTPConnection("127.0.0.1", asked.port or 80, timeout=30)
        try:
            path = f"{asked.path or '/'}{'?' * bool(asked.query)}{asked.query}"
            upstream.request("GET", path, headers={"Host": asked.netloc})
            answer = upstream.getresponse()
            body = answer.read()
        finally:
            upstream.close()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _OF_ONE_CONNECTION:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name in the class above
        pass


@contextmanager
def forward_proxy() -> Iterator[int]:
    """Its port, while it serves."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Forwarder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
