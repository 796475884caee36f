-- Levels that run low are few, and are listed and counted (interface §4.5.8, §4.5.11).
CREATE INDEX stock_levels_tenant_id_low ON stock_levels (tenant_id, sku, warehouse_code) WHERE low = TRUE AND deleted_at IS NULL;
