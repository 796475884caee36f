-- Orders in the order of their last change, for callers that poll (interface §4.1).
CREATE INDEX orders_tenant_id_updated_at ON orders (tenant_id, updated_at, id);
