"""Every setting with its default, its unit and the reason for its value, section by section.

Each part of the crawler receives only its own section. The file settings.toml is rendered from
this one: after a change here run `python -m crawler.settings > settings.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from crawler.settings import texts
from crawler.settings.rules import Complaint, Section, setting, toml

TRACKING_PARAMETERS = (
    "utm_*", "mtm_*", "pk_*", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "fbclid", "msclkid",
    "twclid", "ttclid", "yclid", "igshid", "mc_cid", "mc_eid", "mkt_tok", "vero_id", "_ga", "_gl",
    "_hsenc", "_hsmi", "oly_anon_id", "oly_enc_id",
)  # fmt: skip
SESSION_PARAMETERS = ("PHPSESSID", "jsessionid", "ASPSESSIONID*", "CFID", "CFTOKEN")


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentitySettings(Section):
    """Who asks. Sites see this in every request and in their logs."""

    name_in_file: ClassVar[str] = "identity"

    name: str = setting(
        "Hinterland",
        "product name",
        "The name in the User-Agent, and the one that rules in a robots.txt are looked up by.",
        check=texts.check_product_name,
    )
    contact: str = setting(
        "",
        "URL or mailto: address",
        "Where a site's owner can reach you; it becomes part of the User-Agent. Empty by default because"
        " nobody else can fill it in: crawling public hosts without it warns.",
        check=texts.check_contact,
    )

    def _check_together(self) -> None:
        if not self.name:
            raise Complaint('name = "": a crawler needs a name; the default is "Hinterland"')


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeSettings(Section):
    """Which pages belong to the local domain. Links that leave it are recorded, not followed."""

    name_in_file: ClassVar[str] = "scope"

    kind: str = setting(
        "hosts",
        "",
        "Local is what shares a seed's host (name and port), its site (registrable domain) or the folder of"
        " its URL (prefix), over http or https. By default the host: a first crawl should not run away.",
        choices=("hosts", "site", "prefix"),
        option="--scope",
    )
    hosts: tuple[str, ...] = setting(
        (),
        "names, with the port if it is not the usual one",
        'Hosts that are local too, such as "docs.example.org" or "docs.example.org:8443".',
        check=texts.check_host,
    )
    include: tuple[str, ...] = setting(
        (),
        "regular expressions",
        "If any are given, a local URL must match one, anywhere in its canonical form.",
        check=texts.check_pattern,
    )
    exclude: tuple[str, ...] = setting(
        (),
        "regular expressions",
        "A local URL must match none of these; they win over include.",
        check=texts.check_pattern,
    )
    max_depth: int = setting(
        -1,
        "links",
        "The number of links followed from a seed. The scope bounds a crawl better, so there is no limit.",
        minimum=-1,
        special="-1: no limit",
        option="--max-depth",
    )
    max_pages_per_host: int = setting(
        -1,
        "pages",
        "A guard against calendars and other endless hosts. No limit, so that no page goes missing unasked.",
        minimum=-1,
        special="-1: no limit",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlSettings(Section):
    """When two URLs are one page. Changing these in the middle of a crawl makes pages appear twice."""

    name_in_file: ClassVar[str] = "urls"

    max_length: int = setting(
        2000,
        "characters",
        "Longer URLs are nearly always traps that grow by a piece per click. Every browser and server takes"
        " 2000 characters, so honest sites stay below.",
        minimum=50,
        maximum=65_536,
    )
    sort_parameters: bool = setting(
        False,
        "",
        "Sorting makes ?a=1&b=2 and ?b=2&a=1 one page. Off: for some servers the order matters.",
    )
    drop_parameters: tuple[str, ...] = setting(
        TRACKING_PARAMETERS + SESSION_PARAMETERS,
        'names, "*" at the end for any rest',
        "Query parameters that follow the visitor and leave the page as it is: kept, they would make copies"
        " without end.",
        check=texts.check_parameter,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsSettings(Section):
    """How robots.txt (RFC 9309) and the robots directives of pages are obeyed."""

    name_in_file: ClassVar[str] = "robots"

    max_age_seconds: int = setting(
        86_400,
        "seconds",
        "How long a robots.txt is trusted. RFC 9309 section 2.4 allows at most a day.",
        minimum=0,
        maximum=86_400,
    )
    max_bytes: int = setting(
        524_288,
        "bytes",
        "What is read of a robots.txt. RFC 9309 section 2.5 asks for at least 500 KiB.",
        minimum=512_000,
        maximum=16_777_216,
    )
    max_redirects: int = setting(
        5,
        "redirects",
        "Redirects followed from a robots.txt. RFC 9309 section 2.3.1.2 asks for at least five.",
        minimum=5,
        maximum=20,
    )
    max_crawl_delay_seconds: float = setting(
        300.0,
        "seconds",
        "A longer Crawl-delay counts as this one: some robots.txt ask for a day between two pages.",
        minimum=0,
    )
    retry_seconds: float = setting(
        60.0,
        "seconds",
        "The wait before an unreachable robots.txt is asked for again; it doubles each time. Until it can be"
        " read, nothing of its host is fetched.",
        minimum=0.1,
        maximum=86_400,
    )
    obey_nofollow: bool = setting(
        True,
        "",
        'Do not follow links marked rel="nofollow". They are recorded all the same.',
    )
    obey_page_directives: bool = setting(
        True,
        "",
        "Obey <meta name=robots> and X-Robots-Tag. They are recorded all the same.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PolitenessSettings(Section):
    """How gently hosts are visited. A host has one open request at a time; these are its rests."""

    name_in_file: ClassVar[str] = "politeness"

    delay_seconds: float = setting(
        1.0,
        "seconds",
        "The least rest between two visits to a host, from the end of the first to the start of the second;"
        " a Crawl-delay in its robots.txt lengthens it.",
        minimum=0,
    )
    delay_factor: float = setting(
        10.0,
        "times the duration of the last fetch",
        "A host that answers slowly rests longer (Mercator's rule): at ten, it spends less than a tenth of"
        " its time on us.",
        minimum=0,
    )
    max_delay_seconds: float = setting(
        30.0,
        "seconds",
        "The cap of that factor rule: one large file should not silence a host for minutes.",
        minimum=0,
    )
    address_delay_seconds: float = setting(
        0.25,
        "seconds",
        "The least time between two visits to one IP address, shared by all the hosts that live there.",
        minimum=0,
    )
    address_connections: int = setting(
        8,
        "open requests",
        "How many hosts of one IP address may be visited at once: it may be one small machine.",
        minimum=0,
        maximum=10_000,
        special="0: no limit",
    )
    backoff_seconds: float = setting(
        5.0,
        "seconds",
        "The rest after a failure of the host or an answer that asks us to slow down; it doubles each time.",
        minimum=0,
    )
    max_backoff_seconds: float = setting(
        600.0,
        "seconds",
        "Where the doubling ends.",
        minimum=0,
    )
    backoff_jitter: float = setting(
        0.2,
        "share of the rest",
        "Each such rest is longer by up to this share, at random: hosts that fell together should not be asked"
        " again together.",
        minimum=0,
        maximum=1,
    )
    max_retry_after_seconds: float = setting(
        3600.0,
        "seconds",
        "A longer Retry-After counts as this one; some servers send dates years away.",
        minimum=0,
    )
    give_up_after_failures: int = setting(
        8,
        "failures in a row",
        "Then the host is left alone; its pages stay in the store, and --resume tries it again. With the rests"
        " above that is after some ten minutes of silence.",
        minimum=1,
        maximum=1000,
    )
    give_up_unheard_after_failures: int = setting(
        3,
        "failures in a row",
        "The same for a host that never answered at all in this crawl: most such names are mistyped or gone.",
        minimum=1,
        maximum=1000,
    )
    max_ready_seconds: float = setting(
        60.0,
        "seconds",
        "A host that has been ready this long goes first, whatever the policy prefers: no host starves."
        " If there are many, every other visit is theirs.",
        minimum=0,
    )

    def _check_together(self) -> None:
        if self.max_backoff_seconds < self.backoff_seconds:
            raise Complaint(
                f"max_backoff_seconds = {toml(self.max_backoff_seconds)}:"
                f" expected no less than politeness.backoff_seconds = {toml(self.backoff_seconds)}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchingSettings(Section):
    """How a page is fetched, and when a fetch is given up."""

    name_in_file: ClassVar[str] = "fetching"

    max_in_flight: int = setting(
        100,
        "requests",
        "Open requests over all hosts together: enough to keep one core busy, few enough for a home router.",
        minimum=1,
        maximum=10_000,
    )
    connect_timeout_seconds: float = setting(
        10.0,
        "seconds",
        "For name look-up, connecting and TLS. A host that needs longer is down.",
        minimum=0.1,
        maximum=3600,
    )
    first_byte_timeout_seconds: float = setting(
        20.0,
        "seconds",
        "From the request to the first byte of the answer. Some honest servers think for ten seconds.",
        minimum=0.1,
        maximum=3600,
    )
    body_timeout_seconds: float = setting(
        120.0,
        "seconds",
        "For the whole body, however steadily it comes.",
        minimum=0.1,
        maximum=86_400,
    )
    slow_body_bytes_per_second: int = setting(
        500,
        "bytes per second",
        "A body slower than this on average is given up: it would hold a connection for its trickle.",
        minimum=0,
    )
    slow_body_grace_seconds: float = setting(
        10.0,
        "seconds",
        "How long a body may be slow before that floor counts.",
        minimum=0,
    )
    max_body_bytes: int = setting(
        10_485_760,
        "bytes, decompressed",
        "A larger page is given up. Most have less than 100 KB; 10 MB of gzip can unpack to 10 GB.",
        minimum=1024,
        maximum=1_073_741_824,
    )
    max_redirects: int = setting(
        10,
        "redirects",
        "The longest chain followed; every hop obeys scope, robots.txt and politeness. Browsers stop at 20.",
        minimum=0,
        maximum=100,
    )
    max_attempts: int = setting(
        3,
        "fetches of a page",
        "A page that fails in a way that may pass is tried this often in all.",
        minimum=1,
        maximum=100,
    )
    content_types: tuple[str, ...] = setting(
        ("text/html", "application/xhtml+xml"),
        "content types",
        "Other bodies are not downloaded: they hold no links we can read.",
        check=texts.check_content_type,
    )
    accept_language: str = setting(
        "*",
        "Accept-Language",
        'Which translation to prefer, such as "de, en;q=0.5". "*" takes each site in its own language; empty'
        " sends no such header.",
        check=texts.check_header_value,
    )
    headers: Mapping[str, str] = setting(
        {},
        "name = value",
        'Further headers of every request, such as { "X-Study" = "link survey" }. Every host sees them.',
        check=texts.check_header,
        is_secret=True,
    )
    cookies: bool = setting(
        False,
        "",
        "Off: cookies make what a page says depend on the pages fetched before.",
    )
    proxy: str = setting(
        "",
        "http:// URL",
        "Send every request through this proxy. It looks up and dials the hosts, so guarding private networks"
        " is then its task.",
        check=texts.check_proxy,
        is_secret=True,
    )
    verify_tls: bool = setting(
        True,
        "",
        "On: a page whose sender is unproven is not that site's page.",
    )
    ca_file: str = setting(
        "",
        "path of a PEM file",
        "Certificate authorities to trust instead of the system's, for example a company's own.",
        check=texts.check_path,
    )
    allow_networks: tuple[str, ...] = setting(
        (),
        "CIDR networks",
        "Private, loopback and link-local addresses are refused, or any page could lead the crawler into your"
        ' own network. Name here the ones you mean, such as "127.0.0.0/8".',
        check=texts.check_network,
    )
    addresses: Mapping[str, str] = setting(
        {},
        "name = IP address",
        'Names that are not looked up, as in a hosts file: { "docs.example:8080" = "127.0.0.1" }.',
        check=texts.check_address,
    )
    dns_cache_seconds: float = setting(
        300.0,
        "seconds",
        "How long a looked-up address is kept: most names live longer, few move faster.",
        minimum=0,
    )
    dns_cache_size: int = setting(
        10_000,
        "names",
        "Bounds the memory of a crawl over very many hosts; the oldest go first.",
        minimum=1,
    )

    def _check_together(self) -> None:
        if not self.content_types:
            raise Complaint('content_types = []: expected at least one; the default begins with "text/html"')


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsingSettings(Section):
    """Pages are parsed in processes of their own, so that a hostile one costs one page, not the crawl."""

    name_in_file: ClassVar[str] = "parsing"

    processes: int = setting(
        0,
        "processes",
        "A core parses about as fast as a core fetches, so few are enough.",
        minimum=0,
        maximum=64,
        special="0: as many as useful",
    )
    timeout_seconds: float = setting(
        10.0,
        "seconds",
        "Then the parser is stopped and the page is given up. Usual pages take about a millisecond; 200,000"
        " nested tags, which fit in 1 MB, take over half a minute.",
        minimum=0.1,
        maximum=600,
    )
    max_memory_mb: int = setting(
        1024,
        "MiB for each process",
        "Room for the tree of the largest page allowed; a page that needs more is given up.",
        minimum=128,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageSettings(Section):
    """What the store keeps of a page, and how often it writes."""

    name_in_file: ClassVar[str] = "storage"

    keep_text: bool = setting(
        True,
        "",
        "The visible text, compressed, for a later search index.",
    )
    keep_bodies: bool = setting(
        False,
        "",
        "The body as it came, compressed. Off: it takes several times the room of all the rest.",
    )
    commit_seconds: float = setting(
        0.2,
        "seconds",
        "Results are gathered this long and written as one transaction. Nothing is lost to a kill but what this"
        " holds, and that is fetched again.",
        minimum=0,
        maximum=60,
    )
    max_batch: int = setting(
        64,
        "records",
        "A transaction is written as soon as it has this many. Keep it below fetching.max_in_flight, or the"
        " crawl waits for the time above.",
        minimum=1,
        maximum=100_000,
    )
    warc_file_mb: int = setting(
        1000,
        "MB",
        "No WARC file of `crawl --warc` grows larger than this. 1 GB is what archives have agreed on.",
        minimum=1,
        maximum=1_000_000,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySettings(Section):
    """In which order waiting pages are fetched."""

    name_in_file: ClassVar[str] = "policy"

    name: str = setting(
        "bfs",
        "name of a policy",
        "Breadth first: nearest to the seeds first, needs no ranking, and finds important pages early.",
        option="--policy",
    )
    seed: int = setting(
        0,
        "any whole number",
        "Where a policy draws lots, the same seed draws the same lots.",
    )
    refresh_pages: int = setting(
        1000,
        "pages fetched",
        "A policy that ranks the whole graph is asked to do so again after this many pages,",
        minimum=1,
    )
    refresh_seconds: float = setting(
        30.0,
        "seconds",
        "or after this time, whichever comes first. It works beside the fetching.",
        minimum=0.1,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HinterlandSettings(Section):
    """How many pages outside the local domain are fetched to estimate what the whole web would say of the
    domain's own: their global PageRank (Davis & Dhillon, KDD 2006). The policy chooses them, round by round."""

    name_in_file: ClassVar[str] = "hinterland"

    budget: str = setting(
        "0",
        'pages, or a multiple of the local ones: "1.0", "2n"',
        "By default nothing outside is fetched. The paper spends as many pages as the domain has, or twice as many.",
        check=texts.check_hinterland_budget,
        option="--hinterland",
    )
    refresh_pages: int = setting(
        0,
        "pages",
        "So many make a round. After each the estimate is computed anew and the next pages are chosen by what the"
        " last ones taught. A fixed number of rounds, and not of pages, keeps that affordable for a large domain and"
        " leaves a small one a history to look at.",
        minimum=0,
        special="0: a 25th of the budget",
        option="--refresh-pages",
    )
    until_change: float = setting(
        0.0,
        "L1 distance",
        "The crawl ends when the estimate, which sums to 1, changed less than this in two rounds running: one"
        " may have met pages that say nothing of the domain. Else it ends when the budget is used up.",
        minimum=0,
        maximum=2,
        special="0: never",
        option="--until-change",
    )
    share: float = setting(
        0.0,
        "share of pages",
        "Outside pages come while the domain is still being crawled, and make up this share. By default the"
        " domain is crawled first: the more is known of it, the better the choice.",
        minimum=0,
        maximum=0.9,
        special="0: the domain first",
        option="--hinterland-share",
    )
    estimator: str = setting(
        "",
        "name of an estimator",
        "What the graph of a crawl says of the whole web's PageRank depends on what is assumed of the pages not"
        " fetched. The others are computed, too, to tell how far they disagree.",
        special="empty: the program's choice",
    )

    def _check_together(self) -> None:
        if not self.budget:
            raise Complaint('budget = "": write "0" for none')


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings(Section):
    """How pages become documents of a search index, and how they are ranked: docs/search.md has the formula.
    Only near_duplicates and canonical_resemblance need `index` again after a change."""

    name_in_file: ClassVar[str] = "search"

    title_boost: float = setting(3.0, "times BM25", "A title is chosen to say what the page is about.", minimum=0)
    headings_boost: float = setting(1.5, "times BM25", "Headings say what its parts are about.", minimum=0)
    anchors_outside_boost: float = setting(
        2.0, "times BM25", "What other hosts call the page in their links to it: nobody's own words.", minimum=0
    )
    anchors_inside_boost: float = setting(1.5, "times BM25", "The same of its own host.", minimum=0)
    url_boost: float = setting(1.0, "times BM25", "The words in the URL.", minimum=0)
    description_boost: float = setting(0.5, "times BM25", "The description, which is written for searchers.", minimum=0)
    body_boost: float = setting(1.0, "times BM25", "The main content: the measure for the others.", minimum=0)
    rest_boost: float = setting(
        0.2, "times BM25", "All visible text, menus included: found there, but little to go by.", minimum=0
    )
    rank_source: str = setting(
        "web",
        "",
        "Whose PageRank counts: that of the whole web, as estimated; that by the links of the domain alone; none.",
        choices=("web", "site", "none"),
    )
    rank_weight: float = setting(
        1.0, "score", "The most that PageRank can add to the score of the text.", minimum=0
    )
    rank_half: float = setting(
        1.0, "times the average PageRank", "A page of this PageRank gets half of it.", minimum=0.000001
    )
    rank_exponent: float = setting(
        0.6, "", "How sharply it rises around there.", minimum=0.01, maximum=10
    )
    first_candidates: int = setting(
        200,
        "pages",
        "So many of the best by text are looked at first; four times as many until no other page can be better.",
        minimum=1,
        maximum=100_000,
    )
    most_candidates: int = setting(
        20_000, "pages", "Then the answer says that it may not be exact.", minimum=1, maximum=1_000_000
    )
    snippet_characters: int = setting(240, "characters", "Two lines or three.", minimum=40, maximum=2_000)
    near_duplicates: float = setting(
        0.95,
        "resemblance",
        "Pages of one title that share so many of their shingles are one document. Lower values fold pages that"
        " differ in little, but in what matters, such as two entries of a reference.",
        minimum=0.5,
        maximum=2,
        special="2: never",
    )
    canonical_resemblance: float = setting(
        0.3,
        "resemblance",
        "A page that names another as canonical is believed if the two are that much alike: naming the home page"
        " on every page is a common mistake.",
        minimum=0,
        maximum=1,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSettings(Section):
    """What is said while a crawl runs."""

    name_in_file: ClassVar[str] = "report"

    interval_seconds: float = setting(
        5.0,
        "seconds",
        "Between two lines of progress when the output is no terminal: a log to read, not to scroll through.",
        minimum=0.1,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting of a crawl."""

    identity: IdentitySettings = field(default_factory=IdentitySettings)
    scope: ScopeSettings = field(default_factory=ScopeSettings)
    urls: UrlSettings = field(default_factory=UrlSettings)
    robots: RobotsSettings = field(default_factory=RobotsSettings)
    politeness: PolitenessSettings = field(default_factory=PolitenessSettings)
    fetching: FetchingSettings = field(default_factory=FetchingSettings)
    parsing: ParsingSettings = field(default_factory=ParsingSettings)
    storage: StorageSettings = field(default_factory=StorageSettings)
    policy: PolicySettings = field(default_factory=PolicySettings)
    hinterland: HinterlandSettings = field(default_factory=HinterlandSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    report: ReportSettings = field(default_factory=ReportSettings)


SECTIONS: dict[str, type[Section]] = {
    kind.name_in_file: kind
    for kind in (
        IdentitySettings,
        ScopeSettings,
        UrlSettings,
        RobotsSettings,
        PolitenessSettings,
        FetchingSettings,
        ParsingSettings,
        StorageSettings,
        PolicySettings,
        HinterlandSettings,
        SearchSettings,
        ReportSettings,
    )
}
"""The sections by name, in the order of settings.toml and of the fields of Settings."""
