-- Looks at stored pages could lose pages and hosts that they had made known, so that the store lacks their numbers. What
-- they were nobody knows any more: names that nobody can have (RFC 2606) stand for them, and all numbers are there again.
INSERT INTO page (id, url, host, state, is_local, depth)
WITH RECURSIVE
    last (page, host) AS (
        SELECT max((SELECT max(id) FROM page), coalesce((SELECT max(target) FROM link), 0)),
               max((SELECT max(id) FROM host), (SELECT max(host) FROM page))
    ),
    number (id) AS (
        SELECT 0 WHERE EXISTS (SELECT 1 FROM look)
        UNION ALL SELECT id + 1 FROM number WHERE id < (SELECT page FROM last)
    )
SELECT number.id, 'http://lost-' || (last.host + 1) || '.invalid/' || number.id, last.host + 1, 'known', 0, 1
FROM number CROSS JOIN last WHERE NOT EXISTS (SELECT 1 FROM page WHERE page.id = number.id);

INSERT INTO host (id, url, site)
WITH RECURSIVE number (id) AS (
    SELECT 0 WHERE EXISTS (SELECT 1 FROM look)
    UNION ALL SELECT id + 1 FROM number WHERE id < (SELECT max((SELECT max(id) FROM host), (SELECT max(host) FROM page)))
)
SELECT id, 'http://lost-' || id || '.invalid', 'lost-' || id || '.invalid'
FROM number WHERE NOT EXISTS (SELECT 1 FROM host WHERE host.id = number.id);
