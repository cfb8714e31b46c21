-- Whether what pages load and the pages of other hosts to which they link were there, when asked.

CREATE TABLE link_check (
    url          TEXT    PRIMARY KEY,
    kind         TEXT    NOT NULL,               -- page, image, style, script, ...
    outcome      TEXT    NOT NULL,               -- as for pages; host_given_up; left_out: its host has too many
    checked_at   REAL    NOT NULL,               -- epoch seconds
    via          TEXT,                           -- the redirect or style sheet that led there
    detail       TEXT,
    status       INTEGER,
    target       TEXT,                           -- where it redirects to
    content_type TEXT,
    bytes        INTEGER                         -- as the server says
) STRICT, WITHOUT ROWID;
