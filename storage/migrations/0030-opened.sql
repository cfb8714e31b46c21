-- What a login opened: pages, and everything else that was requested. Before, pages had a record in a table of a feature,
-- and requisites a column.

CREATE TABLE opened (
    url       TEXT    PRIMARY KEY,
    opened_by TEXT    NOT NULL,                  -- by which kinds of logins, such as 'basic+header'
    is_past   INTEGER NOT NULL DEFAULT 0         -- 1 for a page whose stored version anybody gets, and an earlier one not
) STRICT, WITHOUT ROWID;

INSERT OR IGNORE INTO opened (url, opened_by)
SELECT page.url, coalesce(json_extract(record.fields, '$.opened_by'), '') FROM record JOIN page ON page.id = record.page
WHERE record.name = 'login' AND EXISTS (
    SELECT 1 FROM extraction WHERE name = 'login' AND json_extract(rules, '$.is_of_feature'));
INSERT OR IGNORE INTO opened (url, opened_by) SELECT url, opened_by FROM requisite WHERE opened_by IS NOT NULL;

DELETE FROM record WHERE name = 'login' AND EXISTS (
    SELECT 1 FROM extraction WHERE name = 'login' AND json_extract(rules, '$.is_of_feature'));
DELETE FROM extracted WHERE name = 'login' AND EXISTS (
    SELECT 1 FROM extraction WHERE name = 'login' AND json_extract(rules, '$.is_of_feature'));
DELETE FROM extraction WHERE name = 'login' AND json_extract(rules, '$.is_of_feature');
ALTER TABLE requisite DROP COLUMN opened_by;
