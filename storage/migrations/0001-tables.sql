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

INSERT INTO link_kind (id, name) VALUES (0, 'a'), (1, 'area'), (2, 'frame'), (3, 'iframe'), (4, 'canonical'), (5, 'next'), (6, 'alternate'), (7, 'refresh'), (8, 'redirect');

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
