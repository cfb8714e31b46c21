-- Files that pages need to be shown: pictures, styles, scripts, fonts, frames. They are no pages: nothing is searched in them.

CREATE TABLE requisite (
    number       INTEGER PRIMARY KEY,            -- from 0, in the order of discovery
    url          TEXT    NOT NULL UNIQUE,
    kind         TEXT    NOT NULL,               -- what the first reference needs it for: image, style, script, ...
    page         INTEGER NOT NULL REFERENCES page, -- the first page that needs it
    depth        INTEGER NOT NULL,               -- 0: the page refers to it; else style sheets, frames or redirects in between
    outcome      TEXT,                           -- as for pages; NULL while it waits
    detail       TEXT,
    status       INTEGER,
    content_type TEXT,
    bytes        INTEGER,                        -- of the body, without content coding
    digest       BLOB,                           -- SHA-256 of that body, 16 bytes
    fetched_at   REAL
) STRICT;
CREATE INDEX requisite_waits ON requisite (number) WHERE outcome IS NULL;

CREATE TABLE page_requisite (                    -- what a page refers to
    page         INTEGER NOT NULL REFERENCES page,
    requisite    INTEGER NOT NULL REFERENCES requisite,
    PRIMARY KEY (page, requisite)
) STRICT, WITHOUT ROWID;

CREATE TABLE requisite_part (                    -- what a style sheet or frame refers to, and where a redirect leads
    requisite    INTEGER NOT NULL REFERENCES requisite,
    part         INTEGER NOT NULL REFERENCES requisite,
    PRIMARY KEY (requisite, part)
) STRICT, WITHOUT ROWID;

CREATE TABLE requisite_cut (                     -- how many references of a page were too many to be followed
    page         INTEGER PRIMARY KEY REFERENCES page,
    left_out     INTEGER NOT NULL
) STRICT;

CREATE TABLE requisite_body (                    -- kept bodies, each once
    digest       BLOB    PRIMARY KEY,
    body         BLOB    NOT NULL                -- a zstd frame
) STRICT;
