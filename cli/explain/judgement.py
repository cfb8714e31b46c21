"""Why a page was judged relevant to the topic of its crawl, and why it was visited early or late."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

from hinterland.crawler.features.topics.model.topic_model import Reason, TopicModel
from hinterland.library.text.wording import number, printable
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.pages import Page
from hinterland.storage.values.topics import RELEVANT

_NOTICEABLE = 0.005


@dataclass(frozen=True, slots=True)
class Judgement:
    """How relevant a page is to the topic of its crawl, and why.

    `by_words` is the probability by the page's own words; None if unknown. If it differs from `probability`, linked
    pages are the reason (`topic judge --relax`). `speaks_for` and `speaks_against` are words of the page. `linked_from`
    and `links_to` are about the pages in this direction: how many were judged, and how many of these are relevant; None
    if the store cannot tell yet. `found_on` is the page that linked here first, and its relevance.
    """

    topic: str
    probability: float
    by_words: float | None
    speaks_for: Sequence[Reason]
    speaks_against: Sequence[Reason]
    linked_from: tuple[int, int] | None
    links_to: tuple[int, int]
    found_on: tuple[str, float] | None

    def rows(self) -> Iterator[tuple[str, str]]:
        """Yield labels and texts."""
        word = "relevant" if self.probability >= RELEVANT else "not relevant"
        yield "topic", f"{printable(self.topic)}: {word}, with a probability of {self.probability:.2f}"
        for label, reasons in (("for it", self.speaks_for), ("against it", self.speaks_against)):
            if reasons:
                yield label, ", ".join(f"{printable(each.words)} {each.log_odds:+.2f}" for each in reasons)
        told = [("that link here", self.linked_from), ("that it links to", self.links_to)]
        neighbours = [
            f"{number(counts[1])} of {number(counts[0])} {what}" for what, counts in told if counts and counts[0]
        ]
        if self.by_words is not None and abs(self.by_words - self.probability) >= _NOTICEABLE:
            yield "by words", f"a probability of {self.by_words:.2f}{self._by_neighbours(self.by_words)}"
        if neighbours:
            yield "neighbours", f"{' and '.join(neighbours)} are relevant (visited pages only)"
        if self.found_on is not None:
            yield "its source", f"{printable(self.found_on[0])}, relevant with a probability of {self.found_on[1]:.2f}"

    def _by_neighbours(self, by_words: float) -> str:
        if self.probability in (0, 1):
            return "; decided by the user"
        added = log(self.probability / (1 - self.probability)) - log(by_words / (1 - by_words))
        return f"; its neighbours add {added:+.2f} to the log-odds"


def judgement_on(store: StoreReader, page: Page | None) -> Judgement | None:
    """Return the judgement on a page; None if its crawl has no topic or the page was not judged."""
    topic = store.topics.topic()
    probability = None if page is None else store.topics.relevance_of(page.number)
    if topic is None or page is None or probability is None:
        return None
    text = store.pages.text(page.number)
    by_words = None
    reasons: tuple[Sequence[Reason], Sequence[Reason]] = ((), ())
    if topic.model is not None and not topic.plug_in and text is not None:
        headings = [heading for _, heading in text.headings]
        model = TopicModel.from_bytes(topic.model)
        links = store.links.texts_of(page.number) if model.leaves_out_links else ()
        reasons = model.reasons(page.title or "", headings, text.text, links)
        by_words = model.relevance(page.title or "", headings, text.text, links)
    source = page.referrer
    found = None if source is None else store.topics.relevance_of(source.number)
    linked_from = None
    if store.links.knows_inlinks:
        linked_from = store.topics.relevant_neighbours(page.number, that_link_here=True)
    return Judgement(
        topic.name,
        probability,
        by_words,
        *reasons,
        linked_from,
        store.topics.relevant_neighbours(page.number, that_link_here=False),
        None if source is None or found is None else (source.url, found),
    )
