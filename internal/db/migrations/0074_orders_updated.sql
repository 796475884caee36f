-- Orders in the order of their last change, for callers that poll (interface §4.1).
CREATE INDEX orders_tenant_id_updated_at ON orders (tenant_id, updated_at, id);
-- The planner takes it that an account has many channels: this index leads to the orders of one no less than that of channels, otherwise.
--postgres ALTER TABLE orders ALTER COLUMN channel_id SET (n_distinct = 100);
