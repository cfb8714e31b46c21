"""How rich the harvest of each policy is: crawls for topics, replayed side by side.

    python -m benchmarks.focused_crawl full.db                         # subjects of the farm, learnt from 5 examples
    python -m benchmarks.focused_crawl full.db --from-examples         # which are where the crawl begins, too
    python -m benchmarks.focused_crawl full.db --words                 # learnt from three words
    python -m benchmarks.focused_crawl full.db --second --visits 8000  # two crawls that share no example and no seed
    python -m benchmarks.focused_crawl --articles wikispeedia-2007     # categories of articles, judged by their labels

The store is one of a crawl of the whole farm that kept its bodies. Each seed draws other examples and other pages to
begin with. Harvest: the share of the first 1,000 visits that the labels call relevant (of the farm: by host);
AUC: the mean of that share over all prefixes; sites: hosts of relevant pages. `oracle` knows the labels of what waits.
--second tells which share of the relevant pages of one crawl the other finds, too (Chakrabarti, van den Berg & Dom,
WWW8 1999, section 4.3).
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.recorded_articles import RecordedArticles
from benchmarks.recorded_web import RecordedPages, RecordedWeb, replay
from hinterland.crawler.features.topics.files.stored_pages import titled
from hinterland.crawler.features.topics.model.describing import describe
from hinterland.crawler.features.topics.model.examples import Background, Example
from hinterland.crawler.features.topics.model.page_words import WordCounts, word_counts
from hinterland.crawler.features.topics.model.topic_model import TopicModel
from hinterland.crawler.features.topics.model.training import train
from hinterland.crawler.features.topics.model.words import plain_words
from hinterland.crawler.frontier.policies.policy import FrontierPolicy
from hinterland.crawler.policies import make_policy
from hinterland.crawler.urls.hosts import host_of
from hinterland.storage.reading.opening import reading
from hinterland.storage.values.compression import unpacked_bytes

SUBJECTS = {
    "statistics": ("www.statsmodels.org", "scikit-learn.org", "cran.r-project.org"),
    "databases": ("www.postgresql.org", "www.sqlite.org", "docs.sqlalchemy.org", "docs.h5py.org"),
    "user interfaces": ("doc.qt.io", "docs.wxwidgets.org", "www.fltk.org"),
    "data frames": ("pandas.pydata.org", "docs.dask.org", "docs.xarray.dev"),
}
WORDS = {
    "statistics": "statistical model regression",
    "databases": "sql database query",
    "user interfaces": "window button widget",
    "data frames": "dataframe column array",
}
CATEGORIES = ("Countries", "Design_and_Technology", "Citizenship", "Language_and_literature")
POLICIES = ("bfs", "parent-relevance", "qfirst", "qmin", "forward-learning", "focused", "oracle")
_ENTRIES, _EXAMPLES, _BACKGROUND = 20, 5, 400


@dataclass(frozen=True, slots=True)
class Task:
    """One crawl of a web. judged: the relevance that the policy is told, None for what the classifier says."""

    seeds: Sequence[str]
    is_relevant: Callable[[str], bool]
    topic: bytes = b""
    judged: Callable[[str], float] | None = None


class Subjects:
    """Crawls of a store for pages of some hosts. from_examples: crawls begin at the examples, too; by_words: there are
    none, but three words."""

    def __init__(self, store: Path, *, from_examples: bool = False, by_words: bool = False) -> None:
        self.web = RecordedWeb(store)
        self.names = list(SUBJECTS)
        self._store, self._from_examples, self._by_words = store, from_examples, by_words
        self._connection = sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)
        entries: dict[str, str] = {}
        for url in sorted(self.web.pages, key=self.web.pages.__getitem__):
            entries.setdefault(host_of(url), url)
        self._entries = list(entries.values())
        self._pages = sorted(self.web.pages)

    def task(self, name: str, seed: int) -> Task:
        [task] = self.tasks(name, seed, 1)
        return task

    def tasks(self, name: str, seed: int, count: int) -> list[Task]:
        """Crawls that share neither examples nor pages to begin with."""
        lot = random.Random(seed)
        hosts = SUBJECTS[name]

        def is_relevant(url: str) -> bool:
            return host_of(url).partition("://")[2] in hosts

        examples = lot.sample([url for url in self._pages if is_relevant(url)], count * _EXAMPLES)
        others = lot.sample(self._pages, _BACKGROUND)
        entries = lot.sample(self._entries, count * _ENTRIES)
        tasks = []
        for number in range(count):
            own = examples[number::count]
            model = self._model_of_words(name, others) if self._by_words else self._model(own, others)
            seeds = entries[number::count] + (own if self._from_examples else [])
            tasks.append(Task(seeds, is_relevant, model.to_bytes()))
        return tasks

    def words_at(self, url: str) -> WordCounts:
        title, headings, text = self._connection.execute(
            "SELECT title, headings, text FROM content JOIN fetch ON fetch.page = content.page WHERE content.page = ?",
            (self.web.pages[url],),
        ).fetchone()
        return word_counts(title or "", [each for _, each in json.loads(headings)], unpacked_bytes(text).decode())

    def _model(self, examples: Sequence[str], others: Sequence[str]) -> TopicModel:
        positives = [Example(self.words_at(url), True, host_of(url), url) for url in examples]
        return train(positives, self._background(others)).model

    def _model_of_words(self, name: str, others: Sequence[str]) -> TopicModel:
        """As `topic new --like WORDS --store` makes it."""
        with reading(self._store) as reader:
            with_words = titled(reader, plain_words(WORDS[name]))
        candidates = [page.as_example(is_about=True) for page in with_words]
        return describe(name, WORDS[name], [], self._background(others), others, titled=candidates).topic.model

    def _background(self, urls: Sequence[str]) -> Background:
        return Background([self.words_at(url) for url in urls], [host_of(url) for url in urls])


class Articles:
    """Crawls of a graph of articles for those of a category, from articles drawn by lot."""

    def __init__(self, folder: Path) -> None:
        self.web = RecordedArticles(folder)
        self.names = list(CATEGORIES)

    def task(self, name: str, seed: int) -> Task:
        def is_relevant(url: str) -> bool:
            return any(each.startswith(f"subject.{name}") for each in self.web.categories[url].split(";"))

        seeds = random.Random(seed).sample(sorted(self.web.pages), _EXAMPLES)
        return Task(seeds, is_relevant, judged=lambda url: float(is_relevant(url)))


@dataclass(frozen=True, slots=True)
class Harvest:
    """seconds: of CPU."""

    rate: float
    auc: float
    sites: int
    visits: int
    seconds: float


def harvest(web: RecordedPages, task: Task, policy: str, seed: int, visits: int) -> Harvest:
    started = time.process_time()
    if policy == "oracle":  # parent-relevance of what the pages themselves are worth
        done = replay(web, make_policy("bfs", seed), task.seeds, visits, known=task.is_relevant)
    else:
        made: FrontierPolicy = make_policy(policy, seed)
        done = replay(web, made, task.seeds, visits, topic=task.topic, judged=task.judged)
    relevant = np.array([task.is_relevant(url) for url in done.urls], np.float64)
    shares = np.cumsum(relevant) / np.arange(1, len(relevant) + 1)
    sites = {host_of(url) for url in done.urls if task.is_relevant(url)}
    seconds = time.process_time() - started
    return Harvest(float(relevant.sum() / visits), float(shares.mean()), len(sites), len(done.urls), seconds)


def rows(web: Subjects | Articles, policies: Sequence[str], seeds: int, visits: int) -> Iterator[str]:
    yield f"| topic | policy | harvest at {visits:,}: mean (each) | AUC | sites | CPU s |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for name in web.names:
        tasks = [web.task(name, seed) for seed in range(seeds)]
        for policy in policies:
            found = [harvest(web.web, task, policy, seed, visits) for seed, task in enumerate(tasks)]
            each = " ".join(f"{one.rate:.2f}" for one in found)
            yield (
                f"| {name} | `{policy}` | {np.mean([one.rate for one in found]):.3f} ({each})"
                f" | {np.mean([one.auc for one in found]):.2f} | {np.mean([one.sites for one in found]):.1f}"
                f" | {np.mean([one.seconds for one in found]):.1f} |"
            )


def second_crawls(web: Subjects, policies: Sequence[str], seeds: int, visits: int) -> Iterator[str]:
    yield f"| topic | policy | of the relevant pages of one crawl of {visits:,}, the other found | relevant in each |"
    yield "| --- | --- | --- | --- |"
    for name in web.names:
        pairs = [web.tasks(name, seed, 2) for seed in range(seeds)]
        for policy in policies:
            shares, sizes = [], []
            for seed, tasks in enumerate(pairs):
                first, second = (relevant_pages(web.web, task, policy, seed, visits) for task in tasks)
                shares += [len(first & second) / max(len(each), 1) for each in (first, second)]
                sizes += [len(first), len(second)]
            each = " ".join(f"{share:.2f}" for share in shares)
            yield f"| {name} | `{policy}` | {np.mean(shares):.3f} ({each}) | {' '.join(map(str, sizes))} |"


def relevant_pages(web: RecordedPages, task: Task, policy: str, seed: int, visits: int) -> set[str]:
    done = replay(web, make_policy(policy, seed), task.seeds, visits, topic=task.topic, judged=task.judged)
    return {url for url in done.urls if task.is_relevant(url)}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path, nargs="?")
    parser.add_argument("--articles", type=Path, metavar="FOLDER")
    parser.add_argument("--topics", help="some of them, with commas between")
    parser.add_argument("--policies", default=",".join(POLICIES))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--visits", type=int, default=1000)
    parser.add_argument("--from-examples", action="store_true", help="begin at the examples, too")
    parser.add_argument("--words", action="store_true", help="three words instead of examples")
    parser.add_argument("--second", action="store_true", help="two crawls each, compared")
    chosen = parser.parse_args(arguments)
    if (chosen.store is None) == (chosen.articles is None):
        parser.error("name a store, or --articles FOLDER")
    web: Subjects | Articles = (
        Articles(chosen.articles)
        if chosen.store is None
        else Subjects(chosen.store, from_examples=chosen.from_examples, by_words=chosen.words)
    )
    if chosen.topics is not None:
        web.names = chosen.topics.split(",")
    policies = chosen.policies.split(",")
    if chosen.second and isinstance(web, Subjects):
        table = second_crawls(web, policies, chosen.seeds, chosen.visits)
    else:
        table = rows(web, policies, chosen.seeds, chosen.visits)
    for row in table:
        print(row, flush=True)


if __name__ == "__main__":
    main()
