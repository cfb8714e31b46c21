"""The filter and order of the table of pages, as given in an address or in the form above the table. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from hinterland.library.text.moments import NoMoment, moment_named
from hinterland.storage.values.page_table import PAGE_ORDERS, PageFilter
from hinterland.storage.values.pages import PAGE_STATES
from hinterland.web import parameters
from hinterland.web.parameters import BadParameter
from hinterland.web.spans import LONGEST_SPAN, count_span, seconds_span, size_span, status_span

PLACES = {"": None, "local": True, "outside": False}
"""By value of `place`, whether pages must be in the local domain; None means either."""
_FIELDS = ("state", "place", "outcome", "status", "type", "host", "depth", "size", "took", "since", "until")
_LONGEST = 100
_LONGEST_HOST = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class PageChoice:
    """A filter and order of pages.

    `given` holds the fields of the form that were filled in. `host` is the host as given, a number or a name, and
    `wanted` is the filter without the host. `order` is one of PAGE_ORDERS. `PageTables.portion` explains `after` and
    `start`.
    """

    given: Mapping[str, str]
    host: str
    wanted: PageFilter
    order: str
    is_descending: bool
    after: int
    start: int

    @classmethod
    def of(cls, query: Mapping[str, str], now: float) -> PageChoice:
        """Parse the parameters of a query; `now` is in epoch seconds, for relative dates.

        Raises BadParameter.
        """
        spans = ("status", "depth", "size", "took")
        texts = {name: parameters.text(query, name, LONGEST_SPAN).strip() for name in spans}
        since, until = (_moment(query, name, now) for name in ("since", "until"))
        wanted = PageFilter(
            state=parameters.choice(query, "state", ("", *PAGE_STATES), ""),
            outcome=parameters.text(query, "outcome", _LONGEST).strip(),
            is_local=PLACES[parameters.choice(query, "place", PLACES, "")],
            statuses=status_span("status", texts["status"]),
            content_type=parameters.text(query, "type", _LONGEST).strip().lower(),
            depths=count_span("depth", texts["depth"]),
            sizes=size_span("size", texts["size"]),
            seconds=seconds_span("took", texts["took"]),
            fetched=(since, until),
            is_untitled=parameters.flag(query, "untitled"),
        )
        host = parameters.text(query, "host", _LONGEST_HOST).strip()
        given = {name: query[name].strip() for name in _FIELDS if query.get(name, "").strip()}
        if wanted.is_untitled:
            given["untitled"] = "1"
        return cls(
            given=given,
            host=host,
            wanted=wanted,
            order=parameters.choice(query, "order", ("", *PAGE_ORDERS), "") or _usual_order(host),
            is_descending=parameters.flag(query, "desc"),
            after=parameters.number(query, "after", -1, lowest=-1),
            start=parameters.number(query, "start", -1, lowest=-1),
        )

    def address(self, **changed: str | int | bool) -> str:
        """Return the query string, with its "?", of this choice after some changes.

        The arguments name the fields to change: fields of the form, or `order`, `desc`, `after` and `start`.
        """
        said: dict[str, str | int | bool] = {
            "order": "" if self.order == _usual_order(self.host) else self.order,
            "desc": self.is_descending,
            "after": self.after,
            "start": self.start,
        }
        fields = {**self.given, **said, **changed}
        asked = {name: int(value) if isinstance(value, bool) else value for name, value in fields.items()}
        return "?" + urlencode([each for each in asked.items() if each[1] not in ("", -1) and each != ("desc", 0)])

    def of_host(self, number: int | None) -> PageFilter:
        """Return the filter with `number` as its host."""
        return replace(self.wanted, host=number)


def _usual_order(host: str) -> str:
    return "url" if host else "number"


def _moment(query: Mapping[str, str], name: str, now: float) -> float | None:
    text = parameters.text(query, name, LONGEST_SPAN).strip()
    if not text:
        return None
    try:
        return moment_named(text, now)
    except NoMoment as error:
        raise BadParameter(f"{name}: {error}") from None
