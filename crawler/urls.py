"""URLs: one canonical form, links resolved against their page, and what a URL belongs to.

Parsing and joining follow the WHATWG URL Standard and are ada-url's; this module adds the choices that a
crawler has to make on top of it. Nothing here performs I/O: the public suffix list is that of tldextract.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from ada_url import join_url, normalize_url

if TYPE_CHECKING:
    from tldextract import TLDExtract

NOT_FOR_THE_WEB: Final = ""
"""What `LinkResolver` answers for a URL that is fine, but not http or https: mailto:, javascript:, ..."""

_WEB: Final = ("https://", "http://")
_UNRESERVED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# A triplet right after a stray "%" or "%h" stays: decoding it could complete a triplet that was not there.
_TRIPLET: Final = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])%([0-9A-Fa-f]{2})")
_ANY_TRIPLET: Final = re.compile(r"%[0-9A-Fa-f]{2}")


def join(href: str, base: str | None = None) -> str | None:
    """The WHATWG serialisation of `href` against `base`, of any scheme; None if it is not a URL."""
    try:
        return normalize_url(href) if base is None else join_url(base, href)
    except ValueError:
        return None


class Canonicaliser:
    """Brings URLs into the one form by which the crawler knows a page.

    Beyond the WHATWG parser (case and IDNA form of the host, default port, dot segments, empty path -> "/"):

    - the fragment is dropped, and so is an empty query ("/a?" is "/a");
    - user name and password are dropped: a link store is no place for them, nor do they make another host;
    - percent-encoding as in RFC 3986, 6.2.2: upper-case hex digits, unreserved characters decoded;
    - parameters named in `drop_parameters` are dropped from the query and, as ";name=...", from the path.
      Names match without regard to case and may hold "*";
    - with `sort_parameters`, the query is sorted by name, empty parameters left out; values of one name keep
      their order.

    URLs longer than `max_length` characters in this form are not used.
    """

    def __init__(
        self,
        *,
        max_length: int = 2000,
        sort_parameters: bool = False,
        drop_parameters: Iterable[str] = (),
    ) -> None:
        self.max_length = max_length
        self._sort = sort_parameters
        names = "|".join(re.escape(name).replace(r"\*", "[^=;&/]*") for name in drop_parameters)
        self._dropped = re.compile(f"(?:{names})(?:=.*)?", re.IGNORECASE | re.DOTALL) if names else None
        in_path = rf";(?:{names})(?:=[^;/]*)?(?=[;/]|$)"
        self._dropped_in_path = re.compile(in_path, re.IGNORECASE) if names else None

    def canonical(self, url: str, base: str | None = None) -> str | None:
        """The canonical form of `url`, resolved against `base`; None if it cannot be used."""
        return self.canonical_or_reason(url, base) or None

    def canonical_or_reason(self, url: str, base: str | None = None) -> str | None:
        """As `canonical`, but tells other schemes (NOT_FOR_THE_WEB) from the invalid and too long (None)."""
        joined = join(url, base)
        if joined is None:
            return None
        if not joined.startswith(_WEB):
            return NOT_FOR_THE_WEB
        if "#" in joined:
            joined = joined[: joined.index("#")]
        if "@" in joined:
            joined = _without_userinfo(joined)
        if "%" in joined:
            joined = _TRIPLET.sub(_decode_unreserved, joined)
            joined = _ANY_TRIPLET.sub(_upper, joined)
        if self._dropped_in_path is not None and ";" in joined:
            joined = self._without_path_parameters(joined)
        if "?" in joined:
            joined = self.tidy_query(joined)
        return joined if len(joined) <= self.max_length else None

    def _without_path_parameters(self, url: str) -> str:
        assert self._dropped_in_path is not None
        path, mark, query = url.partition("?")
        tidied = self._dropped_in_path.sub("", path)
        if tidied == path:
            return url
        # "/a/..;sid=1/b" has become "/a/../b": let the parser see it again.
        return join(tidied + mark + query) or url

    def tidy_query(self, url: str) -> str:
        """`url`, otherwise canonical, with its query dropped, thinned out and sorted as it should be."""
        path, _, query = url.partition("?")
        if not query or (self._dropped is None and not self._sort):
            return url if query else path
        parameters = query.split("&")
        if self._dropped is not None:
            parameters = [each for each in parameters if not self._dropped.fullmatch(each)]
        if self._sort:
            parameters = sorted(filter(None, parameters), key=_parameter_name)
        query = "&".join(parameters)
        return f"{path}?{query}" if query else path


def _decode_unreserved(match: re.Match[str]) -> str:
    byte = int(match[1], 16)
    return chr(byte) if byte in _UNRESERVED else match[0]


def _upper(match: re.Match[str]) -> str:
    return match[0].upper()


def _parameter_name(parameter: str) -> str:
    return parameter.partition("=")[0]


def _without_userinfo(url: str) -> str:
    start = url.index("://") + 3
    end = url.index("/", start)
    return url[:start] + url[start:end].rpartition("@")[2] + url[end:]


class LinkResolver:
    """Resolves the hrefs of pages, remembering what it has resolved.

    What an href means depends on the directory of its page and no more, unless it is empty or begins with
    its query; and the same hrefs come back on page after page of a site. So there is one memory for each
    directory, and one for absolute hrefs. An entry takes some 200 bytes, at most a few kilobytes; beyond
    `max_entries` the directories left alone for longest are forgotten.
    """

    def __init__(self, canonicaliser: Canonicaliser, *, max_entries: int = 100_000) -> None:
        self.canonicaliser = canonicaliser
        self._max_entries = max_entries
        self._directories: dict[str, dict[str, str | None]] = {}  # the one used last comes last
        self._absolute: dict[str, str | None] = {}
        self._entries = 0  # in all of _directories, each counted for one itself

    def resolve(self, href: str, base: str) -> str | None:
        """The canonical URL; `NOT_FOR_THE_WEB` for other schemes; None if invalid or too long."""
        return self.relative_to(base).resolve(href)

    def relative_to(self, base: str) -> RelativeResolver:
        """For the hrefs of one page, until the next. `base` is canonical, or of another scheme."""
        if base.startswith(_WEB):
            query = base.find("?")
            directory = base[: base.rfind("/", 0, query if query >= 0 else len(base)) + 1]
        else:
            directory = base
        memory = self._directories.pop(directory, None)
        if memory is None:
            memory = {}
            self._entries += 1
        if self._entries > self._max_entries:
            self._make_room(memory)
        self._directories[directory] = memory
        return RelativeResolver(self, base, directory, memory)

    def _make_room(self, used_next: dict[str, str | None]) -> None:
        while self._entries > self._max_entries and self._directories:
            oldest = next(iter(self._directories))
            self._entries -= len(self._directories.pop(oldest)) + 1
        if self._entries > self._max_entries:
            used_next.clear()
            self._entries = 1

    def learn_absolute(self, href: str) -> str | None:
        """Resolve an href that begins with http:// or https://, whatever page it stands on."""
        if href in self._absolute:
            return self._absolute[href]
        if len(self._absolute) > self._max_entries // 2:
            self._absolute.clear()
        target = self.canonicaliser.canonical_or_reason(href)
        if len(href) <= _MAX_REMEMBERED:
            self._absolute[href] = target
        return target

    def remember(self, href: str, target: str | None, memory: dict[str, str | None]) -> None:
        if len(href) <= _MAX_REMEMBERED:
            memory[href] = target
            self._entries += 1


