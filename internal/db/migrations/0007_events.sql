-- Events and their deliveries (interface §6).
CREATE TABLE events (                      -- the outbox and the log
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,
    stamp BIGINT NOT NULL,                 -- of the tenant's change clock: the order of commits
    event TEXT NOT NULL,
    resource_id TEXT NOT NULL,             -- the order, product, customer … it is about
    payload TEXT NOT NULL,                 -- the envelope's bytes, the same at every attempt
    endpoint_id UUID,                      -- a test event: only for this endpoint, and not part of the log
    created_at BIGINT NOT NULL,
    edited_at BIGINT,                      -- when a person was taken out of the payload
    actor TEXT NOT NULL DEFAULT '',        -- who made the change: key:<id>, user:<id>, channel:<id> or system
    actor_name TEXT NOT NULL DEFAULT '',   -- its name at that time
    request_id TEXT NOT NULL DEFAULT '',
    checksum BIGINT,                       -- CRC-32C of the payload; NULL for test events
    PRIMARY KEY (tenant_id, stamp)
);
CREATE INDEX events_tenant_id_id ON events (tenant_id, id);
CREATE INDEX events_tenant_id_event ON events (tenant_id, event, stamp)
    WHERE event <> 'product.updated' AND event <> 'stock.updated' AND event <> 'product.created' AND event <> 'product.deleted';
CREATE INDEX events_tenant_id_resource_id ON events (tenant_id, resource_id, stamp)
    WHERE event <> 'product.updated' AND event <> 'stock.updated' AND event <> 'product.created' AND event <> 'product.deleted';
-- Test events are not in the log, and are few.
CREATE INDEX events_tests ON events (tenant_id, stamp) WHERE endpoint_id IS NOT NULL;
--postgres ALTER TABLE events ALTER COLUMN payload SET STATISTICS 0;

-- How far the events of each account with endpoints are turned into deliveries. Accounts without endpoints have no row.
CREATE TABLE dispatch_cursors (
    tenant_id BIGINT PRIMARY KEY,
    stamp BIGINT NOT NULL
);

CREATE TABLE endpoints (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,
    url TEXT NOT NULL,
    secret TEXT NOT NULL,                  -- sealed
    old_secret TEXT NOT NULL,              -- sealed, or ''; signs too until old_secret_until
    old_secret_until BIGINT NOT NULL,
    events TEXT NOT NULL,                  -- names separated by spaces, or *
    description TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'paused')),
    ordered BOOLEAN NOT NULL,
    since BIGINT NOT NULL,                 -- stamp of its creation: it gets what is committed later
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    deleted_at BIGINT,                     -- its deliveries are swept, then the row
    made_by_key UUID,                      -- while its maker is gone, it gets no events (interface §4.5.9); both NULL: the command line
    made_by_user UUID,                     -- of a key, the user who made that
    PRIMARY KEY (tenant_id, id)
);

