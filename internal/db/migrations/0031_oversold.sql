-- Levels of which more is reserved than is on hand are few, and are listed and counted (interface §4.5.8). Of a comparison of two columns
-- PostgreSQL would believe that it holds for a third of all rows.
CREATE INDEX stock_levels_tenant_id_oversold ON stock_levels (tenant_id, sku, warehouse_code)
    WHERE CASE WHEN on_hand < reserved THEN 1 ELSE 0 END = 1 AND deleted_at IS NULL;
--postgres CREATE STATISTICS stock_levels_oversold ON (CASE WHEN on_hand < reserved THEN 1 ELSE 0 END) FROM stock_levels;
