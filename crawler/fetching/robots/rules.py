"""What a robots.txt file lets one crawler fetch (RFC 9309).

`parse_robots` turns the bytes of a file into `RobotsRules` for one agent. The rules say, for each path, whether it may
be fetched and which line decides. `availability` interprets the HTTP status of the file. Nothing here does I/O or reads
a clock: fetching, following redirects, caching and retrying happen elsewhere.

Parsing is as lenient as in the reference implementation, since the files are written by hand: any line ending, a byte
order mark, NUL bytes, invalid UTF-8, unknown lines, a handful of misspellings, a forgotten colon.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NamedTuple

from hinterland.crawler.fetching.robots.matching import (
    NO_RULE,
    TOO_MANY_PATTERNS,
    RobotsRule,
    RuleIndex,
    percent_encoded,
)

MAX_BYTES: Final = 524_288
"""Maximum number of bytes of a file to read and parse; section 2.5 asks for at least 512,000."""


def robots_url(host: str) -> str:
    """Return the URL of the robots.txt of a host ("https://a.example:8443")."""
    return f"{host}/robots.txt"


# --- What the answer to the request for the file means (section 2.3.1) ---


class RobotsAvailability(Enum):
    """Whether a host's robots.txt exists and could be read."""

    AVAILABLE = "available"
    """The file exists: parse it and obey it."""
    UNAVAILABLE = "unavailable"
    """The host has no file for us: everything may be fetched (`ALLOW_ALL`)."""
    UNREACHABLE = "unreachable"
    """The file could not be read: nothing may be fetched until it can (`DISALLOW_ALL`)."""


def availability(status: int | None) -> RobotsAvailability:
    """Return what the final HTTP status of robots.txt means; None stands for any network failure.

    The RFC leaves some choices. 429 asks for fewer requests, so it counts as unreachable, which permits no fetching. A
    3xx is the final status if there are too many redirects, or they lead nowhere; it counts as unavailable, as section
    2.3.1.2 suggests. Numbers that are not a final HTTP status have no meaning, so they count as unreachable.
    """
    if status is None or status == 429:
        return RobotsAvailability.UNREACHABLE
    if 200 <= status < 300:
        return RobotsAvailability.AVAILABLE
    if 300 <= status < 500:
        return RobotsAvailability.UNAVAILABLE
    return RobotsAvailability.UNREACHABLE


# --- What the file says to one agent ---


@dataclass(frozen=True, slots=True)
class RobotsVerdict:
    """Whether a path may be fetched, and the line that decides it."""

    allowed: bool
    line_number: int | None
    """The number of the line, from 1; None if no line decides: none matches, or the path is that of robots.txt itself.
    """
    line: str | None
    group: str | None
    """See `RobotsRules.group`."""


