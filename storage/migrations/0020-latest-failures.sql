CREATE INDEX latest_failure ON fetch (started_at)
WHERE outcome NOT IN ('fetched', 'other_type', 'redirected') AND outcome <> 'robots';
