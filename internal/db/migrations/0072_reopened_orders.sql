-- An order that its platform takes up again after it was cancelled is stored as a new one with the same platform_id; the two name each
-- other (interface §3.1). generation is 0 for the first order of a platform_id, and one more for each that reopens it.
ALTER TABLE orders ADD COLUMN reopens UUID;
ALTER TABLE orders ADD COLUMN reopened_by UUID;
ALTER TABLE orders ADD COLUMN generation BIGINT NOT NULL DEFAULT 0;
DROP INDEX orders_tenant_id_platform_id;
CREATE UNIQUE INDEX orders_tenant_id_platform_id ON orders (tenant_id, channel_id, platform_id, generation) WHERE platform_id IS NOT NULL;

-- An issue stands until it is closed: by the platform, which agrees again, or by a person, who has seen to it.
ALTER TABLE order_issues ADD COLUMN closed_at BIGINT;
CREATE INDEX order_issues_open ON order_issues (tenant_id, code, order_id) WHERE closed_at IS NULL;
