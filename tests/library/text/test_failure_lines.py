"""What failed, with the reason."""

from __future__ import annotations

from hinterland.library.text.failure_lines import failure_lines
from hinterland.storage.values.pages import FailureReport


def test_a_reason_is_never_cut_and_has_a_line_of_its_own_if_it_is_long() -> None:
    long = "certificate verify failed: " + "unable to get local issuer certificate " * 4
    failures = [
        FailureReport("tls_failure", None, 2, 0, "https://a.example/", long),
        FailureReport("client_error", 404, 12, 0, "https://a.example/" + "x" * 200, "status 404"),
        FailureReport("client_error", 410, 1, 0, "https://a.example/y", ""),
    ]
    assert list(failure_lines(failures))[2:] == [
        "  tls_failure    2  https://a.example/",
        f"      ({long})",
        f"  client_error  12  https://a.example/{'x' * 200}",
        "      (status 404)",
        "  client_error   1  https://a.example/y  (status 410)",
    ]
