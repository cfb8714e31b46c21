CREATE TABLE shard (                             -- of a part of a crawl, which of how many it is; one row
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    crawl  TEXT    NOT NULL,                     -- of which crawl
    number INTEGER NOT NULL,                     -- from 0
    "of"   INTEGER NOT NULL,                     -- so many parts
    epoch  INTEGER NOT NULL                      -- counts its owners: only the last of them may write
) STRICT;

CREATE TABLE handed_over (                       -- pages for other parts of the crawl
    page            INTEGER NOT NULL REFERENCES page (id),
    shard           INTEGER NOT NULL,            -- which is to know of it
    depth           INTEGER NOT NULL,
    redirects       INTEGER NOT NULL,
    is_acknowledged INTEGER NOT NULL DEFAULT 0,  -- 1 once that part has it in its store
    PRIMARY KEY (page, shard)
) STRICT, WITHOUT ROWID;

CREATE INDEX handed_over_waiting ON handed_over (shard) WHERE NOT is_acknowledged;
