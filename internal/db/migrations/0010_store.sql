-- The store itself: its nodes, keys, limits and what erasures leave to be done.

-- Nodes that hold queues of endpoints (interface §6.2). A node's beat grows while it lives; the others take over the queues of
-- one whose
-- beat stands still. No time is stored: nodes' clocks need not agree.
CREATE TABLE nodes (
    id TEXT PRIMARY KEY,
    beat BIGINT NOT NULL
);

CREATE TABLE store_keys (
    id TEXT PRIMARY KEY,                   -- of the master key that seals this store's secrets; one row
    created_at BIGINT NOT NULL,
    retired_at BIGINT                      -- a replaced master key, while secrets encrypted with it remain
);

CREATE TABLE idempotency_keys (
    tenant_id BIGINT NOT NULL,
    key TEXT NOT NULL,                     -- as given, 1 to 255 characters, or the hash of one that may name a person
    space TEXT NOT NULL,                   -- method and path
    fingerprint TEXT NOT NULL,             -- SHA-256 of the canonical body
    status BIGINT NOT NULL,
    answer TEXT NOT NULL,                  -- the body's bytes
    resource_id TEXT NOT NULL,             -- what the answer is about, for 409 and for erasure
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    checksum BIGINT,                       -- CRC-32C of the answer; NULL once a new master key has sealed it again
    PRIMARY KEY (tenant_id, key, space)
);
CREATE INDEX idempotency_keys_expires_at ON idempotency_keys (expires_at);
--postgres ALTER TABLE idempotency_keys ALTER COLUMN key SET STATISTICS 0, ALTER COLUMN answer SET STATISTICS 0;

-- The newest requests of an account that were refused, equal ones counted together. No bodies, and of addresses only what
-- routes are made
-- of, so that nothing in it is about a person.
CREATE TABLE refused_requests (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,                      -- made when the row was written: newer rows have greater ones
    key_id UUID,                           -- the API key, also one that was revoked or has expired
    user_id UUID,                          -- the user, of an access token
    method TEXT NOT NULL,
    route TEXT NOT NULL,                   -- /api/v1/orders/{id}; of an unknown one what is unknown is *
    status BIGINT NOT NULL,
    code TEXT NOT NULL,
    request_id TEXT NOT NULL,              -- of the newest; '' if it might name a person
    times BIGINT NOT NULL,
    created_at BIGINT NOT NULL,            -- of the newest
    PRIMARY KEY (tenant_id, id)
) WITHOUT ROWID;

-- Rate limits that nodes share (interface §8): a caller's windows in one row, worth nothing after a crash.
CREATE UNLOGGED TABLE rate_windows (
    caller TEXT PRIMARY KEY,
    windows TEXT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX rate_windows_updated_at ON rate_windows (updated_at);

CREATE TABLE scrubs (                      -- files that still hold bytes of rows which are gone; see db.Scrub
    id UUID PRIMARY KEY,
    tables TEXT NOT NULL,                  -- names separated by spaces
    created_at BIGINT NOT NULL
);

-- Always empty: on PostgreSQL, readiness tries whether rows can be written, and rolls back.
CREATE TABLE probes (
    n BIGINT NOT NULL
);
