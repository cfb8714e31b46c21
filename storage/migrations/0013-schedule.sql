ALTER TABLE look ADD COLUMN due REAL;            -- when it is to be looked at again, epoch seconds; NULL: no budget yet
ALTER TABLE look ADD COLUMN rate REAL;           -- how often it changes, as far as one can tell, a second
ALTER TABLE look ADD COLUMN seen BLOB;           -- what its visits have shown of that
