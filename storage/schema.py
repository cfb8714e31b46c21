"""The tables of the link store, as named migrations that are applied once each."""

from __future__ import annotations

LINK_KINDS = ("a", "area", "frame", "iframe", "canonical", "next", "alternate", "refresh", "redirect")
"""Kind number -> name, in the order of the parser's link kinds."""

_TABLES = """
CREATE TABLE host (
    id            INTEGER PRIMARY KEY,           -- dense, from 0, in the order of discovery
    url           TEXT    NOT NULL UNIQUE,       -- scheme and authority, e.g. https://docs.example.org
    site          TEXT    NOT NULL,              -- registrable domain, e.g. example.org
    address       TEXT,                          -- IP address last resolved
    next_fetch    REAL    NOT NULL DEFAULT 0,    -- not to be visited before, epoch seconds
    rest_seconds  REAL    NOT NULL DEFAULT 0,    -- the last rest it was given
    failures      INTEGER NOT NULL DEFAULT 0,    -- failures in a row
    pages_fetched INTEGER NOT NULL DEFAULT 0,    -- visits to pages that it answered
    is_given_up   INTEGER NOT NULL DEFAULT 0,
    last_error    TEXT                           -- of a look-up, robots.txt or page; it may be over
) STRICT;

CREATE TABLE robots (
    host        INTEGER PRIMARY KEY REFERENCES host (id),
    status      INTEGER,                         -- HTTP status; NULL if there was no answer
    fetched_at  REAL    NOT NULL,                -- epoch seconds
    expires_at  REAL    NOT NULL,                -- epoch seconds
    text        BLOB,                            -- as served; NULL unless the status was 2xx
    crawl_delay REAL,                            -- seconds, as asked for and capped
    sitemaps    TEXT    NOT NULL DEFAULT '[]'    -- JSON list
) STRICT;

CREATE TABLE page (
    id        INTEGER PRIMARY KEY,               -- dense, from 0, in the order of discovery
    url       TEXT    NOT NULL UNIQUE,           -- canonical form
    host      INTEGER NOT NULL REFERENCES host (id),
    state     TEXT    NOT NULL,                  -- known, waiting, fetched, redirected, failed, refused
    is_local  INTEGER NOT NULL,                  -- 1 if it belongs to the local domain
    depth     INTEGER NOT NULL,                  -- links from the nearest seed, as far as known when found
    referrer  INTEGER REFERENCES page (id),      -- whose link or redirect led here first; NULL for a seed
    redirects INTEGER NOT NULL DEFAULT 0         -- length of the redirect chain that led here
) STRICT;

CREATE TABLE fetch (                             -- the last visit to each visited page
    page            INTEGER PRIMARY KEY REFERENCES page (id),
    visit           INTEGER NOT NULL,            -- counts the visits of the crawl, from 1: the crawl order
    outcome         TEXT    NOT NULL,            -- fetched, redirected, client_error, dns_failure, ...
    detail          TEXT    NOT NULL DEFAULT '', -- what exactly went wrong
    attempt         INTEGER NOT NULL,            -- 1 for the first visit
    retry_at        REAL,                        -- waits for another try until then, epoch seconds
    started_at      REAL    NOT NULL,            -- epoch seconds
    seconds         REAL    NOT NULL,            -- from request to the last byte
    status          INTEGER,                     -- HTTP status
    content_type    TEXT,
    charset         TEXT,
    wire_bytes      INTEGER NOT NULL DEFAULT 0,  -- body as sent
    body_bytes      INTEGER NOT NULL DEFAULT 0,  -- body after content decoding
    body_hash       BLOB,                        -- first 16 bytes of SHA-256 of the decoded body
    etag            TEXT,
    last_modified   TEXT,
    redirect_target INTEGER REFERENCES page (id),
    canonical       INTEGER REFERENCES page (id),-- rel=canonical
    title           TEXT,
    description     TEXT,
    language        TEXT,
    is_noindex      INTEGER NOT NULL DEFAULT 0,
    is_nofollow     INTEGER NOT NULL DEFAULT 0,
    bad_links       INTEGER NOT NULL DEFAULT 0   -- links that are no usable http(s) URL
) STRICT;

CREATE TABLE content (
    page     INTEGER PRIMARY KEY REFERENCES page (id),
    text     BLOB,                               -- visible text, UTF-8, one zstd frame
    headings TEXT NOT NULL DEFAULT '[]',         -- JSON list of [level, text]
    body     BLOB                                -- decoded body, one zstd frame, if storage.keep_bodies
) STRICT;

CREATE TABLE link (
    source   INTEGER NOT NULL,
    target   INTEGER NOT NULL,
    kind     INTEGER NOT NULL REFERENCES link_kind (id),
    nofollow INTEGER NOT NULL,
    anchor   TEXT    NOT NULL,                   -- first anchor text of this target on the page
    PRIMARY KEY (source, target, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE link_kind (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE run (                               -- one row for every start of the crawler on this store
    id         INTEGER PRIMARY KEY,
    started_at REAL    NOT NULL,                 -- epoch seconds
    ended_at   REAL,                             -- NULL while it runs, or if it was killed
    reason     TEXT,                             -- why it ended
    command    TEXT    NOT NULL,                 -- JSON list, the command line
    settings   TEXT    NOT NULL,                 -- JSON, the effective settings
    progress   TEXT    NOT NULL DEFAULT '{}',    -- JSON, the counters last reported
    updated_at REAL    NOT NULL                  -- epoch seconds, of progress
) STRICT;
"""