class RelativeResolver:
    """Resolves the hrefs of one page: look them up in `memory`; what it lacks, `learn` finds out."""

    __slots__ = ("_base", "_directory", "_resolver", "memory")

    def __init__(
        self, resolver: LinkResolver, base: str, directory: str, memory: dict[str, str | None]
    ) -> None:
        self.memory = memory
        self._resolver = resolver
        self._base = base
        self._directory = directory

    def resolve(self, href: str) -> str | None:
        """As `LinkResolver.resolve`."""
        return self.memory[href] if href in self.memory else self.learn(href)

    def learn(self, href: str) -> str | None:
        """Resolve an href that `memory` does not hold, and remember it if it may be."""
        resolver = self._resolver
        target = self._plainly_joined(href)
        if target is None:
            if href.startswith(_WEB):
                target = resolver.learn_absolute(href)
            else:
                target = resolver.canonicaliser.canonical_or_reason(href, self._base)
                if _NEEDS_WHOLE_BASE.match(href.translate(_IGNORED_IN_URLS)):
                    return target
            if not href.isascii():  # in its query it means something else on a page in an old encoding
                return target
        resolver.remember(href, target, self.memory)
        return target

    def _plainly_joined(self, href: str) -> str | None:
        """What `canonical_or_reason` says of the commonest hrefs, in a fifth of the time; None for others."""
        plain = _PLAIN.fullmatch(href)
        directory = self._directory
        if plain is None or not directory.startswith(_WEB):
            return None
        if href.startswith("/"):
            if href.startswith("//"):
                return None
            directory = directory[: directory.index("/", 8)]
        elif href.startswith("."):
            href = href.removeprefix("./")
            while href.startswith("../"):
                href = href[3:]
                above = directory.rfind("/", 8, -1)
                if above >= 0:  # else this is the root already, and stays it
                    directory = directory[: above + 1]
            if href.startswith("."):
                return None
        if "/." in href:
            return None
        target = directory + href
        if plain[1] is not None:
            target = self._resolver.canonicaliser.tidy_query(target)
        return target if len(target) <= self._resolver.canonicaliser.max_length else None


