-- Counts kept beside the writes, so that lists and figures count no rows (interface §4.4, §4.5.1, §4.5.8, §4.5.11).
CREATE TABLE tallies (
    tenant_id BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,        -- what is counted
    key TEXT COLLATE "C" NOT NULL,         -- of which kind: a status, or the code of a warehouse
    n BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, name, key)
) WITHOUT ROWID;
INSERT INTO tallies (tenant_id, name, key, n) SELECT tenant_id, 'customers', status, count(*) FROM customers GROUP BY tenant_id, status;
INSERT INTO tallies (tenant_id, name, key, n) SELECT tenant_id, 'products', status, count(*) FROM products
    WHERE deleted_at IS NULL GROUP BY tenant_id, status;
INSERT INTO tallies (tenant_id, name, key, n) SELECT tenant_id, 'levels', warehouse_code, count(*) FROM stock_levels
    WHERE deleted_at IS NULL GROUP BY tenant_id, warehouse_code;
INSERT INTO tallies (tenant_id, name, key, n) SELECT tenant_id, 'on hand', warehouse_code, sum(on_hand) FROM stock_levels
    WHERE deleted_at IS NULL GROUP BY tenant_id, warehouse_code;
INSERT INTO tallies (tenant_id, name, key, n) SELECT tenant_id, 'reserved', warehouse_code, sum(reserved) FROM stock_levels
    WHERE deleted_at IS NULL GROUP BY tenant_id, warehouse_code;
INSERT INTO tallies (tenant_id, name, key, n) SELECT tenant_id, 'out of stock', warehouse_code, count(*) FROM stock_levels
    WHERE deleted_at IS NULL AND on_hand <= reserved GROUP BY tenant_id, warehouse_code;
INSERT INTO tallies (tenant_id, name, key, n) SELECT tenant_id, 'low', warehouse_code, count(*) FROM stock_levels
    WHERE deleted_at IS NULL AND low = TRUE GROUP BY tenant_id, warehouse_code;

-- New customers of a span are counted in it.
CREATE INDEX customers_tenant_id_created_at ON customers (tenant_id, created_at, status);

-- A tag's customers, newest first.
DROP INDEX customer_tags_tenant_id_tag;
CREATE INDEX customer_tags_tenant_id_tag ON customer_tags (tenant_id, tag, customer_id);

-- A warehouse's levels in the order of lists.
CREATE INDEX stock_levels_tenant_id_warehouse_code ON stock_levels (tenant_id, warehouse_code, sku) WHERE deleted_at IS NULL;