_VIEWS = """
CREATE VIEW pages AS
SELECT page.id, page.url, host.url AS host, host.site, page.state, page.is_local, page.depth,
       referrer.url AS referrer, fetch.visit, fetch.outcome, fetch.detail, fetch.status,
       datetime(fetch.started_at, 'unixepoch') AS fetched_at, fetch.seconds, fetch.content_type,
       fetch.charset, fetch.body_bytes, hex(fetch.body_hash) AS body_hash, fetch.title, fetch.description,
       fetch.language, redirect.url AS redirect_target, canonical.url AS canonical,
       fetch.is_noindex, fetch.is_nofollow
FROM page
JOIN host ON host.id = page.host
LEFT JOIN fetch ON fetch.page = page.id
LEFT JOIN page AS referrer ON referrer.id = page.referrer
LEFT JOIN page AS redirect ON redirect.id = fetch.redirect_target
LEFT JOIN page AS canonical ON canonical.id = fetch.canonical;

CREATE VIEW links AS
SELECT source.url AS source, target.url AS target, link_kind.name AS kind, link.nofollow, link.anchor,
       source.host <> target.host AS leaves_host, target.is_local AS target_is_local
FROM link
JOIN page AS source ON source.id = link.source
JOIN page AS target ON target.id = link.target
JOIN link_kind ON link_kind.id = link.kind;

CREATE VIEW hosts AS
SELECT host.url, host.site, host.address, host.pages_fetched, host.failures, host.is_given_up,
       host.last_error, datetime(host.next_fetch, 'unixepoch') AS next_fetch, robots.status AS robots_status,
       robots.crawl_delay, count(page.id) AS pages_known, coalesce(sum(page.state = 'waiting'), 0) AS pages_waiting
FROM host
LEFT JOIN robots ON robots.host = host.id
LEFT JOIN page ON page.host = host.id
GROUP BY host.id;

CREATE VIEW errors AS
SELECT fetch.outcome, fetch.status, count(*) AS pages, min(page.url) AS example, min(fetch.detail) AS detail
FROM fetch JOIN page ON page.id = fetch.page
WHERE page.state IN ('failed', 'refused') OR fetch.retry_at IS NOT NULL
GROUP BY fetch.outcome, fetch.status ORDER BY pages DESC;
"""

_KINDS = "INSERT INTO link_kind (id, name) VALUES " + ", ".join(
    f"({number}, '{name}')" for number, name in enumerate(LINK_KINDS)
)

