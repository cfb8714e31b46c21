-- By which login a file was opened that pages need, such as 'bearer'. Files of earlier versions have none.

ALTER TABLE requisite ADD COLUMN opened_by TEXT;
