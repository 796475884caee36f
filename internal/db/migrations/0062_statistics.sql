-- What SQLite's planner is told of the indexes (decision 1) follows the migrations.

-- Failed jobs are few, and are counted by when they ended.
CREATE INDEX jobs_failed ON jobs (tenant_id, completed_at) WHERE status = 'FAILED';
