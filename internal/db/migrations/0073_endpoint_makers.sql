-- Who chose where an endpoint's events go: while that key or user is gone, it gets none (interface §4.5.9). Both NULL:
-- the command line, or unknown.
ALTER TABLE endpoints ADD COLUMN made_by_key UUID;
ALTER TABLE endpoints ADD COLUMN made_by_user UUID; -- of a key, the user who made it
