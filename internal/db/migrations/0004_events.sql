-- Events, deliveries and jobs (interface §6, §4.3).
CREATE TABLE events (                      -- the outbox and the log
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,
    stamp BIGINT NOT NULL,                 -- of the tenant's change clock: the order of commits
    event TEXT NOT NULL,
    resource_id TEXT NOT NULL,             -- the order, product, customer … it tells of
    payload TEXT NOT NULL,                 -- the envelope's bytes, the same at every attempt
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, stamp)
);
CREATE INDEX events_tenant_id_id ON events (tenant_id, id);

-- How far each account's events are turned into deliveries.
CREATE TABLE dispatch_cursors (
    tenant_id BIGINT PRIMARY KEY,
    stamp BIGINT NOT NULL
);

CREATE TABLE endpoints (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,
    url TEXT NOT NULL,
    secret TEXT NOT NULL,                  -- sealed
    old_secret TEXT NOT NULL,              -- sealed; signs too until old_secret_until
    old_secret_until BIGINT,
    events TEXT NOT NULL,                  -- names separated by spaces, or *
    description TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'paused')),
    ordered BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);

CREATE TABLE deliveries (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,
    endpoint_id UUID NOT NULL,
    event_id UUID NOT NULL,
    event_stamp BIGINT NOT NULL,
    event TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
    attempts BIGINT NOT NULL,
    tries_left BIGINT NOT NULL,            -- attempts the schedule still gives
    due_at BIGINT,                         -- next attempt, or end of the lease of the one under way; NULL once settled
    status_code BIGINT,                    -- of the newest attempt
    error TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CHECK ((state = 'pending') = (due_at IS NOT NULL))
);
CREATE INDEX deliveries_due ON deliveries (tenant_id, endpoint_id, due_at) WHERE state = 'pending';
CREATE INDEX deliveries_tenant_id_endpoint_id ON deliveries (tenant_id, endpoint_id, id);

CREATE TABLE attempts (
    tenant_id BIGINT NOT NULL,
    delivery_id UUID NOT NULL,
    number BIGINT NOT NULL,                -- from 1
    at BIGINT NOT NULL,
    status_code BIGINT,
    duration_ms BIGINT NOT NULL,
    error TEXT,
    response_body TEXT,                    -- at most 4 KB
    PRIMARY KEY (tenant_id, delivery_id, number)
) WITHOUT ROWID;

CREATE TABLE jobs (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('product_import', 'product_push', 'stock_push', 'order_pull', 'status_push')),
    channel_id UUID,
    status TEXT NOT NULL CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETED', 'COMPLETED_WITH_ERRORS', 'FAILED')),
    total BIGINT NOT NULL,
    processed BIGINT NOT NULL,
    created BIGINT NOT NULL,
    updated BIGINT NOT NULL,
    failed BIGINT NOT NULL,
    errors TEXT NOT NULL,                  -- JSON array
    input TEXT NOT NULL,                   -- JSON: what is to be done
    cursor TEXT NOT NULL,                  -- how far it is done
    tries BIGINT NOT NULL,
    due_at BIGINT,                         -- when to run, or end of the lease of the node that runs it; NULL once ended
    created_at BIGINT NOT NULL,
    started_at BIGINT,
    completed_at BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX jobs_due_at ON jobs (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX jobs_tenant_id_completed_at ON jobs (tenant_id, completed_at);

CREATE TABLE notifications (               -- platform notifications seen, for de-duplication (interface §6.3)
    tenant_id BIGINT NOT NULL,
    channel_id UUID NOT NULL,
    key TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, channel_id, key)
) WITHOUT ROWID;
CREATE INDEX notifications_expires_at ON notifications (expires_at);