_ESTIMATES = """
CREATE TABLE estimate (                          -- one row for every refresh of the estimate
    id            INTEGER PRIMARY KEY,
    run           INTEGER NOT NULL REFERENCES run (id),
    visit         INTEGER NOT NULL,              -- computed from what the visits up to this one had found
    local_pages   INTEGER NOT NULL,              -- HTML pages of the local domain fetched by then
    outside_pages INTEGER NOT NULL,              -- HTML pages outside fetched by then
    estimator     TEXT    NOT NULL,
    change        REAL,                          -- L1 distance from the estimate before; NULL for the first
    disagreement  REAL,                          -- L1 distance of the farthest other estimator
    seconds       REAL    NOT NULL,              -- what the refresh took, the choice of the next pages included
    created_at    REAL    NOT NULL,              -- epoch seconds
    ranks         BLOB    NOT NULL               -- zlib: k page numbers (int32), k estimates (float32)
) STRICT;

CREATE TABLE rank (                              -- PageRank of the local pages; each estimator's sums to 1
    estimator TEXT    NOT NULL,                  -- "local": by the links of the domain alone
    page      INTEGER NOT NULL REFERENCES page (id),
    pagerank  REAL    NOT NULL,
    PRIMARY KEY (estimator, page)
) STRICT, WITHOUT ROWID;

CREATE VIEW ranks AS
SELECT page.url, fetch.title, web.estimator, site.pagerank AS as_site_sees, web.pagerank AS as_web_sees,
       web.pagerank / site.pagerank AS ratio
FROM rank AS web
JOIN rank AS site ON site.page = web.page AND site.estimator = 'local'
JOIN page ON page.id = web.page
JOIN fetch ON fetch.page = web.page
WHERE web.estimator <> 'local' AND fetch.outcome = 'fetched';

CREATE VIEW estimates AS
SELECT id, run, visit, local_pages, outside_pages, estimator, change, disagreement, seconds,
       datetime(created_at, 'unixepoch') AS created_at
FROM estimate;
"""

_CUTS = """
ALTER TABLE fetch ADD COLUMN cut TEXT;           -- JSON: what was too much, how many were shortened or left out
ALTER TABLE robots ADD COLUMN sitemaps_left_out INTEGER NOT NULL DEFAULT 0;  -- beyond those that are kept

CREATE VIEW cuts AS
SELECT page.url, each.key AS what, each.value AS how_many
FROM fetch JOIN page ON page.id = fetch.page JOIN json_each(fetch.cut) AS each
WHERE fetch.cut IS NOT NULL;
"""

FAILED = "outcome NOT IN ('fetched', 'other_type', 'redirected')"
"""Visits that led to no page, as a condition in SQL; the index is used by those who write it exactly so."""

_STATES = "('known', 'waiting', 'fetched', 'redirected', 'failed', 'refused')"
"""All states of pages: with them named, a host is found in a table that is sorted by is_local, state and host. That
order keeps what a transaction changes close together: 8 µs of CPU a visit; two tables, by host and of all, took 20."""

_COUNTS = f"""
CREATE TABLE page_count (                        -- how many pages there are of each kind; kept true by triggers
    is_local INTEGER NOT NULL,
    state    TEXT    NOT NULL,
    host     INTEGER NOT NULL REFERENCES host (id),
    pages    INTEGER NOT NULL,
    PRIMARY KEY (is_local, state, host)
) STRICT, WITHOUT ROWID;

INSERT INTO page_count SELECT is_local, state, host, count(*) FROM page GROUP BY is_local, state, host;

CREATE TRIGGER page_inserted AFTER INSERT ON page BEGIN
    INSERT INTO page_count VALUES (NEW.is_local, NEW.state, NEW.host, 1) ON CONFLICT DO UPDATE SET pages = pages + 1;
END;

CREATE TRIGGER page_changed AFTER UPDATE OF host, state, is_local ON page
WHEN (OLD.host, OLD.state, OLD.is_local) <> (NEW.host, NEW.state, NEW.is_local) BEGIN
    UPDATE page_count SET pages = pages - 1 WHERE is_local = OLD.is_local AND state = OLD.state AND host = OLD.host;
    INSERT INTO page_count VALUES (NEW.is_local, NEW.state, NEW.host, 1) ON CONFLICT DO UPDATE SET pages = pages + 1;
END;

CREATE TRIGGER page_deleted AFTER DELETE ON page BEGIN
    UPDATE page_count SET pages = pages - 1 WHERE is_local = OLD.is_local AND state = OLD.state AND host = OLD.host;
END;

CREATE INDEX fetch_failure ON fetch (outcome, status, retry_at) WHERE {FAILED};

DROP VIEW hosts;
CREATE VIEW hosts AS
SELECT host.url, host.site, host.address, host.pages_fetched, host.failures, host.is_given_up,
       host.last_error, datetime(host.next_fetch, 'unixepoch') AS next_fetch, robots.status AS robots_status,
       robots.crawl_delay,
       (SELECT coalesce(sum(pages), 0) FROM page_count AS each
        WHERE is_local IN (0, 1) AND state IN {_STATES} AND each.host = host.id) AS pages_known,
       (SELECT coalesce(sum(pages), 0) FROM page_count AS each
        WHERE is_local IN (0, 1) AND state = 'waiting' AND each.host = host.id) AS pages_waiting
FROM host LEFT JOIN robots ON robots.host = host.id;

DROP VIEW errors;
CREATE VIEW errors AS
SELECT fetch.outcome, fetch.status, count(*) AS pages, min(page.url) AS example, min(fetch.detail) AS detail
FROM fetch JOIN page ON page.id = fetch.page
WHERE {FAILED} AND (page.state IN ('failed', 'refused') OR fetch.retry_at IS NOT NULL)
GROUP BY fetch.outcome, fetch.status ORDER BY pages DESC;
"""

