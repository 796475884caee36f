-- Orders of platforms (interface §2.1): what the platform said of them, what became of pushing their status, refunds, and what a person
-- should look at.
ALTER TABLE orders ADD COLUMN external_number TEXT;                -- the number that the buyer sees
ALTER TABLE orders ADD COLUMN platform_status TEXT;                -- the platform's word, as it came last
ALTER TABLE orders ADD COLUMN platform_updated_at BIGINT;          -- by the platform's clock, of the newest version taken
ALTER TABLE orders ADD COLUMN refunded_amount BIGINT NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN channel_sync TEXT CHECK (channel_sync IN ('synced', 'pending', 'failed', 'skipped')); -- NULL: no platform
ALTER TABLE orders ADD COLUMN channel_sync_error TEXT;
ALTER TABLE orders ADD COLUMN channel_sync_attempts BIGINT NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN channel_sync_at BIGINT;
ALTER TABLE orders RENAME COLUMN shipped_told TO shipped_notified; -- order.shipped was sent: once in an order's life
CREATE INDEX orders_tenant_id_channel_sync ON orders (tenant_id, channel_id, id) WHERE channel_sync = 'pending';

ALTER TABLE shipments ADD COLUMN external_id TEXT;                 -- the platform's, of a parcel that was packed there

-- Lines may have no product: an unknown SKU or a fee. SQLite cannot take NOT NULL from a column, so the table is written anew.
CREATE TABLE new_order_lines (
    tenant_id BIGINT NOT NULL,
    order_id UUID NOT NULL,
    position BIGINT NOT NULL,
    id UUID NOT NULL,
    product_id UUID,                       -- NULL: no product has the SKU, or a fee
    variant_id UUID,
    sku TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT,
    metadata TEXT,                         -- free JSON
    quantity BIGINT NOT NULL CHECK (quantity >= 1),
    shipped BIGINT NOT NULL,
    refunded BIGINT NOT NULL,              -- never to be shipped: refunded before it was
    reserved BIGINT NOT NULL,              -- what of it is counted in its stock level's reserved
    unit_price BIGINT NOT NULL CHECK (unit_price >= 0),
    line_total BIGINT NOT NULL,
    warehouse_code TEXT NOT NULL,          -- where it is reserved and shipped from
    external_id TEXT,                      -- the platform's
    PRIMARY KEY (tenant_id, order_id, id),
    CHECK (shipped >= 0 AND refunded >= 0 AND shipped + refunded <= quantity),
    CHECK (reserved >= 0 AND reserved + shipped + refunded <= quantity)
) WITHOUT ROWID;
INSERT INTO new_order_lines (tenant_id, order_id, position, id, product_id, variant_id, sku, name, description, metadata, quantity, shipped, refunded,
        reserved, unit_price, line_total, warehouse_code)
    SELECT tenant_id, order_id, position, id, product_id, variant_id, sku, name, description, metadata, quantity, shipped, 0,
        reserved, unit_price, line_total, warehouse_code FROM order_lines;
DROP TABLE order_lines;
ALTER TABLE new_order_lines RENAME TO order_lines;
CREATE INDEX order_lines_tenant_id_sku ON order_lines (tenant_id, sku) WHERE product_id IS NULL AND sku <> ''; -- wait for their product

CREATE TABLE order_issues (                -- what could not be taken over from a platform, each once
    tenant_id BIGINT NOT NULL,
    order_id UUID NOT NULL,
    code TEXT NOT NULL CHECK (code IN ('unknown_sku', 'illegal_transition', 'conflict', 'amounts_differ')),
    path TEXT NOT NULL,                    -- the member it is about, or ''
    message TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, order_id, code, path)
) WITHOUT ROWID;

CREATE TABLE order_refunds (
    tenant_id BIGINT NOT NULL,
    order_id UUID NOT NULL,
    id UUID NOT NULL,
    external_id TEXT NOT NULL,
    amount BIGINT NOT NULL CHECK (amount >= 0),
    reason TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, order_id, id)
) WITHOUT ROWID;

CREATE TABLE order_refund_lines (
    tenant_id BIGINT NOT NULL,
    order_id UUID NOT NULL,
    refund_id UUID NOT NULL,
    line_id UUID NOT NULL,
    quantity BIGINT NOT NULL CHECK (quantity >= 0),
    amount BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, order_id, refund_id, line_id)
) WITHOUT ROWID;
