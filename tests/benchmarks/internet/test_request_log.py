"""The log of the web side: what was noted is read again."""

from __future__ import annotations

import io
from pathlib import Path

from benchmarks.internet.request_log import Arrival, Request, RequestLog, read_requests

REQUESTS = [
    Request(1.5, 2.25, "http://a.example", "198.18.1.0", "/x y.html?\u00e9", 200, Arrival.NEW),
    Request(3.0, 3.5, "https://b.example", "2001:db8::1", "/", -200, Arrival.RESUMED),
    Request(4.0, 4.0, "https://b.example", "2001:db8::1", "/robots.txt", 429, Arrival.REUSED, 30),
]


def written(requests: list[Request]) -> str:
    file = io.StringIO()
    log = RequestLog(file)
    for each in requests:
        log.note(
            each.received,
            each.ended,
            each.host,
            each.address,
            each.path,
            each.status,
            each.arrival,
            each.retry_after,
        )
    log.flush()
    return file.getvalue()


def test_requests_are_read_as_they_were_noted(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(written(REQUESTS), encoding="utf-8", newline="\n")
    assert list(read_requests(path)) == REQUESTS
    assert [each.family for each in REQUESTS] == [4, 6, 6]


def test_a_line_that_is_cut_off_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(written(REQUESTS)[:-3], encoding="utf-8", newline="\n")
    assert list(read_requests(path)) == REQUESTS[:2]


def test_lines_are_gathered_until_there_are_many() -> None:
    file = io.StringIO()
    log = RequestLog(file)
    log.note(1.0, 1.0, "http://a.example", "198.18.1.0", "/", 200, Arrival.NEW, 0)
    assert not file.getvalue()
    for _ in range(2_000):
        log.note(1.0, 1.0, "http://a.example", "198.18.1.0", "/", 200, Arrival.NEW, 0)
    assert file.getvalue()
