-- Accounts, their people and keys (interface §5, §6). tenant_id is the first column of every key.
CREATE TABLE tenants (
    tenant_id BIGINT PRIMARY KEY,
    id UUID NOT NULL UNIQUE,
    name TEXT NOT NULL,
    plan TEXT NOT NULL CHECK (plan IN ('starter', 'pro', 'enterprise')),
    currency TEXT NOT NULL,
    settings TEXT NOT NULL,                -- JSON
    sandbox BOOLEAN NOT NULL,
    clock_offset BIGINT NOT NULL,          -- microseconds a sandbox account is ahead
    created_at BIGINT NOT NULL,            -- all times: microseconds since 1970 UTC
    updated_at BIGINT NOT NULL
);

-- One row a tenant: stamps of changes grow in commit order (see package db).
CREATE TABLE change_clocks (
    tenant_id BIGINT PRIMARY KEY,
    base BIGINT NOT NULL,                  -- the stamps of the newest transaction are counted from here
    last BIGINT NOT NULL                   -- the newest stamp given
);

CREATE TABLE users (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,
    email TEXT NOT NULL,
    email_key TEXT NOT NULL UNIQUE,        -- folded; one address is one login
    name TEXT NOT NULL,
    password_hash TEXT NOT NULL,           -- argon2id, empty until set-up
    role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'viewer')),
    status TEXT NOT NULL CHECK (status IN ('active', 'disabled')),
    created_at BIGINT NOT NULL,
    last_login_at BIGINT,
    PRIMARY KEY (tenant_id, id)
);

CREATE TABLE tokens (
    hash TEXT PRIMARY KEY,                 -- SHA-256 of the access token
    tenant_id BIGINT NOT NULL,
    user_id UUID NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX tokens_tenant_id_user_id ON tokens (tenant_id, user_id);
CREATE INDEX tokens_expires_at ON tokens (expires_at);

CREATE TABLE api_keys (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,             -- SHA-256 of the key
    prefix TEXT NOT NULL,                  -- what people recognise it by
    scopes TEXT NOT NULL,                  -- separated by spaces
    channel_id UUID,                       -- the custom channel it was made with
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    last_used_at BIGINT,
    PRIMARY KEY (tenant_id, id)
);

CREATE TABLE audit_log (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    resource_type TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    details TEXT NOT NULL,                 -- JSON without personal data
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
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
    PRIMARY KEY (tenant_id, key, space)
) WITHOUT ROWID;
CREATE INDEX idempotency_keys_expires_at ON idempotency_keys (expires_at);
