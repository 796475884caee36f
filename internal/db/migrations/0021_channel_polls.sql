-- When a platform is asked again what became of what it works on (interface §4.5); NULL: it works on nothing.
ALTER TABLE channel_syncs ADD COLUMN poll_at BIGINT;
