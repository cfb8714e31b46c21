"""Writes notes about the examples of a topic, for the user who trains it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from hinterland.crawler.features.topics.model.calibration import Floats
from hinterland.crawler.features.topics.model.examples import Background, Example

_FEW: Final = 3
_KNOWN: Final = 0.3
_NEARLY_ALL: Final = 0.8
_HARDLY: Final = 0.6
_FEW_PAGES: Final = 50


def notes_on_examples(examples: Sequence[Example], background: Background) -> list[str]:
    """Return the notes on examples that can be written without a model."""
    notes = []
    about = [example for example in examples if example.is_about]
    empty = [example.address for example in examples if not len(example.page.buckets)]
    if empty:
        notes.append(f"no words were found on {_some(empty)}, so nothing is learnt there")
    if len(about) < _FEW:
        notes.append(
            f"only {len(about)} example{'s' * (len(about) > 1)} of the topic: give more, or answer questions in"
            " `topic review`, to make it better"
        )
    elif len({example.host for example in about}) < 2:
        notes.append(
            f"all examples of the topic come from {about[0].host}: the model may learn that site instead of the topic"
        )
    if not background.pages:
        notes.append(
            "no store was given: 5 % of the web is assumed to be about the topic, and no other pages were sampled"
        )
    elif len(background.pages) < _FEW_PAGES:
        notes.append(f"the store has only {len(background.pages)} pages to sample: little is known about other pages")
    else:
        common = np.unique(np.concatenate([page.buckets for page in background.pages]))
        strange = [
            example.address
            for example in examples
            if len(example.page.buckets) and np.isin(example.page.buckets, common).mean() < _KNOWN
        ]
        if strange:
            notes.append(
                f"{_some(strange)} shares few words with the pages of the store: if it is in another language, it will"
                " not help to find pages in the language of the store"
            )
    return notes


def notes_on_judgement(examples: Sequence[Example], held_out: Floats, background: Floats) -> list[str]:
    """Return notes on how well the model separates the topic from other pages.

    `held_out` is P(topic | page) of the examples, by models trained without their hosts. `background` is P(topic |
    page) of the background's pages.
    """
    notes = []
    is_about = np.array([example.is_about for example in examples])
    if is_about.any() and not is_about.all():
        right = _told_apart(held_out[is_about], held_out[~is_about])
        if right < _HARDLY:
            notes.append(
                f"examples like and unlike the topic can hardly be distinguished (right in {right:.0%} of the pairs, on"
                " hosts not seen before): they may contradict each other, or hardly differ in their words"
            )
    if len(background) >= _FEW_PAGES and _told_apart(held_out[is_about], background) < _HARDLY:
        notes.append(
            "the examples of the topic look like any page of the store: either nearly all of its pages are about the"
            " topic, or the examples have too little in common; give more examples with --like and --unlike"
        )
    if len(background) >= _FEW_PAGES:
        share = float((background > 0.5).mean())
        if share == 0:
            notes.append(
                f"none of the {len(background):,} pages sampled from the store looks like the topic: give more"
                " examples, or crawl nearer to it"
            )
        elif share > _NEARLY_ALL:
            notes.append(
                f"{share:.0%} of the pages sampled from the store look like the topic: they cannot be distinguished;"
                " give examples of other pages with --unlike"
            )
    return notes


def _told_apart(higher: Floats, lower: Floats) -> float:
    """Return the share of pairs (higher, lower) in the right order; ties count one half (area under the ROC curve)."""
    differences = higher[:, None] - lower[None, :]
    return float((differences > 0).mean() + (differences == 0).mean() / 2)


def _some(addresses: Sequence[str]) -> str:
    more = f" and {len(addresses) - 2} more" if len(addresses) > 2 else ""
    return " and ".join(addresses[:2]) + more
