-- Lists of jobs and of the audit log with filters that few of their rows match. All of these are written with a new row, or once at the end
-- of a job: the status of a job that waits is in none of them.

-- Jobs of a channel, also of a type of them.
CREATE INDEX jobs_channel ON jobs (tenant_id, channel_id, id, type) WHERE channel_id IS NOT NULL;
-- Jobs of a type.
CREATE INDEX jobs_type ON jobs (tenant_id, type, id);
-- Jobs that ended in a way, also those of a channel or a type; a few failed among very many.
CREATE INDEX jobs_ended ON jobs (tenant_id, status, id, channel_id, type) WHERE completed_at IS NOT NULL;
-- What became of one kind of record. For an actor, an action and a record there are indexes since 0028.
CREATE INDEX audit_log_resource_type ON audit_log (tenant_id, resource_type, id);