_MAX_REMEMBERED: Final = 500
"""Longer hrefs are resolved anew each time."""

_IGNORED_IN_URLS: Final = {ord("\t"): None, ord("\n"): None, ord("\r"): None}
# Empty, or beginning with "?" or "#", after the C0 controls and spaces that parsing strips. "http:" may stand
# before it: with a base of the same scheme that is relative too.
_NEEDS_WHOLE_BASE: Final = re.compile(r"[\x00-\x20]*(?:https?:)?[\x00-\x20]*(?:[?#]|$)", re.IGNORECASE)

# A path, and perhaps a query, of characters that parsing leaves alone: no scheme or escape can be in it.
_PLAIN: Final = re.compile(r"[A-Za-z0-9_~./+,=@!$()*&-]+(\?[A-Za-z0-9_~./+,=@!$()*&:;?-]*)?")


def host_of(url: str) -> str:
    """Scheme and authority of a canonical URL: "https://a.example:8443"."""
    return url[: url.index("/", 8)]


def authority_of(url: str) -> str:
    """Name and, unless it is the default, port of a canonical URL: "a.example:8443"."""
    start = url.index("//") + 2
    return url[start : url.index("/", start)]


def path_of(url: str) -> str:
    """Path and query of a canonical URL: "/a?b=c"."""
    return url[url.index("/", 8) :]


def name_of(host: str) -> str:
    """The bare host name of a host or canonical URL, without port: "a.example", "[::1]"."""
    authority = host.partition("//")[2].partition("/")[0]
    if authority.startswith("["):
        return authority[: authority.index("]") + 1]
    return authority.partition(":")[0]


@cache
def _suffixes() -> TLDExtract:
    """The list that came with the package: none is fetched, and none written to a cache.

    Its private part counts: alice.github.io and bob.github.io are two sites, run by two people.
    """
    from tldextract import TLDExtract  # 22 MB and a quarter of a second, which parser processes never need

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)


def registrable_domain(name: str) -> str | None:
    """The registrable domain of a host name; None for addresses and for public suffixes themselves.

    Under a top-level domain that is not in the list, as inside a company, it is the last two labels, by the
    list's own rule "*".
    """
    if name.startswith("."):
        return None
    parts = _suffixes()(name)
    if parts.suffix:
        return parts.top_domain_under_public_suffix.lower() or None
    if parts.ipv4 or parts.ipv6:
        return None
    labels = name.lower().rstrip(".").split(".")
    return ".".join(labels[-2:]) if len(labels) > 1 else None


@lru_cache(maxsize=65536)
def site_of(host: str) -> str:
    """The registrable domain of a host; its bare name where there is none (addresses, "localhost")."""
    name = name_of(host)
    return registrable_domain(name) or name


def parse_seed(text: str) -> str:
    """The WHATWG form of a seed as a person types it; `scheme_of_seed` says what is meant by one without a scheme.

    Raises ValueError, with the way out, if it is no http or https URL.
    """
    text, scheme = text.strip(), scheme_of_seed(text)
    url = join(f"{scheme}://{text}" if scheme else text)
    is_mail = scheme and "@" in re.split(r"[/?#]", text, maxsplit=1)[0]
    if url is None or is_mail or not url.startswith(_WEB):
        raise ValueError(f"{text!r} is not a URL that can be crawled; write it as https://example.org/")
    return url


_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*://|https?:", re.IGNORECASE)
_AUTHORITY: Final = re.compile(r"(\[[^]]*\]|[^:/?#]*)(?::(\d*))?")
_HTTPS_PORTS: Final = ("443", "8443")


def scheme_of_seed(text: str) -> str:
    """What a seed without a scheme is taken for, "https" or "http"; "" if it has one.

    It is https, but for machines that hardly ever have a certificate: localhost, addresses, names of a single label,
    and ports that are not those of https.
    """
    text = text.strip()
    if _SCHEME.match(text):
        return ""
    authority = _AUTHORITY.match(text)
    assert authority is not None  # it matches anything
    name, port = authority[1].rstrip("."), authority[2]
    if port:
        return "https" if port in _HTTPS_PORTS else "http"
    is_address = name.startswith("[") or name.replace(".", "").isdigit()
    return "http" if is_address or "." not in name or name.lower().endswith(".localhost") else "https"
