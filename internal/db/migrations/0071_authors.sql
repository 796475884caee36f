-- Who made the change behind an event, and by which request (interface §4.5.9). The columns are empty for events from before.
ALTER TABLE events ADD COLUMN actor TEXT NOT NULL DEFAULT '';      -- key:<id>, user:<id>, channel:<id> or system
ALTER TABLE events ADD COLUMN actor_name TEXT NOT NULL DEFAULT ''; -- as it was called then
ALTER TABLE events ADD COLUMN request_id TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN checksum BIGINT;                     -- CRC-32C of the payload; NULL for events from before
ALTER TABLE idempotency_keys ADD COLUMN checksum BIGINT;           -- CRC-32C of the answer; NULL for answers from before
