-- Which pages link to a page, and which have a body, is found in runs that are sorted while a crawl goes on.

CREATE TABLE unsorted (                          -- visited pages whose links and body are in no run yet
    id   INTEGER PRIMARY KEY,                    -- in the order of their visits
    page INTEGER NOT NULL REFERENCES page (id)
) STRICT;

CREATE TABLE unlinked (                          -- links that may be in runs, but that their page has no more
    source INTEGER NOT NULL REFERENCES page (id),
    target INTEGER NOT NULL REFERENCES page (id),
    PRIMARY KEY (source, target)
) STRICT, WITHOUT ROWID;

CREATE TABLE sorted_run (
    id    INTEGER PRIMARY KEY,
    kind  TEXT    NOT NULL,                      -- links: by target; bodies: by hash
    level INTEGER NOT NULL,                      -- how often its entries were merged
    into_run INTEGER                             -- the run that its entries move to; NULL if it stays
) STRICT;

CREATE TABLE sorted_block (                      -- entries of a run that are beside each other
    id    INTEGER PRIMARY KEY,
    run   INTEGER NOT NULL REFERENCES sorted_run (id),
    last  INTEGER NOT NULL,                      -- the last key
    first INTEGER NOT NULL,                      -- the first key
    data  BLOB    NOT NULL                       -- see storage/sorted_links/entries.py
) STRICT;

CREATE INDEX sorted_block_place ON sorted_block (run, last, id);

DROP INDEX IF EXISTS link_target;
DROP INDEX IF EXISTS fetch_body_hash;
INSERT INTO unsorted (page) SELECT page FROM fetch ORDER BY page;
