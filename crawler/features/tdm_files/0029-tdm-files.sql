-- What hosts say in /.well-known/tdmrep.json of text and data mining.

CREATE TABLE tdm_file (
    host       TEXT PRIMARY KEY,                 -- such as https://a.example
    outcome    TEXT NOT NULL,                    -- as for pages; host_given_up
    fetched_at REAL NOT NULL,                    -- epoch seconds
    text       BLOB                              -- the file; NULL if there is none
) STRICT, WITHOUT ROWID;
