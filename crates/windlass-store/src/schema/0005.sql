-- A grant ends with the process that gave it.
ALTER TABLE grants ADD COLUMN holder TEXT NOT NULL DEFAULT '';
ALTER TABLE grants ADD COLUMN given_ms INTEGER NOT NULL DEFAULT 0;
