-- Files of products that people give to be imported (docs/import.md). They are kept in the store, so that any node goes on with them.
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
