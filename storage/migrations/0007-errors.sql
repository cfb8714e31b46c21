DROP VIEW errors;
CREATE VIEW errors AS                            -- counted in an index; the example is the page that was found first
SELECT outcome, status, pages, (SELECT url FROM page WHERE id = first) AS example,
       (SELECT detail FROM fetch WHERE page = first) AS detail
FROM (SELECT outcome, status, count(*) AS pages, min(page) AS first FROM fetch WHERE outcome NOT IN ('fetched', 'other_type', 'redirected') GROUP BY outcome, status)
ORDER BY pages DESC;
