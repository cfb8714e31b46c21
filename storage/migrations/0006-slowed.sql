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