COMPARE_RANKS = """
UPDATE rank SET (as_site_sees, moved) = (
    SELECT site.pagerank, max(rank.pagerank / site.pagerank, site.pagerank / rank.pagerank)
    FROM rank AS site JOIN fetch ON fetch.page = site.page
    WHERE site.estimator = 'local' AND site.page = rank.page AND fetch.outcome = 'fetched')
WHERE estimator <> 'local'
"""
"""To be done whenever ranks were written, with "local" among them."""

_RANKS = """
DROP VIEW ranks;
CREATE TABLE compared_rank (                     -- PageRank of the local pages; each estimator's sums to 1
    estimator    TEXT    NOT NULL,               -- "local": by the links of the domain alone
    page         INTEGER NOT NULL REFERENCES page (id),
    pagerank     REAL    NOT NULL,
    place        INTEGER NOT NULL,               -- from 1, among those of its estimator
    as_site_sees REAL,                           -- the same page's with "local"; NULL with "local", or if not fetched
    PRIMARY KEY (estimator, page)
) STRICT, WITHOUT ROWID;
INSERT INTO compared_rank (estimator, page, pagerank, place)
SELECT estimator, page, pagerank, rank() OVER (PARTITION BY estimator ORDER BY pagerank DESC) AS place FROM rank
ORDER BY estimator, page;
DROP TABLE rank;
ALTER TABLE compared_rank RENAME TO rank;
UPDATE rank SET as_site_sees = (
    SELECT site.pagerank FROM rank AS site JOIN fetch ON fetch.page = site.page
    WHERE site.estimator = 'local' AND site.page = rank.page AND fetch.outcome = 'fetched')
WHERE estimator <> 'local';

CREATE VIEW shown_estimator AS                   -- whose ranks to show: the last estimate's, or any that are stored
SELECT coalesce(
    (SELECT estimator FROM estimate WHERE id = (SELECT max(id) FROM estimate)
     AND EXISTS (SELECT 1 FROM rank WHERE rank.estimator = estimate.estimator)),
    (SELECT estimator FROM rank WHERE estimator < 'local' ORDER BY estimator LIMIT 1),
    (SELECT estimator FROM rank WHERE estimator > 'local' ORDER BY estimator LIMIT 1)) AS estimator;

CREATE VIEW ranks_by_estimator AS                -- names are looked up only for the rows that are asked for in the end
SELECT (SELECT url FROM page WHERE id = rank.page) AS url, (SELECT title FROM fetch WHERE page = rank.page) AS title,
       estimator, as_site_sees, pagerank AS as_web_sees, pagerank / as_site_sees AS ratio
FROM rank WHERE as_site_sees IS NOT NULL;

CREATE VIEW ranks AS
SELECT * FROM ranks_by_estimator WHERE estimator = (SELECT estimator FROM shown_estimator);
"""

