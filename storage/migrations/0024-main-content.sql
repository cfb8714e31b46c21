-- Which blocks of a page's text are its main content is known when the page is parsed. Pages of earlier versions have none.

ALTER TABLE content ADD COLUMN main BLOB;
