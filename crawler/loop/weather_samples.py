"""Looks at a crawl that runs to see what bounds it."""

from __future__ import annotations

from hinterland.crawler.fetching.flow.bounds import LoadSample, Requests
from hinterland.crawler.frontier.network_watch import NetworkState
from hinterland.crawler.loop.decisions.parts import Parts
from hinterland.crawler.loop.shell import Shell


def sample_of(parts: Parts, shell: Shell, *, visits: int, max_visits: int) -> LoadSample:
    """How the crawl stands now. visits: under way, but for lookups, of at most max_visits."""
    flow, network, phases, now = shell.flow, parts.network, shell.fetcher.phases, shell.now()
    return LoadSample(
        parts.frontier.counts(),
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
        phases=Requests(
            phases.naming,
            phases.connecting,
            phases.handshaking,
            phases.awaiting_first_byte,
            phases.reading,
            phases.queued,
        ),
        queueing_seconds=flow.delay.seconds(now),
        late_seconds=flow.lateness,
        parser_backlog=shell.parsers.backlog,
        are_parsers_full=shell.parsers.is_saturated,
        is_writer_full=shell.writer.is_full,
        is_network_down=network.state is NetworkState.DOWN,
        names_alone_fail=network.names_alone_fail,
    )
