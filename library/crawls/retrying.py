"""What `crawl --resume --retry` retries: outcomes that its value names, or that depend on settings. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf

from hinterland.crawler.fetching.outcomes import OutcomeKind, final_state
from hinterland.crawler.frontier.pages.page_state import PageState
from hinterland.crawler.settings import Settings
from hinterland.crawler.settings.near_names import with_nearest
from hinterland.library.errors import HinterlandError
from hinterland.storage.values.records import Reopening

CHANGED = "changed"

_FAILED = frozenset(kind for kind in OutcomeKind if final_state(kind) is PageState.FAILED)
_REFUSED = frozenset(kind for kind in OutcomeKind if final_state(kind) is PageState.REFUSED)
_GROUPS: dict[str, frozenset[str]] = {"failed": _FAILED, "refused": _REFUSED}
_SHELL, _UNRENDERED = "shell", "unrendered"
_OUTCOMES = (*(kind.value for kind in OutcomeKind if kind is not OutcomeKind.FETCHED), _SHELL, _UNRENDERED)

RETRY_WORDS = (*_GROUPS, CHANGED, *_OUTCOMES)
"""All valid values of --retry."""

_DIALLING = ("fetching.addresses", "fetching.proxy")
_SETTLED_BY = {
    OutcomeKind.FORBIDDEN_ADDRESS: ("fetching.allow_networks", *_DIALLING),
    OutcomeKind.ROBOTS: ("identity.name",),
    OutcomeKind.OTHER_TYPE: ("fetching.content_types", "fetching.documents"),
    OutcomeKind.CLIENT_ERROR: ("identity.name", "identity.contact", "fetching.headers", "fetching.cookies"),
    OutcomeKind.CHALLENGED: ("identity.name", "identity.contact", "fetching.headers", "fetching.cookies"),
    OutcomeKind.BAD_REDIRECT: ("urls.drop_parameters", "fetching.cookies"),
    OutcomeKind.TOO_MANY_REDIRECTS: ("fetching.max_redirects",),
    OutcomeKind.DNS_FAILURE: _DIALLING,
    OutcomeKind.CONNECT_FAILURE: _DIALLING,
    OutcomeKind.CONNECT_TIMEOUT: ("fetching.connect_timeout_seconds", *_DIALLING),
    OutcomeKind.TLS_FAILURE: ("fetching.verify_tls", "fetching.ca_file"),
    OutcomeKind.FIRST_BYTE_TIMEOUT: ("fetching.first_byte_timeout_seconds",),
    OutcomeKind.BODY_TIMEOUT: ("fetching.body_timeout_seconds",),
    OutcomeKind.SLOW_BODY: ("fetching.body_timeout_seconds",),
    OutcomeKind.TOO_LARGE: ("fetching.max_body_bytes",),
    OutcomeKind.PARSE_TIMEOUT: ("parsing.timeout_seconds",),
    OutcomeKind.PARSER_CRASH: ("parsing.max_memory_mb",),
    _SHELL: ("rendering.pages",),
    _UNRENDERED: ("rendering.timeout_seconds",),
}
"""The settings that may have decided each outcome; outcomes that are not listed depend on no setting."""


def meant_by(words: Iterable[str]) -> tuple[frozenset[str], bool]:
    """Return the outcomes that the words of --retry name, and whether "changed" is among the words.

    Words may be joined by commas. Pages that need a browser and were read without one have separate outcomes. Raises
    HinterlandError for an unknown word.
    """
    outcomes, is_changed = frozenset[str](), False
    for word in (part.strip() for given in words for part in given.split(",")):
        if word == CHANGED:
            is_changed = True
        elif word in _GROUPS:
            outcomes |= _GROUPS[word]
        elif word in _OUTCOMES:
            outcomes |= {word}
        else:
            raise HinterlandError(with_nearest(f"--retry {word}: there is no such outcome", word, RETRY_WORDS))
    return outcomes, is_changed


def reopenings(outcomes: Iterable[str]) -> list[Reopening]:
    """Return records that queue all pages with one of these outcomes again, whenever they were visited."""
    return [Reopening(str(outcome)) for outcome in sorted(outcomes)]


def settled_otherwise(
    runs: Sequence[tuple[float, Settings]], settings: Settings
) -> Iterator[tuple[Reopening, list[str]]]:
    """Yield what to reopen because settings have changed: outcomes of earlier runs that the settings may have decided.

    Each record comes with the names of the changed settings. `runs` holds the start and the settings of each run.
    """
    ends = [began for began, _ in runs[1:]]
    for (began, then), until in zip(runs, [*ends, inf], strict=True):
        for outcome, names in _SETTLED_BY.items():
            changed = [name for name in names if then.value(name) != settings.value(name)]
            if changed:
                yield Reopening(str(outcome), began, until), changed
