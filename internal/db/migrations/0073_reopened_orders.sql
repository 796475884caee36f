-- An order that its platform takes up again after it was cancelled is stored as a new one with the same platform_id; the two name each
-- other (interface §3.1). The newest is the one that nothing has reopened.
ALTER TABLE orders ADD COLUMN reopens UUID;
ALTER TABLE orders ADD COLUMN reopened_by UUID;
DROP INDEX orders_tenant_id_platform_id;
CREATE UNIQUE INDEX orders_newest_of_platform ON orders (tenant_id, channel_id, platform_id)
    WHERE platform_id IS NOT NULL AND reopened_by IS NULL;
CREATE INDEX orders_by_platform_id ON orders (tenant_id, platform_id) WHERE platform_id IS NOT NULL; -- lists by externalId

-- An issue stands until it is closed: by the platform, which agrees again, or by a person, who has seen to it.
ALTER TABLE order_issues ADD COLUMN closed_at BIGINT;
CREATE INDEX order_issues_open ON order_issues (tenant_id, code, order_id) WHERE closed_at IS NULL;