_SLOWED = """
CREATE TABLE slowed (                            -- shapes of URLs that look as if they went on without end
    host         INTEGER NOT NULL REFERENCES host (id),
    shape        TEXT    NOT NULL,               -- of their paths and queries, e.g. /cal/{n}/{n}?sid
    suspicion    TEXT    NOT NULL,               -- repeats, breeds
    visits       INTEGER NOT NULL,               -- pages of the shape that were read
    in_vain      INTEGER NOT NULL,               -- of them, while it was slowed down, without anything new
    earned       INTEGER NOT NULL,               -- so many of those are made up for by pages that had something new
    left_waiting INTEGER NOT NULL,               -- pages that wait for a crawl with more traps.patience
    PRIMARY KEY (host, shape)
) STRICT, WITHOUT ROWID;
"""

_ERRORS = f"""
DROP VIEW errors;
CREATE VIEW errors AS                            -- counted in an index; the example is the page that was found first
SELECT outcome, status, pages, (SELECT url FROM page WHERE id = first) AS example,
       (SELECT detail FROM fetch WHERE page = first) AS detail
FROM (SELECT outcome, status, count(*) AS pages, min(page) AS first FROM fetch WHERE {FAILED} GROUP BY outcome, status)
ORDER BY pages DESC;
"""

_TOPICS = """
CREATE TABLE topic (                             -- what a focused crawl is about; one row, if it has a topic
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    name    TEXT    NOT NULL,
    model   BLOB,                                -- npz: the classifier; NULL if targets say what is sought
    targets TEXT    NOT NULL DEFAULT '[]'        -- JSON: the content types that are sought
) STRICT;

CREATE TABLE relevance (                         -- of each visited page of a crawl with a topic
    page        INTEGER PRIMARY KEY REFERENCES page (id),
    probability REAL    NOT NULL,                -- that it is about the topic, as its own text has it
    links       BLOB                             -- what its links say of themselves, zstd; NULL if nobody asked
) STRICT;

CREATE TABLE learnt (                            -- when its policy last learnt from its visits; one row
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    visit INTEGER NOT NULL,                      -- after so many visits
    pages INTEGER NOT NULL                       -- when so many pages were known
) STRICT;

CREATE VIEW relevant AS
SELECT page.url, fetch.title, relevance.probability, fetch.visit
FROM relevance JOIN page ON page.id = relevance.page JOIN fetch ON fetch.page = relevance.page
WHERE relevance.probability >= 0.5;
"""

_DRAWN = """
CREATE TABLE drawn (                             -- visits of a crawl with a topic that were left to the lot
    page    INTEGER PRIMARY KEY REFERENCES page (id),
    promise REAL    NOT NULL,                    -- how good its policy said it would be
    worth   REAL    NOT NULL,                    -- how good it was, in the same unit
    turn    INTEGER NOT NULL                     -- at which visit that promise alone would have brought it
) STRICT;
"""

_EXTRACTION = """
CREATE TABLE extraction (                        -- the tables that rules fill; each has a view, x_ and its name
    name    TEXT    PRIMARY KEY,
    version INTEGER NOT NULL,                    -- counts up whenever its rules change
    rules   TEXT    NOT NULL                     -- JSON: of which pages, and its fields with types and sources
) STRICT;

CREATE TABLE extracted (                         -- each page that the rules of a table are for, when last read
    name    TEXT    NOT NULL REFERENCES extraction (name),
    page    INTEGER NOT NULL REFERENCES page (id),
    version INTEGER NOT NULL,                    -- of the rules
    records INTEGER NOT NULL,                    -- how many it gave
    missing TEXT,                                -- JSON: fields that have no value in any of them; NULL if none
    problem TEXT,                                -- why it is not all; NULL if it is
    PRIMARY KEY (name, page)
) STRICT, WITHOUT ROWID;

CREATE TABLE record (
    name   TEXT    NOT NULL,
    page   INTEGER NOT NULL,
    number INTEGER NOT NULL,                     -- from 1, in the order of the page
    fields TEXT    NOT NULL,                     -- JSON object; a field without a value is left out
    PRIMARY KEY (name, page, number)
) STRICT, WITHOUT ROWID;
"""

_RENDERING = """
ALTER TABLE fetch ADD COLUMN rendering TEXT;     -- shell: needs a browser; rendered: had one; unrendered: it failed

CREATE INDEX fetch_rendering ON fetch (rendering) WHERE rendering IS NOT NULL;

CREATE VIEW renderings AS
SELECT page.url, fetch.rendering, fetch.detail
FROM fetch JOIN page ON page.id = fetch.page WHERE fetch.rendering IS NOT NULL;
"""

