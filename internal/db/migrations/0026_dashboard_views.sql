-- What users have saved of the dashboard's lists.
CREATE TABLE dashboard_views (
    tenant_id BIGINT NOT NULL,
    user_id UUID NOT NULL,
    id UUID NOT NULL,
    page TEXT NOT NULL,                    -- path of the list
    name TEXT NOT NULL,
    query TEXT NOT NULL,                   -- of the address, encoded
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, user_id, id)
) WITHOUT ROWID;
