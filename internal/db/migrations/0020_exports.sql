-- Exports (interface §4.3): files that jobs write, to be downloaded.
CREATE TABLE exports (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,                      -- of its job, too
    kind TEXT NOT NULL CHECK (kind IN ('orders', 'products', 'inventory', 'customers')),
    format TEXT NOT NULL CHECK (format IN ('csv', 'xlsx', 'jsonl')),
    stage TEXT NOT NULL CHECK (stage IN ('open', 'ready', 'gone')),
    row_count BIGINT NOT NULL,             -- of the file, without the header; 0 until it is ready
    size BIGINT NOT NULL,                  -- of the file in bytes, likewise
    stored BIGINT NOT NULL,                -- bytes of its pieces so far
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,            -- when the file is deleted
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX exports_id ON exports (id);
CREATE INDEX exports_expires_at ON exports (expires_at);

CREATE TABLE export_parts (                -- a file, gzipped, in pieces
    tenant_id BIGINT NOT NULL,
    export_id UUID NOT NULL,
    position BIGINT NOT NULL,
    body BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, export_id, position)
);
