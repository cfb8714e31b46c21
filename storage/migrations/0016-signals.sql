CREATE TABLE signal (                            -- who tells of changes, and how far that could be believed
    host      INTEGER NOT NULL REFERENCES host (id),
    kind      TEXT    NOT NULL,                  -- sitemap, feed, push
    looks     REAL    NOT NULL,                  -- at pages that it had named
    precision REAL    NOT NULL,                  -- how likely such a notice is true
    recall    REAL    NOT NULL,                  -- the share of the changes that it tells of
    seen      BLOB    NOT NULL,                  -- what looks have shown of that
    PRIMARY KEY (host, kind)
) STRICT, WITHOUT ROWID;
