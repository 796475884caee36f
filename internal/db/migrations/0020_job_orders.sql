-- Jobs that move or ship many orders (interface §4.3). The types of jobs are the program's: SQLite cannot change a CHECK, so the table is
-- written anew without it.
CREATE TABLE new_jobs (
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
    PRIMARY KEY (tenant_id, id)
);
INSERT INTO new_jobs (tenant_id, id, type, channel_id, status, total, processed, created, updated, failed, errors, input, cursor, tries, due_at,
        created_at, started_at, completed_at)
    SELECT tenant_id, id, type, channel_id, status, total, processed, created, updated, failed, errors, input, cursor, tries, due_at,
        created_at, started_at, completed_at FROM jobs;
DROP TABLE jobs;
ALTER TABLE new_jobs RENAME TO jobs;
CREATE INDEX jobs_due_at ON jobs (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX jobs_tenant_id_due_at ON jobs (tenant_id, id) WHERE due_at IS NOT NULL;
CREATE INDEX jobs_tenant_id_completed_at ON jobs (tenant_id, completed_at);
CREATE INDEX jobs_tenant_id_channel_id ON jobs (tenant_id, channel_id) WHERE due_at IS NOT NULL;
--postgres ALTER TABLE jobs ALTER COLUMN errors SET STATISTICS 0, ALTER COLUMN input SET STATISTICS 0;

CREATE TABLE job_orders (                  -- the orders of such a job, and what became of each
    tenant_id BIGINT NOT NULL,
    job_id UUID NOT NULL,
    position BIGINT NOT NULL,
    order_id UUID NOT NULL,
    number BIGINT NOT NULL,                -- the order's
    outcome TEXT CHECK (outcome IN ('done', 'refused')), -- NULL: its turn has not come
    message TEXT NOT NULL,                 -- why it was refused, or ''
    PRIMARY KEY (tenant_id, job_id, position)
) WITHOUT ROWID;
