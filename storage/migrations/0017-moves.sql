ALTER TABLE rank ADD COLUMN moved REAL;          -- how many times it has more or less as its site sees it, at least 1

UPDATE rank SET moved = max(pagerank / as_site_sees, as_site_sees / pagerank) WHERE as_site_sees IS NOT NULL;

DROP VIEW ranks;
DROP VIEW ranks_by_estimator;

CREATE VIEW ranks_by_estimator AS                -- names are looked up only for the rows that are asked for in the end
SELECT (SELECT url FROM page WHERE id = rank.page) AS url, (SELECT title FROM fetch WHERE page = rank.page) AS title,
       estimator, as_site_sees, pagerank AS as_web_sees, pagerank / as_site_sees AS ratio, moved
FROM rank WHERE as_site_sees IS NOT NULL;

CREATE VIEW ranks AS
SELECT * FROM ranks_by_estimator WHERE estimator = (SELECT estimator FROM shown_estimator);
