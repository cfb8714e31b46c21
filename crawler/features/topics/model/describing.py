"""Makes a topic from a description: learns from examples, from words, or from both."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from hinterland.crawler.features.topics.model.examples import Background, Example
from hinterland.crawler.features.topics.model.page_rows import RowSpace, is_enough, rarity_of, row_space
from hinterland.crawler.features.topics.model.topic_file import Topic
from hinterland.crawler.features.topics.model.training import CannotTrain, TrainedModel, train
from hinterland.crawler.features.topics.model.words import pages_that_answer, word_buckets, word_model


@dataclass(frozen=True, slots=True, eq=False)
class DescribedTopic:
    """A topic, and notes for the user. `trained` is None for a topic made from words alone."""

    topic: Topic
    trained: TrainedModel | None
    notes: Sequence[str]


def describe(
    name: str,
    words: str,
    examples: Sequence[Example],
    background: Background,
    addresses: Sequence[str] = (),
    *,
    titled: Sequence[Example] = (),
    prior: float | None = None,
    space: RowSpace | None = None,
) -> DescribedTopic:
    """Return a topic made from examples, from words, or from both.

    `addresses` are the URLs of the background's pages. `titled` holds pages that have the words in their titles or
    URLs, if the store can search these quickly. If words are given, the pages of `background` and `titled` that match
    the words best become further examples. If even then no example is about the topic, the model is made from the words
    alone. Raises CannotTrain.
    """
    if words and not word_buckets(words):
        raise CannotTrain(
            f"{words!r} has no word of two letters or more; name the topic by words that occur on its pages"
        )
    notes: list[str] = []
    given = [example for example in examples if example.is_given]
    chosen: list[Example] = []
    if words and len(addresses) == len(background.pages):
        judged = {example.address for example in given}
        candidates = _candidates(background, addresses, titled, judged)
        chosen = pages_that_answer(words, candidates, rarity_of(background.pages))
        if chosen:
            notes.append(f"{len(chosen)} pages of the store that match {words!r} best are used as examples")
        elif background.pages:
            notes.append(f"none of the {len(background.pages):,} pages sampled from the store matches {words!r}")
    elif words:
        chosen = [example for example in examples if not example.is_given]
    everything = [*given, *chosen]
    background = _without(background, addresses, {example.address for example in everything})
    if words and not any(example.is_about for example in everything):
        model = word_model(words) if prior is None else word_model(words, prior=prior)
        notes.append("only words are known about the topic, so its probabilities are guesses")
        return DescribedTopic(Topic(name, words, everything, background, model), None, notes)
    trained = train(everything, background, prior=prior, space=space)
    return DescribedTopic(Topic(name, words, everything, background, trained.model), trained, [*notes, *trained.notes])


def _candidates(
    background: Background, addresses: Sequence[str], titled: Sequence[Example], judged: Collection[str]
) -> list[Example]:
    """Return the pages that may become examples because they match the words: each once, and no judged page."""
    pages = zip(background.pages, background.hosts, addresses, strict=True)
    found = {address: Example(page, True, host, address) for page, host, address in pages}
    found |= {example.address: example for example in titled}
    return [example for address, example in found.items() if address not in judged]


def _without(background: Background, addresses: Sequence[str], judged: Collection[str]) -> Background:
    """Return the background without judged pages."""
    if len(addresses) != len(background.pages):
        return background
    kept = [place for place, address in enumerate(addresses) if address not in judged]
    return Background([background.pages[place] for place in kept], [background.hosts[place] for place in kept])


def with_answers(topic: Topic, answers: Sequence[Example], space: RowSpace | None = None) -> DescribedTopic:
    """Return the topic, trained again with more judged pages.

    If a page was judged before, the last judgement counts. Raises CannotTrain, for instance if answers contradict each
    other.
    """
    judged = {example.address for example in answers}
    examples = [*(example for example in topic.examples if example.address not in judged), *answers]
    if not any(example.is_about for example in examples):
        return DescribedTopic(
            replace(topic, examples=examples), None, ["no page has been judged to be about the topic yet"]
        )
    trained = train(examples, topic.background, space=space)
    return DescribedTopic(replace(topic, examples=examples, model=trained.model), trained, trained.notes)


def space_of(topic: Topic) -> RowSpace | None:
    """Return the row space of a topic, which answers do not change; None if its background is too small."""
    return row_space(topic.background.pages) if is_enough(topic.background.pages) else None
