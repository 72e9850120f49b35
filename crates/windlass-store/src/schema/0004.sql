-- What is set for the runs of a session, as JSON; nothing where nothing was set.
ALTER TABLE sessions ADD COLUMN settings TEXT;
