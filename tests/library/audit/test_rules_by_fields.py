"""What single fields and outcomes mean for an audit."""

from __future__ import annotations

import pytest

from hinterland.library.audit.checked import Check, Checks
from hinterland.library.audit.rules.cache_headers import why_not_kept


@pytest.mark.parametrize(
    "control, has_validator, is_kept",
    [
        ("", True, True),
        ("", False, False),
        ("max-age=60", False, True),
        ("public, s-maxage=0600", False, True),
        ("max-age=0, must-revalidate", False, False),
        ("no-cache", True, True),
        ("private, No-Store", True, False),
        ("x-max-age=60", False, False),
    ],
)
def test_a_page_is_kept_with_a_lifetime_or_a_validator_and_never_against_no_store(
    control: str, has_validator: bool, is_kept: bool
) -> None:
    fields = {"cache_control": control} if control else {}
    assert (why_not_kept(fields, has_validator=has_validator) == "") == is_kept


def test_an_expiry_date_is_a_lifetime() -> None:
    assert why_not_kept({"expires": "Thu, 01 Dec 2099 16:00:00 GMT"}, has_validator=False) == ""


def check(outcome: str, status: int | None = None) -> Check:
    return Check("page", outcome, status, None, None, None)


def test_an_address_of_a_host_that_was_given_up_is_only_unreachable_if_the_host_never_answered() -> None:
    checks = Checks(
        [
            ("http://answers.test/error", check("server_error", 500)),
            ("http://answers.test/unasked", check("host_given_up")),
            ("http://dead.test/lost", check("dns_failure")),
            ("http://dead.test/unasked", check("host_given_up")),
        ]
    )
    answering, dead = checks.said("http://answers.test/unasked"), checks.said("http://dead.test/unasked")
    assert answering is not None
    assert answering.is_unsaid
    assert dead is not None
    assert dead.is_unreachable
