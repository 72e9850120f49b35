-- Records name what led to them; those of the first schema do not.
ALTER TABLE records ADD COLUMN cause TEXT;
