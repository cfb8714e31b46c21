ALTER TABLE fetch ADD COLUMN rendering TEXT;     -- shell: needs a browser; rendered: had one; unrendered: it failed

CREATE INDEX fetch_rendering ON fetch (rendering) WHERE rendering IS NOT NULL;

CREATE VIEW renderings AS
SELECT page.url, fetch.rendering, fetch.detail
FROM fetch JOIN page ON page.id = fetch.page WHERE fetch.rendering IS NOT NULL;
