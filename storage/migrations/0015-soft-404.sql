CREATE TABLE probed (                            -- what servers say of pages that they do not have
    directory TEXT PRIMARY KEY,                  -- a URL up to its last slash
    url       TEXT NOT NULL,                     -- of the page that was asked for
    asked_at  REAL NOT NULL,                     -- epoch seconds
    status    INTEGER,
    title     TEXT NOT NULL,
    text      BLOB                               -- what it said with status 200, zstd; NULL if it was honest
) STRICT;
