-- Empty levels that were removed from a warehouse which is about to be deleted keep their thresholds until it is (decision 17).
CREATE INDEX stock_levels_kept ON stock_levels (tenant_id, warehouse_code, sku) WHERE deleted_at IS NOT NULL AND threshold IS NOT NULL;
