DROP VIEW ranks;
CREATE TABLE compared_rank (                     -- PageRank of the local pages; each estimator's sums to 1
    estimator    TEXT    NOT NULL,               -- "local": by the links of the domain alone
    page         INTEGER NOT NULL REFERENCES page (id),
    pagerank     REAL    NOT NULL,
    place        INTEGER NOT NULL,               -- from 1, among those of its estimator
    as_site_sees REAL,                           -- the same page's with "local"; NULL with "local", or if not fetched
    PRIMARY KEY (estimator, page)
) STRICT, WITHOUT ROWID;
INSERT INTO compared_rank (estimator, page, pagerank, place)
SELECT estimator, page, pagerank, rank() OVER (PARTITION BY estimator ORDER BY pagerank DESC) AS place FROM rank
ORDER BY estimator, page;
DROP TABLE rank;
ALTER TABLE compared_rank RENAME TO rank;
UPDATE rank SET as_site_sees = (
    SELECT site.pagerank FROM rank AS site JOIN fetch ON fetch.page = site.page
    WHERE site.estimator = 'local' AND site.page = rank.page AND fetch.outcome = 'fetched')
WHERE estimator <> 'local';

CREATE VIEW shown_estimator AS                   -- whose ranks to show: the last estimate's, or any that are stored
SELECT coalesce(
    (SELECT estimator FROM estimate WHERE id = (SELECT max(id) FROM estimate)
     AND EXISTS (SELECT 1 FROM rank WHERE rank.estimator = estimate.estimator)),
    (SELECT estimator FROM rank WHERE estimator < 'local' ORDER BY estimator LIMIT 1),
    (SELECT estimator FROM rank WHERE estimator > 'local' ORDER BY estimator LIMIT 1)) AS estimator;

CREATE VIEW ranks_by_estimator AS                -- names are looked up only for the rows that are asked for in the end
SELECT (SELECT url FROM page WHERE id = rank.page) AS url, (SELECT title FROM fetch WHERE page = rank.page) AS title,
       estimator, as_site_sees, pagerank AS as_web_sees, pagerank / as_site_sees AS ratio
FROM rank WHERE as_site_sees IS NOT NULL;

CREATE VIEW ranks AS
SELECT * FROM ranks_by_estimator WHERE estimator = (SELECT estimator FROM shown_estimator);
