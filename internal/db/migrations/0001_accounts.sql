-- Accounts, their users and keys (interface §5). tenant_id is the first column of every key; all times are microseconds since
-- 1970 UTC,
-- all money is in 1/10,000 of the unit of its currency.
CREATE TABLE tenants (
    tenant_id BIGINT PRIMARY KEY,
    id UUID NOT NULL UNIQUE,
    name TEXT NOT NULL,
    plan TEXT NOT NULL CHECK (plan IN ('starter', 'pro', 'enterprise')),
    currency TEXT NOT NULL,
    settings TEXT NOT NULL,                -- JSON
    sandbox BOOLEAN NOT NULL,
    clock_offset BIGINT NOT NULL,          -- microseconds a sandbox account is ahead
    created_at BIGINT NOT NULL,
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
    scopes TEXT NOT NULL DEFAULT '',       -- separated by spaces: no more than these; empty: all of the role
    time_zone TEXT NOT NULL DEFAULT '',    -- by its name, '' for the account's
    locale TEXT NOT NULL DEFAULT '',       -- BCP 47, '' for the account's
    PRIMARY KEY (tenant_id, id)
);

CREATE TABLE tokens (
    hash TEXT PRIMARY KEY,                 -- SHA-256 of the access token
    tenant_id BIGINT NOT NULL,
    user_id UUID NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    id UUID,                               -- what its user revokes it by
    address TEXT NOT NULL DEFAULT '',      -- of the client that logged in
    agent TEXT NOT NULL DEFAULT '',        -- the program, as it named itself
    dashboard BOOLEAN NOT NULL DEFAULT FALSE, -- a session, not an access token
    last_used_at BIGINT                    -- to the minute
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
    created_by UUID,                       -- the user behind it: who made it, or who made the key that did
    PRIMARY KEY (tenant_id, id)
);

-- Networks from which users logged in recently (interface §8): passwords from such a network are checked ahead of a flood of others.
CREATE TABLE login_networks (
    tenant_id BIGINT NOT NULL,
    user_id UUID NOT NULL,
    network TEXT NOT NULL,                 -- SHA-256 of the /24 or /64 of the client's address
    used_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, user_id, network)
) WITHOUT ROWID;
CREATE INDEX login_networks_network ON login_networks (network, used_at);

CREATE TABLE setup_links (                 -- open ways to make the first account; all gone with its making
    hash TEXT PRIMARY KEY,                 -- SHA-256 of the link's token
    created_at BIGINT NOT NULL
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
    changes TEXT NOT NULL DEFAULT '[]',    -- JSON: [{field, from, to}]
    actor_name TEXT NOT NULL DEFAULT '',   -- its name at that time
    request_id TEXT NOT NULL DEFAULT '',
    address TEXT NOT NULL DEFAULT '',      -- of the client
    number BIGINT,                         -- its number in the account's chain, from 1
    digest TEXT NOT NULL DEFAULT '',       -- SHA-256 of the texts that an erasure may remove
    hash TEXT NOT NULL DEFAULT '',         -- SHA-256 of the other members, the digest and the previous entry's hash
    emptied_at BIGINT,                     -- when an erasure removed its texts
    PRIMARY KEY (tenant_id, id)
);
-- The filters of the audit log (interface §4.5.10).
CREATE INDEX audit_log_tenant_id_actor ON audit_log (tenant_id, actor, id);
CREATE INDEX audit_log_tenant_id_action ON audit_log (tenant_id, action, id);
CREATE INDEX audit_log_tenant_id_resource_id ON audit_log (tenant_id, resource_id, id);
CREATE INDEX audit_log_resource_type ON audit_log (tenant_id, resource_type, id);
CREATE UNIQUE INDEX audit_log_number ON audit_log (tenant_id, number) WHERE number IS NOT NULL;

CREATE TABLE audit_heads (             -- the newest entry of each chain
    tenant_id BIGINT PRIMARY KEY,
    number BIGINT NOT NULL,
    hash TEXT NOT NULL
);

-- Filters of the dashboard's lists that users have saved.
CREATE TABLE dashboard_views (
    tenant_id BIGINT NOT NULL,
    user_id UUID NOT NULL,
    id UUID NOT NULL,
    page TEXT NOT NULL,                    -- path of the list
    name TEXT NOT NULL,
    query TEXT NOT NULL,                   -- of the address, encoded
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, user_id, id)
) WITHOUT ROWID;
