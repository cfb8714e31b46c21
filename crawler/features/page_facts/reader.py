"""Reads, in the parser processes, what an audit needs to know about a page. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

import msgspec

from hinterland.crawler.features.page_facts.facts import PageFacts, anchor_hash, fragment_hashes, is_anchor
from hinterland.crawler.parsing.html.meta_refresh import refresh_target
from hinterland.crawler.parsing.html.page_elements import tokens
from hinterland.crawler.parsing.messages import PageDigest
from hinterland.crawler.parsing.page_readers import PageReader, ReadablePage, ReaderOrder
from hinterland.crawler.parsing.resources.page_tree import base_among
from hinterland.crawler.parsing.resources.pages import resources_of_parts
from hinterland.crawler.settings import UrlSettings
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.resolving import without_fragment

NAME: Final = "page_facts"
_MOST: Final = 20_000
"""Maximum length of each list of a page. The largest index seen in real documentation links to 14,312 fragments."""
_LONGEST: Final = 2_000
_LONGEST_PROBLEM: Final = 200
_MOST_JSON_CHARACTERS: Final = 1_000_000
_REMEMBERED: Final = 10_000
"""How many canonical URLs are cached, in about 2 MB."""


Elements = Sequence[tuple[str, Mapping[str, str]]]


class _Urls(msgspec.Struct, frozen=True):
    sort_parameters: bool
    drop_parameters: list[str]


def reader_order(settings: UrlSettings) -> ReaderOrder:
    """Return the `ReaderOrder` for facts; the settings say how URLs are made canonical."""
    config = _Urls(settings.sort_parameters, list(settings.drop_parameters))
    return ReaderOrder(NAME, f"{__name__}:reader", msgspec.json.encode(config))


def reader(config: bytes) -> FactsReader:
    """Return the reader of facts. Parser processes call this."""
    urls = msgspec.json.decode(config, type=_Urls)
    return FactsReader(Canonicaliser(sort_parameters=urls.sort_parameters, drop_parameters=tuple(urls.drop_parameters)))


def facts_of(digest: PageDigest) -> PageFacts | None:
    """Return what was read from a page; None if nothing was."""
    found = digest.readings.get(NAME)
    return None if found is None else _decoder.decode(found)


class FactsReader(PageReader):
    """Reads the facts of HTML pages, and nothing from other documents."""

    needs_parts = True

    def __init__(self, canonicaliser: Canonicaliser) -> None:
        """Read pages whose URLs `canonicaliser` makes canonical."""
        # The pages of a site share most of what they load and link to:
        self._canonical = lru_cache(_REMEMBERED)(canonicaliser.canonical)
        self._whole = lru_cache(_REMEMBERED)(Canonicaliser(drop_parameters=()).canonical)

    def read(self, page: ReadablePage) -> bytes:
        """Return the encoded facts."""
        if not page.page.charset:  # of a PDF or another document
            return b""
        said, parts = page.content.elements, page.content.parts
        base = base_among(said, page.url)
        hashes = {anchor_hash(each) for each in parts.ids}
        hrefs = [*parts.fragment_hrefs, *_refresh_hrefs(said)]
        fragments = list(self._fragments(hrefs, base, page.url, hashes))
        images = [each for tag, each in parts.referring if tag == "img" and not _is_decoration(each)]
        bare = [each for each in images if "alt" not in each]
        resources = resources_of_parts(parts, base, page.page.charset)
        facts = PageFacts(
            images=len(images),
            images_without_alt=len(bare),
            image_without_alt=bare[0].get("src", "")[:_LONGEST] if bare else "",
            canonicals=sum("href" in attributes for attributes in _links_of(said, "canonical")),
            has_viewport=any(tag == "meta" and each.get("name", "").lower() == "viewport" for tag, each in said),
            bad_data=_bad_data(parts.data),
            references=[
                (int(kind), url, where)
                for kind, found, where in resources.references
                if (url := self._whole(found)) is not None
            ],
            ids=b"".join(sorted(hashes)),
            fragments=fragments[:_MOST],
            alternates=list(self._alternates(said, base))[:_MOST],
            left_out=resources.left_out + max(0, len(fragments) - _MOST),
        )
        return _encoder.encode(facts)

    def _fragments(self, hrefs: Sequence[str], base: str, url: str, hashes: set[bytes]) -> Iterator[tuple[str, str]]:
        """Yield (URL, fragment) of distinct links to fragments.

        Links within the page are left out unless their anchor is missing.
        """
        seen: set[tuple[str, str]] = set()
        targets: dict[str, str | None] = {"": url} if base == url else {}
        for href in dict.fromkeys(hrefs):
            whole = href.strip()[:_LONGEST]
            path, fragment = without_fragment(whole), whole.partition("#")[2].partition(":~:")[0]
            if not is_anchor(fragment) or (path, fragment) in seen:
                continue
            seen.add((path, fragment))
            if path not in targets:
                targets[path] = self._canonical(path, base)
            target = targets[path]
            if target == url:
                if hashes.isdisjoint(fragment_hashes(fragment)):
                    yield "", fragment
            elif target is not None:
                yield target, fragment

    def _alternates(self, said: Elements, base: str) -> Iterator[tuple[str, str]]:
        for link in _links_of(said, "alternate"):
            if "hreflang" in link and "href" in link:
                found = self._canonical(link["href"][:_LONGEST], base)
                if found is not None:
                    yield link["hreflang"].strip()[:_LONGEST_PROBLEM], found


def _links_of(said: Elements, relation: str) -> Iterator[Mapping[str, str]]:
    return (attributes for tag, attributes in said if tag == "link" and relation in tokens(attributes.get("rel")))


def _refresh_hrefs(said: Elements) -> Sequence[str]:
    """Return the target of the <meta> element that sends visitors on to another URL, if there is one."""
    contents = [
        each.get("content", "")
        for tag, each in said
        if tag == "meta" and each.get("http-equiv", "").lower() == "refresh"
    ]
    return [found[1] for content in contents if (found := refresh_target(content)) is not None][:1]


def _is_decoration(image: Mapping[str, str]) -> bool:
    return image.get("role") in ("presentation", "none") or image.get("aria-hidden") == "true"


def _bad_data(texts: Sequence[str]) -> str:
    for text in texts:
        if len(text) > _MOST_JSON_CHARACTERS:
            continue
        try:
            msgspec.json.decode(text.encode("utf-8", "replace"))
        except (msgspec.DecodeError, RecursionError) as error:
            return f"JSON-LD: {error}"[:_LONGEST_PROBLEM]
    return ""


_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final = msgspec.msgpack.Decoder(PageFacts)