class UsageLine(NamedTuple):
    """A line of a group that says how pages may be used, not whether they may be fetched.

    `name` is the field's name in lower case, "content-usage" or "content-signal"; `value` is what follows the colon.
    """

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """The rules of one robots.txt file for one agent."""

    rules: tuple[RobotsRule, ...] = ()
    """The rules of all groups for the agent, in the order of the file."""
    group: str | None = None
    """The name in the file that these rules are for: the agent's, `*`, or None if the file has no group for the agent.
    """
    crawl_delay: float | None = None
    """The seconds between two requests that the file asks for: finite, not negative, without an upper limit."""
    sitemaps: tuple[str, ...] = ()
    """The sitemaps of the whole file as written, perhaps as relative URLs."""
    usage: tuple[UsageLine, ...] = ()
    """The lines of the group about the use of pages, in the order of the file."""
    _index: RuleIndex = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Build the index of the rules."""
        object.__setattr__(self, "_index", RuleIndex(self.rules))

    @property
    def is_empty(self) -> bool:
        """Whether there is no rule, so that every path is allowed."""
        return not self.rules

    def allows(self, path: str) -> bool:
        """Return whether a path with its query, as written in a canonical URL, may be fetched."""
        return self._index.deciding(path).allow or path == "/robots.txt"

    def granted_delay(self, longest: float) -> float | None:
        """Return the seconds between requests that the file asks for, at most `longest`; None if it does not ask."""
        return None if self.crawl_delay is None else min(self.crawl_delay, longest)

    def doubt(self, path: str) -> str:
        """Return why it is unknown whether the file allows a path; "" if it is known."""
        is_undecided = self._index.deciding(path) is TOO_MANY_PATTERNS
        return "its robots.txt has patterns that take too long to try" if is_undecided else ""

    def verdict(self, path: str) -> RobotsVerdict:
        """Return the result of `allows` together with its reason."""
        rule = NO_RULE if path == "/robots.txt" else self._index.deciding(path)
        return RobotsVerdict(rule.allow, rule.line_number, rule.line, self.group)


ALLOW_ALL: Final = RobotsRules()
DISALLOW_ALL: Final = RobotsRules((RobotsRule(allow=False, pattern="/"),))


# --- Reading the file (sections 2.1 and 2.2) ---


class _Field(Enum):
    USER_AGENT = "user-agent"
    ALLOW = "allow"
    DISALLOW = "disallow"
    CRAWL_DELAY = "crawl-delay"
    SITEMAP = "sitemap"
    CONTENT_USAGE = "content-usage"
    CONTENT_SIGNAL = "content-signal"


_SPELLINGS: Final = {
    _Field.USER_AGENT: ("user-agent", "useragent", "user agent"),
    _Field.ALLOW: ("allow",),
    _Field.DISALLOW: ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"),
    _Field.CRAWL_DELAY: ("crawl-delay", "crawldelay", "crawl delay"),
    _Field.SITEMAP: ("sitemap", "site-map"),
    _Field.CONTENT_USAGE: ("content-usage",),
    _Field.CONTENT_SIGNAL: ("content-signal", "content-signals"),
}
"""The spellings that the reference implementation accepts, and similar ones for crawl-delay, which it ignores."""
_FIELDS: Final = {spelling: name for name, spellings in _SPELLINGS.items() for spelling in spellings}

_LINE_END: Final = re.compile(r"\r\n|\r|\n")
# An incomplete mark counts as well. A file with a UTF-16 mark can be read, too, after its NULs are removed.
_BYTE_ORDER_MARK: Final = re.compile(rb"\xef(\xbb\xbf?)?|\xff\xfe|\xfe\xff")
_NON_ASCII: Final = re.compile(r"[^\x00-\x7f]+")
_PRODUCT_TOKEN: Final = re.compile(r"[A-Za-z_-]+")
_WORD: Final = re.compile(r"[^\s/]+")
_SECONDS: Final = re.compile(r"[0-9]+(\.[0-9]*)?|\.[0-9]+")


def is_product_token(name: str) -> bool:
    """Return whether a robots.txt file can address `name`: only letters, hyphens and underscores (section 2.2.1)."""
    return _PRODUCT_TOKEN.fullmatch(name) is not None


def parse_robots(body: bytes, agent: str, *, max_bytes: int = MAX_BYTES, with_lines: bool = True) -> RobotsRules:
    """Return the rules of the file `body` for `agent`.

    `agent` is a product token; anything after its first word, or after a slash, is ignored. A name that is not a
    product token cannot be addressed by a file (`is_product_token`) and gets the rules for everyone; so does `*`.

    Only the first `max_bytes` are read, up to the last complete line. Any bytes are a valid robots.txt file. Without
    `with_lines` the rules do not contain their lines, which takes a quarter less memory.
    """
    reading = _Reading(agent, with_lines=with_lines)
    for number, line in enumerate(_LINE_END.split(_text(body, max_bytes)), 1):
        reading.take(number, line)
    return reading.result()


def _text(body: bytes, max_bytes: int) -> str:
    """Return the text to parse. Bytes that are not UTF-8 become lone surrogates, which `_ascii` turns back."""
    if len(body) > max_bytes:
        last_line_end = max(body.rfind(end, 0, max_bytes + 1) for end in (b"\r", b"\n"))
        body = body[: max(last_line_end, 0)]
    if mark := _BYTE_ORDER_MARK.match(body):
        body = body[mark.end() :]
    return body.replace(b"\0", b"").decode("utf-8", "surrogateescape")


def _ascii(text: str) -> str:
    return _NON_ASCII.sub(lambda match: percent_encoded(match[0].encode("utf-8", "surrogateescape")), text)


def _shown(line: str) -> str:
    return line.encode("utf-8", "surrogateescape").decode("utf-8", "replace").strip()


def _field_and_value(line: str) -> tuple[_Field | None, str]:
    content = line.partition("#")[0].strip()
    key, colon, value = content.partition(":")
    if not colon:
        words = content.split()
        if len(words) != 2:
            return None, ""
        key, value = words
    return _FIELDS.get(key.strip().lower()), value.strip()


def _addressed(value: str) -> str:
    """Return the name that a User-agent line addresses: `foo`, `foo/1.2`, `foo*` and `foo bar` all mean foo.

    As in the RFC and its reference implementation, the name ends before the first byte that is not allowed in a product
    token, such as a digit. If that leaves nothing (`*`, `2bot`), the name is the whole first word.
    """
    match = _PRODUCT_TOKEN.match(value) or _WORD.match(value)
    return match[0].casefold() if match else ""


@dataclass(slots=True)
class _Group:
    """All lines of a robots.txt that address one user agent, wherever they stand in the file."""

    name: str
    is_present: bool = False
    gets_rules: bool = False
    """Whether a rule at the present line of the file applies to this name."""
    gets_delay: bool = False
    """Whether a crawl delay at the present line of the file applies to this name."""
    gets_usage: bool = False
    """Whether a line about usage at the present line of the file applies to this name."""
    rules: list[RobotsRule] = field(default_factory=list)
    crawl_delay: float | None = None
    usage: list[UsageLine] = field(default_factory=list)


class _Reading:
    """The state of parsing between two lines, for the two groups that may apply: the agent's and everyone's.

    Consecutive User-agent lines share the rules that follow. Only a rule may end the sequence (section 2.2.4), so after
    a Crawl-delay or Sitemap between two User-agent lines the rules still apply to both. The Crawl-delay itself,
    however, applies only to the names directly above it, because people write one after each name. The same holds for a
    line about usage. By the draft that defines Content-Usage, such a line also ends the sequence for Allow and
    Disallow. Here it does not: otherwise this crawler would fetch pages that a crawler that knows only RFC 9309 finds
    forbidden.
    """

    def __init__(self, agent: str, *, with_lines: bool) -> None:
        self._with_lines = with_lines
        word = _WORD.match(agent.strip())
        own_name = word[0].casefold() if word else ""
        self._groups = [_Group(name) for name in dict.fromkeys((own_name, "*"))]
        """The groups that may apply; the first one that is present in the file applies."""
        self._sitemaps: list[str] = []
        self._after_rule = False
        self._after_delay = False
        self._after_usage = False

    def take(self, number: int, line: str) -> None:
        key, value = _field_and_value(line)
        match key:
            case _Field.USER_AGENT:
                self._address(_addressed(value))
            case _Field.ALLOW | _Field.DISALLOW:
                self._after_rule = True
                if value.startswith(("/", "*")):  # an empty one forbids nothing, others can match no path
                    self._add_rule(key is _Field.ALLOW, value, number, line)
            case _Field.CRAWL_DELAY:
                self._after_delay = True
                if _SECONDS.fullmatch(value) and math.isfinite(seconds := float(value)):
                    self._add_delay(seconds)
            case _Field.SITEMAP if value:
                self._sitemaps.append(_shown(value))
            case _Field.CONTENT_USAGE | _Field.CONTENT_SIGNAL:
                self._after_usage = True
                self._add_usage(UsageLine(key.value, _shown(value)))

    def result(self) -> RobotsRules:
        sitemaps = tuple(self._sitemaps)
        for group in self._groups:
            if group.is_present:
                rules, usage = tuple(group.rules), tuple(group.usage)
                return RobotsRules(rules, group.name, group.crawl_delay, sitemaps, usage)
        return RobotsRules(sitemaps=sitemaps)

    def _address(self, name: str) -> None:
        for group in self._groups:
            is_named = name == group.name != ""
            group.is_present |= is_named
            group.gets_rules = is_named or (group.gets_rules and not self._after_rule)
            group.gets_delay = is_named or (group.gets_delay and not (self._after_rule or self._after_delay))
            group.gets_usage = is_named or (group.gets_usage and not (self._after_rule or self._after_usage))
        self._after_rule = self._after_delay = self._after_usage = False

    def _add_rule(self, allow: bool, value: str, number: int, line: str) -> None:
        groups = [group for group in self._groups if group.gets_rules]
        if groups:
            rule = RobotsRule(allow, _ascii(value), *((number, _shown(line)) if self._with_lines else ()))
            for group in groups:
                group.rules.append(rule)

    def _add_delay(self, seconds: float) -> None:
        for group in self._groups:
            if group.gets_delay:
                group.crawl_delay = max(seconds, group.crawl_delay or 0.0)  # the longest delay counts

    def _add_usage(self, line: UsageLine) -> None:
        for group in self._groups:
            if group.gets_usage:
                group.usage.append(line)
