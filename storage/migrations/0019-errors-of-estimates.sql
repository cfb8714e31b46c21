ALTER TABLE estimate ADD COLUMN error REAL;         -- predicted L1 distance from the truth; NULL where nobody knows
ALTER TABLE estimate ADD COLUMN error_at_most REAL; -- what that stays below nine times in ten
ALTER TABLE rank ADD COLUMN spread REAL;            -- nine times in ten it is pagerank / spread to pagerank * spread
ALTER TABLE rank ADD COLUMN highest_place INTEGER;  -- nine times in ten its place is that
ALTER TABLE rank ADD COLUMN lowest_place INTEGER;   -- to that

DROP VIEW estimates;
CREATE VIEW estimates AS
SELECT id, run, visit, local_pages, outside_pages, estimator, change, disagreement, error, error_at_most, seconds,
       datetime(created_at, 'unixepoch') AS created_at
FROM estimate;

DROP VIEW ranks;
DROP VIEW ranks_by_estimator;

CREATE VIEW ranks_by_estimator AS                -- names are looked up only for the rows that are asked for in the end
SELECT (SELECT url FROM page WHERE id = rank.page) AS url, (SELECT title FROM fetch WHERE page = rank.page) AS title,
       estimator, as_site_sees, pagerank AS as_web_sees, pagerank / as_site_sees AS ratio, moved,
       pagerank / spread AS at_least, pagerank * spread AS at_most, place, highest_place, lowest_place
FROM rank WHERE as_site_sees IS NOT NULL;

CREATE VIEW ranks AS
SELECT * FROM ranks_by_estimator WHERE estimator = (SELECT estimator FROM shown_estimator);
