CREATE TABLE drawn (                             -- visits of a crawl with a topic that were left to the lot
    page    INTEGER PRIMARY KEY REFERENCES page (id),
    promise REAL    NOT NULL,                    -- how good its policy said it would be
    worth   REAL    NOT NULL,                    -- how good it was, in the same unit
    turn    INTEGER NOT NULL                     -- at which visit that promise alone would have brought it
) STRICT;
