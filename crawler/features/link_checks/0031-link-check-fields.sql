-- How a file that pages load may be kept, and whether it is compressed: header fields, as JSON.

ALTER TABLE link_check ADD COLUMN fields TEXT;   -- NULL for pages, and if there was no answer
