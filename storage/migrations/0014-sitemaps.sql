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
