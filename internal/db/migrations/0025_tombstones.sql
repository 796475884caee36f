-- Tombstones are counted by an index that the planner of SQLite does take (interface §4.3).
DROP INDEX products_tenant_id_tombstones;
CREATE INDEX products_tenant_id_tombstones ON products (tenant_id, deleted_at, changed_at) WHERE deleted_at IS NOT NULL;
DROP INDEX stock_levels_tenant_id_tombstones;
CREATE INDEX stock_levels_tenant_id_tombstones ON stock_levels (tenant_id, deleted_at, changed_at) WHERE deleted_at IS NOT NULL;
