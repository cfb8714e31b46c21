"""What takes the bulk requests of OpenSearch and Elasticsearch, and checks that they can be read."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class _Taker(BaseHTTPRequestHandler):
    def do_PUT(self) -> None:
        json.loads(self._body())
        self._answer()

    def do_POST(self) -> None:
        lines = [json.loads(line) for line in self._body().splitlines()]
        assert len(lines) % 2 == 0
        self._answer()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name in the class above
        pass

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers["Content-Length"]))

    def _answer(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"errors": false}')


@contextmanager
def bulk_server() -> Iterator[int]:
    """Its port, while it serves."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Taker) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
