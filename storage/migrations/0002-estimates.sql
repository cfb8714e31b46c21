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
