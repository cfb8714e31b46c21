CREATE TABLE extraction (                        -- the tables that rules fill; each has a view, x_ and its name
    name    TEXT    PRIMARY KEY,
    version INTEGER NOT NULL,                    -- counts up whenever its rules change
    rules   TEXT    NOT NULL                     -- JSON: of which pages, and its fields with types and sources
) STRICT;

CREATE TABLE extracted (                         -- each page that the rules of a table are for, when last read
    name    TEXT    NOT NULL REFERENCES extraction (name),
    page    INTEGER NOT NULL REFERENCES page (id),
    version INTEGER NOT NULL,                    -- of the rules
    records INTEGER NOT NULL,                    -- how many it gave
    missing TEXT,                                -- JSON: fields that have no value in any of them; NULL if none
    problem TEXT,                                -- why it is not all; NULL if it is
    PRIMARY KEY (name, page)
) STRICT, WITHOUT ROWID;

CREATE TABLE record (
    name   TEXT    NOT NULL,
    page   INTEGER NOT NULL,
    number INTEGER NOT NULL,                     -- from 1, in the order of the page
    fields TEXT    NOT NULL,                     -- JSON object; a field without a value is left out
    PRIMARY KEY (name, page, number)
) STRICT, WITHOUT ROWID;
