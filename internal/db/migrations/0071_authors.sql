-- Who made the change behind an event, and by which request (interface §4.5.9). The columns are empty for events from before.
ALTER TABLE events ADD COLUMN actor TEXT NOT NULL DEFAULT '';      -- key:<id>, user:<id>, channel:<id> or system
ALTER TABLE events ADD COLUMN actor_name TEXT NOT NULL DEFAULT ''; -- as it was called then
ALTER TABLE events ADD COLUMN request_id TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN checksum BIGINT;                     -- CRC-32C of the payload; NULL for events from before
ALTER TABLE idempotency_keys ADD COLUMN checksum BIGINT;           -- CRC-32C of the answer; NULL for answers from before

-- The chain of the audit log (interface §4.5.10). Entries from before have no number and are not in it.
ALTER TABLE audit_log ADD COLUMN changes TEXT NOT NULL DEFAULT '[]'; -- JSON: [{field, from, to}]
ALTER TABLE audit_log ADD COLUMN actor_name TEXT NOT NULL DEFAULT ''; -- as it was called then
ALTER TABLE audit_log ADD COLUMN request_id TEXT NOT NULL DEFAULT '';
ALTER TABLE audit_log ADD COLUMN address TEXT NOT NULL DEFAULT '';  -- of the client
ALTER TABLE audit_log ADD COLUMN number BIGINT;                     -- its place in the account's chain, from 1
ALTER TABLE audit_log ADD COLUMN digest TEXT NOT NULL DEFAULT '';   -- SHA-256 of the texts that an erasure may remove
ALTER TABLE audit_log ADD COLUMN hash TEXT NOT NULL DEFAULT '';     -- SHA-256 of the other members, the digest and the hash before
ALTER TABLE audit_log ADD COLUMN emptied_at BIGINT;                 -- when an erasure removed its texts
CREATE UNIQUE INDEX audit_log_number ON audit_log (tenant_id, number) WHERE number IS NOT NULL;

CREATE TABLE audit_heads (             -- the newest entry of each chain
    tenant_id BIGINT PRIMARY KEY,
    number BIGINT NOT NULL,
    hash TEXT NOT NULL
);
