-- Backups that the service makes by itself, and what older programs may do with a newer schema.

-- The two tasks of a service with backup-to: a row each, made with the first run.
CREATE TABLE backup_tasks (
    task TEXT PRIMARY KEY CHECK (task IN ('backup', 'check')),
    leased_until BIGINT NOT NULL,          -- until then, in microseconds since 1970, a node is at work on the task
    every BIGINT NOT NULL,                 -- microseconds between two runs, of the service that ran last
    tried_at BIGINT NOT NULL,              -- when the last run began
    done_at BIGINT,                        -- when the last run that succeeded began; NULL: none has
    place TEXT NOT NULL,                   -- the folder or bucket of the last run
    file TEXT NOT NULL,                    -- the backup that the last good run made, or the one that the last run checked
    bytes BIGINT NOT NULL,                 -- of that file
    took BIGINT NOT NULL,                  -- microseconds of the last run
    error TEXT NOT NULL                    -- of the last run; '': it succeeded
);

-- When the key was written out by key-export; NULL: never, so it may be lost with its disk.
ALTER TABLE store_keys ADD COLUMN exported_at BIGINT;

-- The oldest schema whose programs keep serving the store beside this migration; NULL: of migrations before this one.
ALTER TABLE schema_versions ADD COLUMN compatible_from BIGINT;
