ALTER TABLE fetch ADD COLUMN cut TEXT;           -- JSON: what was too much, how many were shortened or left out
ALTER TABLE robots ADD COLUMN sitemaps_left_out INTEGER NOT NULL DEFAULT 0;  -- beyond those that are kept

CREATE VIEW cuts AS
SELECT page.url, each.key AS what, each.value AS how_many
FROM fetch JOIN page ON page.id = fetch.page JOIN json_each(fetch.cut) AS each
WHERE fetch.cut IS NOT NULL;
