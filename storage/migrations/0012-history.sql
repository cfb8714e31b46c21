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
