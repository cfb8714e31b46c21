"""The feature that adds llms.txt to the seeds. The file is fetched like any page, and its links are followed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urljoin

from hinterland.crawler.features.llms_txt.settings import LlmsTxtSettings
from hinterland.crawler.loop.crawl_start import CrawlRequest, FeatureFactory
from hinterland.crawler.settings import Settings
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.storage.link_store import LinkStore

_DOCUMENTS = ("text", "markdown")


class LlmsTxtFactory(FeatureFactory):
    """Adds seeds to crawls that follow llms.txt."""

    async def prepare(self, request: CrawlRequest, store: LinkStore) -> CrawlRequest:
        """Add the llms.txt of each seed's host to the seeds, and have plain text and Markdown read."""
        settings = request.settings
        if not settings.of(LlmsTxtSettings).follow:
            return request
        fetching = settings.fetching
        documents = tuple(dict.fromkeys((*fetching.documents, *_DOCUMENTS)))
        changed = settings.with_sections({"fetching": replace(fetching, documents=documents)})
        return replace(request, settings=changed, seeds=[*request.seeds, *_files(request.seeds, settings)])


def _files(seeds: Sequence[str], settings: Settings) -> list[str]:
    """Return the URLs of the llms.txt files that are not seeds yet.

    With the scope "prefix", the file is expected in the folder of the seed, because a file at the root would make the
    whole host local.
    """
    place = "llms.txt" if settings.scope.kind == "prefix" else "/llms.txt"
    canonical = Canonicaliser.under(settings.urls).canonical
    found = dict.fromkeys(filter(None, (canonical(urljoin(seed, place)) for seed in seeds)))
    return [url for url in found if url not in seeds]
