-- Jobs that ended long ago are found without a look at all others (interface §4.3: jobs are kept for 30 days).
CREATE INDEX jobs_completed_at ON jobs (completed_at) WHERE completed_at IS NOT NULL;
