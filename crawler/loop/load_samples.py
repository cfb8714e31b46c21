"""Samples the state of a running crawl, to find out what limits its speed."""

from __future__ import annotations

from hinterland.crawler.fetching.flow.bounds import LoadSample, RequestCounts
from hinterland.crawler.frontier.network_watch import NetworkState
from hinterland.crawler.loop.crawl_io import CrawlIO
from hinterland.crawler.loop.decisions.components import CrawlComponents


def sample_of(components: CrawlComponents, io: CrawlIO, *, visits: int, max_visits: int) -> LoadSample:
    """Return the present state of the crawl.

    `visits` is the number of visits under way, without lookups, and `max_visits` their limit.
    """
    flow, network, phases, now = io.flow, components.network, io.fetcher.phases, io.now()
    is_down = network.state is NetworkState.DOWN
    return LoadSample(
        components.frontier.counts(),
        visits=visits,
        max_visits=max_visits,
        requests=len(flow.requests) + len(flow.tasks),
        places=flow.requests.limit,
        are_used_up=flow.requests.are_used_up or flow.tasks.are_used_up,
        are_at_most=flow.requests.are_at_most,
        is_by_setting=flow.requests.limit >= max_visits,
        congestion=flow.congestion,
        lookups_under_way=len(flow.lookups),
        lookups=flow.lookup_record.at(now),
        phases=RequestCounts(
            phases.naming,
            phases.connecting,
            phases.handshaking,
            phases.awaiting_first_byte,
            phases.reading,
            phases.queued,
        ),
        queueing_seconds=flow.delay.seconds(now),
        late_seconds=flow.lateness,
        parser_backlog=io.parsers.backlog,
        are_parsers_full=io.parsers.is_saturated,
        is_writer_full=io.writer.is_full,
        is_network_down=is_down,
        names_alone_fail=network.names_alone_fail,
        are_hosts_failing=not is_down and components.frontier.has_only_failing_hosts(),
    )