-- What waits for an endpoint, one row each: the unit that a node takes over to serve. Nodes lease queues, not deliveries.
CREATE TABLE queues (
    tenant_id BIGINT NOT NULL,
    endpoint_id UUID NOT NULL,
    due_at BIGINT,                         -- when a node must look at it; NULL when nothing waits
    holder TEXT NOT NULL,                  -- the node that serves it, or ''
    pending BIGINT NOT NULL CHECK (pending >= 0), -- how many deliveries are in each state
    delivered BIGINT NOT NULL CHECK (delivered >= 0),
    failed BIGINT NOT NULL CHECK (failed >= 0),
    PRIMARY KEY (tenant_id, endpoint_id)
) WITHOUT ROWID;
CREATE INDEX queues_due_at ON queues (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX queues_holder ON queues (holder) WHERE holder <> '';

CREATE TABLE deliveries (
    tenant_id BIGINT NOT NULL,
    endpoint_id UUID NOT NULL,
    position BIGINT NOT NULL,              -- stamp of the event, or of the replay that made it: its place in the queue and its time
    id UUID NOT NULL,
    event_id UUID NOT NULL,
    event_stamp BIGINT NOT NULL,           -- finds the payload
    event TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    ordered BOOLEAN NOT NULL,              -- waits for earlier pending ones of the same resource: its lane
    lane TEXT COLLATE "C",                 -- the resource, while it is ordered and pending
    by_hand BOOLEAN NOT NULL,              -- its next attempt was asked for by hand and is the last
    state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
    attempts BIGINT NOT NULL,              -- made so far
    due_at BIGINT,                         -- next attempt; NULL once settled, or while an earlier one of its resource is pending
    attempted_at BIGINT,                   -- the newest attempt and what came of it
    status_code BIGINT,
    error TEXT,
    PRIMARY KEY (tenant_id, endpoint_id, position),
    CHECK (state = 'pending' OR due_at IS NULL AND lane IS NULL)
) WITHOUT ROWID;
CREATE UNIQUE INDEX deliveries_tenant_id_id ON deliveries (tenant_id, id);
CREATE INDEX deliveries_due_at ON deliveries (tenant_id, endpoint_id, due_at, position) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_lane ON deliveries (tenant_id, endpoint_id, lane, position) WHERE lane IS NOT NULL;
CREATE INDEX deliveries_failed ON deliveries (tenant_id, endpoint_id, position) WHERE state = 'failed';
CREATE INDEX deliveries_resource_id ON deliveries (tenant_id, endpoint_id, resource_id, position);
-- Old events are kept for pending deliveries of replays, whose positions are later than the stamps of their events (interface §8).
CREATE INDEX deliveries_replayed ON deliveries (tenant_id, endpoint_id, event_stamp) WHERE state = 'pending' AND position <> event_stamp;

CREATE TABLE attempts (
    tenant_id BIGINT NOT NULL,
    endpoint_id UUID NOT NULL,
    position BIGINT NOT NULL,              -- of its delivery
    number BIGINT NOT NULL,                -- from 1
    at BIGINT NOT NULL,
    status_code BIGINT,
    duration_ms BIGINT NOT NULL,
    error TEXT,
    response_body TEXT,                    -- at most 4 KB
    PRIMARY KEY (tenant_id, endpoint_id, position, number)
) WITHOUT ROWID;
--postgres ALTER TABLE attempts ALTER COLUMN error SET STATISTICS 0, ALTER COLUMN response_body SET STATISTICS 0;

-- Replays and bulk retries that are too long for one transaction; the rest is done in steps.
CREATE TABLE replays (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,
    endpoint_id UUID NOT NULL,
    events TEXT NOT NULL,                  -- names separated by spaces, or *
    only_failed BOOLEAN NOT NULL,
    after BIGINT NOT NULL,                 -- stamp (only_failed: position) up to which it is done
    until BIGINT NOT NULL,                 -- the last one
    from_time BIGINT NOT NULL,             -- the span asked for
    to_time BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
) WITHOUT ROWID;

-- How deliveries went, by endpoint, span of time and event: figures without reading deliveries and attempts (interface
-- §4.5.11). A delivery
-- belongs to the time of its position.
CREATE TABLE delivery_figures (
    tenant_id BIGINT NOT NULL,
    endpoint_id UUID NOT NULL,
    span BIGINT NOT NULL,                  -- microseconds a bucket covers
    bucket BIGINT NOT NULL,                -- its first microsecond
    event TEXT COLLATE "C" NOT NULL,
    delivered BIGINT NOT NULL,
    failed BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    answered BIGINT NOT NULL,              -- attempts that delivered
    duration_ms BIGINT NOT NULL,           -- of all attempts together
    newest BIGINT NOT NULL,                -- the newest attempt that was counted here
    pending BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, endpoint_id, span, bucket, event)
) WITHOUT ROWID;
