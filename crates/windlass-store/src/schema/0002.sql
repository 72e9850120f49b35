-- The second schema: how calls of a session are approved that need asking; nothing where nobody chose.
ALTER TABLE sessions ADD COLUMN approve TEXT;
