CREATE TABLE topic (                             -- what a focused crawl is about; one row, if it has a topic
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    name    TEXT    NOT NULL,
    model   BLOB,                                -- npz: the classifier; NULL if targets say what is sought
    targets TEXT    NOT NULL DEFAULT '[]'        -- JSON: the content types that are sought
) STRICT;

CREATE TABLE relevance (                         -- of each visited page of a crawl with a topic
    page        INTEGER PRIMARY KEY REFERENCES page (id),
    probability REAL    NOT NULL,                -- that it is about the topic, as its own text has it
    links       BLOB                             -- what its links say of themselves, zstd; NULL if nobody asked
) STRICT;

CREATE TABLE learnt (                            -- when its policy last learnt from its visits; one row
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    visit INTEGER NOT NULL,                      -- after so many visits
    pages INTEGER NOT NULL                       -- when so many pages were known
) STRICT;

CREATE VIEW relevant AS
SELECT page.url, fetch.title, relevance.probability, fetch.visit
FROM relevance JOIN page ON page.id = relevance.page JOIN fetch ON fetch.page = relevance.page
WHERE relevance.probability >= 0.5;