_HISTORY = """
CREATE TABLE look (                              -- pages that were looked at again after their first visit
    page          INTEGER PRIMARY KEY REFERENCES page (id),
    looked_at     REAL    NOT NULL,              -- the last look that told anything, epoch seconds
    looks         INTEGER NOT NULL,              -- how many did
    changes       INTEGER NOT NULL,              -- so many of them found another page than before
    changed_at    REAL,                          -- the last of those, epoch seconds
    missed        INTEGER NOT NULL,              -- looks in a row that did not find the page that is stored
    missing_since REAL                           -- the first of them, epoch seconds
) STRICT;

CREATE TABLE change (                            -- what looking again has found
    id     INTEGER PRIMARY KEY,
    page   INTEGER NOT NULL REFERENCES page (id),
    at     REAL    NOT NULL,                     -- when it was found, epoch seconds
    kind   TEXT    NOT NULL,                     -- new, changed, moved, gone, back
    share  REAL,                                 -- of the words of its content that are new or gone
    before BLOB                                  -- the text before, as what differs from the text after; see docs
) STRICT;

CREATE INDEX change_at ON change (at);
CREATE INDEX change_page ON change (page, at);

CREATE VIEW changes AS
SELECT page.url, datetime(change.at, 'unixepoch') AS at, change.kind, change.share, fetch.title
FROM change JOIN page ON page.id = change.page LEFT JOIN fetch ON fetch.page = change.page;
"""

_SCHEDULE = """
ALTER TABLE look ADD COLUMN due REAL;            -- when it is to be looked at again, epoch seconds; NULL: no budget yet
ALTER TABLE look ADD COLUMN rate REAL;           -- how often it changes, as far as one can tell, a second
ALTER TABLE look ADD COLUMN seen BLOB;           -- what its visits have shown of that
"""

_SITEMAPS = """
CREATE TABLE sitemap (                           -- sitemaps and feeds, and when each is asked again
    url           TEXT    PRIMARY KEY,
    host          TEXT    NOT NULL,              -- on whose behalf it is read: scheme and authority
    source        TEXT    NOT NULL,              -- robots, guessed, index, feed
    next_at       REAL    NOT NULL,              -- not to be asked before, epoch seconds
    "index"       TEXT,                          -- the index that names it
    depth         INTEGER NOT NULL,              -- indexes above it
    named_lastmod REAL,                          -- what that index says of it
    etag          TEXT,
    last_modified TEXT,
    fetched_at    REAL,                          -- the last answer with a body
    changed_at    REAL,                          -- when a reading last showed a change
    readings      INTEGER NOT NULL,
    entries       INTEGER NOT NULL,              -- at the last one
    changed_share REAL    NOT NULL,              -- of them, new or with another lastmod
    interval      REAL    NOT NULL,              -- seconds from one reading to the next
    failures      INTEGER NOT NULL,              -- in a row
    failed_at     REAL,                          -- the first of them
    mints         INTEGER NOT NULL,              -- readings in a row with hardly a URL of the one before
    sketch        BLOB    NOT NULL,              -- of its entries, to be compared with the next reading's
    retired       TEXT,                          -- why it is not asked any more; NULL if it is
    retired_at    REAL
) STRICT;
"""

_SOFT_404 = """
CREATE TABLE probed (                            -- what servers say of pages that they do not have
    directory TEXT PRIMARY KEY,                  -- a URL up to its last slash
    url       TEXT NOT NULL,                     -- of the page that was asked for
    asked_at  REAL NOT NULL,                     -- epoch seconds
    status    INTEGER,
    title     TEXT NOT NULL,
    text      BLOB                               -- what it said with status 200, zstd; NULL if it was honest
) STRICT;
"""

