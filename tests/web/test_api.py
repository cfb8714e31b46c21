"""The API keeps to its OpenAPI document, and the metrics to the format of Prometheus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from prometheus_client.parser import text_string_to_metric_families

from hinterland.crawler.fetching.flow.bounds import Bound
from hinterland.crawler.fetching.flow.crawl_limits import CrawlLimits
from hinterland.distribution.environment import ROOT
from hinterland.storage.values.hosts import HostsReport
from hinterland.storage.values.pages import PageCounts
from hinterland.storage.values.ranks import EstimateReport
from hinterland.storage.values.runs import RunReport, RunState
from hinterland.web.api import ROUTES
from hinterland.web.crawl_report import CrawlReport
from hinterland.web.metrics_text import metrics_text
from hinterland.web.openapi import as_text, document
from tests.support.crawl_statistics import FRONTIER, statistics
from tests.support.crawling import rows
from tests.web.test_pages import client_of, get

ASKED = (
    "search?q=Ferry&explain=1",
    "search?q=Ferry&grouped=1&order=date&facets=1",
    "page?number=0",
    "page?number=1&links=3&out=2",
    "page?number=33",
    "hosts?all=1",
    "hosts?order=name&limit=1&offset=1",
    "host?number=0",
    "host?number=1",
    "status",
    "estimates",
    "broken-links?links=2",
    "broken-links?outcome=client_error&status=404&from=0",
    "pages?limit=3",
    "pages?state=fetched&after=5",
    "links?limit=3",
    "links?after=0-2-0",
    "errors",
)


def schema_of(name: str, status: int) -> dict[str, Any]:
    """The schema of an answer, with all it refers to."""
    whole = document()
    response = whole["paths"][f"/api/{name}"]["get"]["responses"][str(status)]
    return {**response["content"]["application/json"]["schema"], "components": whole["components"]}


def test_the_kept_document_is_the_one_that_the_code_makes() -> None:
    kept = (Path(__file__).parents[2] / "docs" / "openapi.json").read_text("utf-8")
    assert kept == as_text(), "run: .venv/bin/python -m hinterland.web.openapi > docs/openapi.json"


@pytest.mark.slow
def test_the_document_is_openapi_and_names_every_address() -> None:
    from openapi_spec_validator import OpenAPIV31SpecValidator

    OpenAPIV31SpecValidator(document()).validate()
    assert set(document()["paths"]) == {route.path for route in ROUTES} - {"/api/openapi.json"}


@pytest.mark.slow
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("is_hostile", [False, True])
async def test_answers_are_as_the_document_says(
    asked: str, is_hostile: bool, crawled_store: Path, hostile_store: Path
) -> None:
    store = hostile_store if is_hostile else crawled_store
    async with client_of(store) as client, client.get(f"/api/{asked}") as answer:
        value = await answer.json()
        assert answer.status == 200, value
    Draft202012Validator(schema_of(asked.partition("?")[0], 200)).validate(value)


@pytest.mark.parametrize(
    "asked, status",
    [
        ("search?q=", 400),
        ("search?q=site:", 400),
        ("search?q=x&limit=101", 400),
        ("search?q=x&explain=maybe", 400),
        ("page?url=http://nowhere.test/", 404),
        ("page", 400),
        ("page?number=0&links=0", 400),
        ("host?number=99", 404),
        ("hosts?order=colour", 400),
        ("links?after=soon", 400),
        ("pages?state=lost", 400),
        ("broken-links?status=1000", 400),
    ],
)
async def test_errors_are_as_the_document_says(asked: str, status: int, crawled_store: Path) -> None:
    async with client_of(crawled_store) as client, client.get(f"/api/{asked}") as answer:
        value = await answer.json()
        assert answer.status == status, value
    Draft202012Validator(schema_of(asked.partition("?")[0], status)).validate(value)


async def test_the_document_is_served_and_an_unknown_address_is_an_error_in_json(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        async with client.get("/api/openapi.json") as answer:
            assert await answer.json() == document()
        async with client.get("/api/everything") as answer:
            assert answer.status == 404
            assert "error" in await answer.json()


async def test_the_answers_are_what_the_store_says(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:

        async def ask(asked: str) -> Any:
            async with client.get(f"/api/{asked}") as answer:
                return await answer.json()

        page = await ask("page?number=0")
        assert page["page"]["title"] == "The ferry company"
        assert page["inlinks"]["total"] == rows(crawled_store, "SELECT count(*) FROM link WHERE target = 0")[0][0]
        assert [point["share"] is not None for point in page["history"]] == [True] * 8
        search = await ask("search?q=Ferry&limit=2&offset=1")
        assert [hit["page"] for hit in search["hits"]] == [2, 3]
        assert (await ask("status"))["pages"]["local"]["fetched"] == 33
        assert len((await ask("estimates"))["estimates"]) == 8


async def test_a_page_the_store_does_not_know_is_not_found(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        for named in ("number=99999", "url=http://nobody.test/"):
            assert "this page is not in the store" in await get(client, f"/api/page?{named}", 404)


def metrics_of(runs: Sequence[RunReport], estimates: Sequence[EstimateReport]) -> set[str]:
    """The names of the metrics of a store with these runs and estimates."""
    none = HostsReport(0, 0, 0, [], [], [], [])
    counts = PageCounts({"fetched": 3}, {})
    report = CrawlReport("s.db", 1, 0.0, None, runs, len(runs), counts, [], none, [], {}, estimates, {}, [])
    text = metrics_text(report, 100.0, listeners=0).decode()
    return {family.name.removeprefix("hinterland_") for family in text_string_to_metric_families(text)}


def test_what_was_never_measured_is_no_metric() -> None:
    silent = RunReport(1, RunState.KILLED, 0.0, 50.0, None, ["crawl"], {})
    told = replace(silent, progress=statistics(10.0, 3).as_json())
    of_store = metrics_of([], [])
    assert "pages" in of_store
    assert metrics_of([silent], []) == of_store
    assert metrics_of([told], []) >= {*of_store, "run", "run_age_seconds", "frontier_waiting"}
    first = EstimateReport(1, 1, 1, 1, "x", None, None, 0.1, 1.0)
    later = replace(first, change=0.1)
    compared = replace(later, disagreement=0.2)
    assert metrics_of([], [first]) - of_store == {"estimates"}
    assert metrics_of([], [first, later]) - of_store == {"estimates", "estimate_change"}
    assert metrics_of([], [compared]) - of_store == {"estimates", "estimate_change", "estimate_disagreement"}


def test_what_bounds_a_crawl_is_a_metric_with_its_figures() -> None:
    limits = CrawlLimits(Bound.NAMES, FRONTIER, {"names": 7.0}, places=64, lookups_under_way=48, closed_before=2)
    run = RunReport(1, RunState.RUNNING, 0.0, 50.0, None, ["crawl"], statistics(9.0, 3, weather=limits).as_json())
    none = HostsReport(0, 0, 0, [], [], [], [])
    report = CrawlReport("s.db", 1, 0.0, 1, [run], 1, PageCounts({}, {}), [], none, [], {}, [], {}, [])
    samples = {
        (sample.name.removeprefix("hinterland_"), *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(metrics_text(report, 100.0, listeners=0).decode())
        for sample in family.samples
    }
    assert {by: samples["bound", by] for by in Bound} == {by: float(by is Bound.NAMES) for by in Bound}
    assert samples["bound_seconds_total", "names"] == 7.0
    assert samples["request_places",] == 64.0
    assert samples["lookups_under_way",] == 48.0
    assert samples["requests", "awaiting_first_byte"] == 0.0
    assert samples["closed_before_total",] == 2.0


async def test_metrics_can_be_read_by_prometheus(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        text = await get(client, "/metrics")
    samples = {
        (sample.name, frozenset(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert samples["hinterland_store_up", frozenset()] == 1
    assert samples["hinterland_pages", frozenset({"fetched", "local"})] == 33
    assert samples["hinterland_outcomes_total", frozenset({"fetched"})] == 39
    assert samples["hinterland_frontier_in_flight", frozenset()] == 0
    assert samples["hinterland_estimates", frozenset()] == 8


async def test_every_metric_is_in_the_reference(crawled_store: Path) -> None:
    reference = (ROOT / "docs/reference/api.md").read_text(encoding="utf-8")
    async with client_of(crawled_store) as client:
        for line in (await get(client, "/metrics")).splitlines():
            if line.startswith("# HELP hinterland_"):
                name, _, meaning = line.removeprefix("# HELP ").partition(" ")
                assert f"| `{name}` |" in reference
                assert f"| {meaning} |" in reference


async def test_hostile_labels_come_through_as_text(hostile_store: Path) -> None:
    async with client_of(hostile_store) as client:
        text = await get(client, "/metrics")
    labels = [
        label
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        for label in sample.labels.values()
    ]
    assert any(label.startswith("<script>") and "\\u202e" in label for label in labels)


async def test_metrics_and_health_tell_of_a_store_that_cannot_be_read(tmp_path: Path) -> None:
    async with client_of(tmp_path / "none.db") as client:
        assert "hinterland_store_up 0.0" in await get(client, "/metrics")
        assert "there is no store" in await get(client, "/healthz", 503)
