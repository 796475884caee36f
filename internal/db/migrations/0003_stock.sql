-- Warehouses, stock levels and the ledger (interface §2.6, §4.3). Deleted levels stay 90 days as tombstones of the change feeds.
CREATE TABLE warehouses (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,
    code TEXT COLLATE "C" NOT NULL,
    name TEXT NOT NULL,
    is_default BOOLEAN NOT NULL,
    address TEXT,                          -- free JSON
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, code)
);

CREATE TABLE stock_levels (
    tenant_id BIGINT NOT NULL,
    sku TEXT COLLATE "C" NOT NULL,
    warehouse_code TEXT COLLATE "C" NOT NULL,
    id UUID NOT NULL,
    product_id UUID NOT NULL,
    variant_id UUID,
    on_hand BIGINT NOT NULL,               -- the sum of the SKU's movements in this warehouse; below 0 when oversold
    reserved BIGINT NOT NULL CHECK (reserved >= 0), -- open quantity of order lines
    threshold BIGINT,                      -- stock.low below it; NULL until stock was set
    low BOOLEAN NOT NULL,                  -- stock.low was sent and available has not recovered
    updated_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    deleted_at BIGINT,
    PRIMARY KEY (tenant_id, sku, warehouse_code)
);
CREATE INDEX stock_levels_tenant_id_changed_at ON stock_levels (tenant_id, changed_at, deleted_at); -- a feed's page and its total
CREATE INDEX stock_levels_deleted_at ON stock_levels (deleted_at) WHERE deleted_at IS NOT NULL;
-- Levels that run low are few, and are listed and counted (interface §4.5.8, §4.5.11).
CREATE INDEX stock_levels_tenant_id_low ON stock_levels (tenant_id, sku, warehouse_code) WHERE low = TRUE AND deleted_at IS NULL;
-- A warehouse's levels in the order of lists.
CREATE INDEX stock_levels_tenant_id_warehouse_code ON stock_levels (tenant_id, warehouse_code, sku) WHERE deleted_at IS NULL;
CREATE INDEX stock_levels_tenant_id_tombstones ON stock_levels (tenant_id, deleted_at, changed_at) WHERE deleted_at IS NOT NULL;
-- Levels with more reserved than on hand are few, and are listed and counted (interface §4.5.8). PostgreSQL estimates that a
-- comparison of
-- two columns holds for a third of all rows, so the condition is an expression with statistics of its own.
CREATE INDEX stock_levels_tenant_id_oversold ON stock_levels (tenant_id, sku, warehouse_code)
    WHERE CASE WHEN on_hand < reserved THEN 1 ELSE 0 END = 1 AND deleted_at IS NULL;
-- Empty levels that were removed from a warehouse that is being deleted: if the deletion is refused, they return with their
-- thresholds.
CREATE INDEX stock_levels_kept ON stock_levels (tenant_id, warehouse_code, sku) WHERE deleted_at IS NOT NULL AND threshold IS NOT NULL;
--postgres ALTER TABLE stock_levels ALTER COLUMN warehouse_code SET (n_distinct = 100);
--postgres CREATE STATISTICS stock_levels_oversold ON (CASE WHEN on_hand < reserved THEN 1 ELSE 0 END) FROM stock_levels;

-- The ledger: append-only, one row a change of on-hand.
CREATE TABLE movements (
    tenant_id BIGINT NOT NULL,
    sku TEXT COLLATE "C" NOT NULL,
    stamp BIGINT NOT NULL,                 -- the one that its level got by the same change: the order of the ledger
    warehouse_code TEXT COLLATE "C" NOT NULL,
    id UUID NOT NULL,
    cause TEXT NOT NULL,
    delta BIGINT NOT NULL,
    balance BIGINT NOT NULL,               -- on-hand after it
    reference_type TEXT NOT NULL,
    reference_id TEXT NOT NULL,
    note TEXT NOT NULL,
    actor TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, sku, stamp)
);
-- Notes may name people: erasing finds those of an order without reading the ledger.
CREATE INDEX movements_noted ON movements (tenant_id, reference_id) WHERE note <> '';
CREATE INDEX movements_tenant_id_noted ON movements (tenant_id, stamp) WHERE note <> '';
CREATE INDEX movements_tenant_id_reference_id ON movements (tenant_id, reference_id)
    WHERE reference_type IN ('order', 'shipment', 'return');
--postgres ALTER TABLE movements ALTER COLUMN note SET STATISTICS 0;