_SIGNALS = """
CREATE TABLE signal (                            -- who tells of changes, and how far that could be believed
    host      INTEGER NOT NULL REFERENCES host (id),
    kind      TEXT    NOT NULL,                  -- sitemap, feed, push
    looks     REAL    NOT NULL,                  -- at pages that it had named
    precision REAL    NOT NULL,                  -- how likely such a notice is true
    recall    REAL    NOT NULL,                  -- the share of the changes that it tells of
    seen      BLOB    NOT NULL,                  -- what looks have shown of that
    PRIMARY KEY (host, kind)
) STRICT, WITHOUT ROWID;
"""

_MOVES = """
ALTER TABLE rank ADD COLUMN moved REAL;          -- how many times it has more or less as its site sees it, at least 1

UPDATE rank SET moved = max(pagerank / as_site_sees, as_site_sees / pagerank) WHERE as_site_sees IS NOT NULL;

DROP VIEW ranks;
DROP VIEW ranks_by_estimator;

CREATE VIEW ranks_by_estimator AS                -- names are looked up only for the rows that are asked for in the end
SELECT (SELECT url FROM page WHERE id = rank.page) AS url, (SELECT title FROM fetch WHERE page = rank.page) AS title,
       estimator, as_site_sees, pagerank AS as_web_sees, pagerank / as_site_sees AS ratio, moved
FROM rank WHERE as_site_sees IS NOT NULL;

CREATE VIEW ranks AS
SELECT * FROM ranks_by_estimator WHERE estimator = (SELECT estimator FROM shown_estimator);
"""

MIGRATIONS: tuple[tuple[str, str], ...] = (
    ("0001-tables", f"{_TABLES}\n{_KINDS};\n{_VIEWS}"),
    ("0002-estimates", _ESTIMATES),
    ("0003-cuts", _CUTS),
    ("0004-counts", _COUNTS),
    ("0005-ranks", _RANKS),
    ("0006-slowed", _SLOWED),
    ("0007-errors", _ERRORS),
    ("0008-topics", _TOPICS),
    ("0009-extraction", _EXTRACTION),
    ("0010-drawn", _DRAWN),
    ("0011-rendering", _RENDERING),
    ("0012-history", _HISTORY),
    ("0013-schedule", _SCHEDULE),
    ("0014-sitemaps", _SITEMAPS),
    ("0015-soft-404", _SOFT_404),
    ("0016-signals", _SIGNALS),
    ("0017-moves", _MOVES),
)
"""(name, SQL) in order; each runs once, in one transaction with the row that records it."""

LINKING_OUTCOMES = "('fetched', 'redirected', 'too_many_redirects')"
"""The outcomes of visits that make the links of a page known, as a list in SQL."""
DEAD = (
    "retry_at IS NULL AND outcome NOT IN"
    " ('fetched', 'other_type', 'redirected', 'too_many_redirects', 'robots', 'forbidden_address')"
)
"""Visits that say that links to the page are dead, as a condition in SQL: it was asked for, and nothing came."""

CREATE_INLINK_INDEX = "CREATE INDEX IF NOT EXISTS link_target ON link (target)"
DROP_INLINK_INDEX = "DROP INDEX IF EXISTS link_target"
"""The index that answers "who links here". Kept up during a crawl it costs 2 to 5 µs a link, built at its end
0.5 µs: links arrive sorted by source, and each transaction would touch hundreds of pages of the index."""
CREATE_COPY_INDEX = "CREATE INDEX IF NOT EXISTS fetch_body_hash ON fetch (body_hash) WHERE body_hash IS NOT NULL"
DROP_COPY_INDEX = "DROP INDEX IF EXISTS fetch_body_hash"
"""The index that answers "which pages are the same". Hashes come in no order: it is built at the end for the same
reason."""


CREATE_MIGRATION_TABLE = (
    "CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT"
)


class SchemaTooNew(Exception):
    """The store was written by a later version of the program."""


def pending_migrations(applied: set[str]) -> list[str]:
    """The scripts a store lacks, in order, given the names of those it had. Each is one transaction."""
    unknown = sorted(applied - {name for name, _ in MIGRATIONS})
    if unknown:
        raise SchemaTooNew(f"it has schema {unknown[-1]!r}, which this version does not know; update the program")
    return [
        f"BEGIN IMMEDIATE;\n{sql}\n"
        f"INSERT INTO migration (name, applied_at) VALUES ('{name}', datetime('now'));\nCOMMIT;"
        for name, sql in MIGRATIONS
        if name not in applied
    ]
