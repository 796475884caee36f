-- Jobs (interface §4.3) and imports of files (docs/import.md).
CREATE TABLE jobs (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,
    type TEXT NOT NULL,
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
    subject UUID,                          -- the record of an operation in steps; such a job is in no list
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX jobs_due_at ON jobs (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX jobs_tenant_id_due_at ON jobs (tenant_id, id) WHERE due_at IS NOT NULL;
CREATE INDEX jobs_tenant_id_completed_at ON jobs (tenant_id, completed_at);
CREATE INDEX jobs_tenant_id_channel_id ON jobs (tenant_id, channel_id) WHERE due_at IS NOT NULL;
-- Failed jobs are few, and are counted by when they ended.
CREATE INDEX jobs_failed ON jobs (tenant_id, completed_at) WHERE status = 'FAILED';
-- Lists of jobs and of the audit log with filters that few of their rows match. All of these are written with a new row, or
-- once at the end
-- of a job: the status of a job that waits is in none of them.
-- Jobs of a channel, also of a type of them.
CREATE INDEX jobs_channel ON jobs (tenant_id, channel_id, id, type) WHERE channel_id IS NOT NULL;
-- Jobs of a type.
CREATE INDEX jobs_type ON jobs (tenant_id, type, id);
-- Jobs that ended in a way, also those of a channel or a type; a few failed among very many.
CREATE INDEX jobs_ended ON jobs (tenant_id, status, id, channel_id, type) WHERE completed_at IS NOT NULL;
-- Jobs that ended 30 days ago are deleted (interface §4.3).
CREATE INDEX jobs_completed_at ON jobs (completed_at) WHERE completed_at IS NOT NULL;
CREATE UNIQUE INDEX jobs_subject ON jobs (tenant_id, type, subject) WHERE subject IS NOT NULL;
--postgres ALTER TABLE jobs ALTER COLUMN errors SET STATISTICS 0, ALTER COLUMN input SET STATISTICS 0;

CREATE TABLE job_orders (                  -- the orders of a job that moves or ships many, and the outcome of each
    tenant_id BIGINT NOT NULL,
    job_id UUID NOT NULL,
    position BIGINT NOT NULL,
    order_id UUID NOT NULL,
    number BIGINT NOT NULL,                -- the order's
    outcome TEXT CHECK (outcome IN ('done', 'refused')), -- NULL: not yet tried
    message TEXT NOT NULL,                 -- why it was refused, or ''
    PRIMARY KEY (tenant_id, job_id, position)
) WITHOUT ROWID;

-- Files to be imported are in the store, so that any node can go on with them.
CREATE TABLE imports (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,
    name TEXT NOT NULL,                    -- of the file
    size BIGINT NOT NULL,                  -- of the file, in bytes
    user_id UUID,
    stage TEXT NOT NULL CHECK (stage IN ('uploading', 'new', 'checking', 'checked', 'running', 'stopped', 'failed', 'done', 'gone')),
    options TEXT NOT NULL,                 -- JSON: how the file is to be read
    found TEXT NOT NULL,                   -- JSON: what was found out about the file
    checked TEXT NOT NULL,                 -- JSON: what importing it would do, or '' while that is not known
    progress TEXT NOT NULL,                -- JSON: how far it is imported
    stop BOOLEAN NOT NULL,                 -- a person wants it to stop
    failure TEXT NOT NULL,                 -- why it failed, or ''
    job_id UUID,                           -- the last job that worked on it
    created_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,            -- when it is dropped with its file
    kind TEXT NOT NULL DEFAULT 'products' CHECK (kind IN ('products', 'orders', 'prices', 'stock')),
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX imports_expires_at ON imports (expires_at);
CREATE INDEX imports_tenant_id_changed_at ON imports (tenant_id, changed_at);

CREATE TABLE import_parts (                -- a file, gzipped, in pieces
    tenant_id BIGINT NOT NULL,
    import_id UUID NOT NULL,
    position BIGINT NOT NULL,
    body BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, import_id, position)
);

CREATE TABLE import_lines (                -- rows that were refused, and notes about others
    tenant_id BIGINT NOT NULL,
    import_id UUID NOT NULL,
    dry BOOLEAN NOT NULL,                  -- of the dry run
    position BIGINT NOT NULL,
    row_number BIGINT NOT NULL,            -- in the file, from 1, without the header; 0 for none
    line BIGINT NOT NULL,                  -- of the file, 0 for none
    refused BOOLEAN NOT NULL,              -- not stored; else a note
    row_count BIGINT NOT NULL,             -- rows of the file that it accounts for
    item TEXT NOT NULL,                    -- SKU
    field TEXT NOT NULL,
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (tenant_id, import_id, dry, position)
) WITHOUT ROWID;
