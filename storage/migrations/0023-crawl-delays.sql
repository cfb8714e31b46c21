-- Crawl-delays were stored cut to robots.max_crawl_delay_seconds of the run that read them; now they are stored as they
-- are asked for. What may have been cut is read again: its robots.txt is trusted no longer.

UPDATE robots SET expires_at = 0
WHERE crawl_delay >= (
    SELECT min(coalesce(json_extract(run.settings, '$.robots.max_crawl_delay_seconds'), 300.0)) FROM run
);
