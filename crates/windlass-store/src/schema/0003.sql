-- The third schema: records name what led to them; older ones do not.
ALTER TABLE records ADD COLUMN cause TEXT;
