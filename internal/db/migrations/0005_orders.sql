-- Orders and what hangs on them (interface §2.1 to §2.4, §3, §4.1).

-- Nodes lease order numbers in blocks from here; gaps are allowed.
CREATE TABLE order_numbers (
    tenant_id BIGINT PRIMARY KEY,
    next BIGINT NOT NULL
);

CREATE TABLE orders (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,
    number BIGINT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('PENDING', 'PROCESSING', 'PARTIALLY_SHIPPED', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'RETURNED')),
    channel_id UUID,
    customer_id UUID,
    customer_name TEXT NOT NULL,
    customer_email TEXT,
    email_key TEXT,
    external_reference TEXT,               -- the caller's number, one order each
    platform_id TEXT,                      -- the platform's number of a pulled order
    currency TEXT NOT NULL,
    shipping_address TEXT,                 -- free JSON, unchanged
    billing_address TEXT,
    payment_metadata TEXT,
    notes TEXT,
    subtotal BIGINT NOT NULL,
    shipping_amount BIGINT NOT NULL,
    discount_amount BIGINT NOT NULL,
    tax_amount BIGINT,
    tax_rate BIGINT,                       -- percent, 1/10,000
    total BIGINT NOT NULL,
    item_count BIGINT NOT NULL,
    tracking_carrier TEXT,
    tracking_number TEXT,
    tracking_url TEXT,
    shipped_notified BOOLEAN NOT NULL,     -- order.shipped was sent: once in an order's life
    initial_status TEXT NOT NULL,          -- how it was created, the first entry of its history
    initial_source TEXT NOT NULL,
    initial_actor TEXT NOT NULL,
    search TEXT NOT NULL,                  -- folded number, external reference, customer name and e-mail
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    recorded_at BIGINT,                    -- when it was stored, if created_at says something else: imported history
    external_number TEXT,                  -- the number that the buyer sees
    platform_status TEXT,                  -- the platform's word, as it came last
    platform_updated_at BIGINT,            -- by the platform's clock, of the newest version taken
    refunded_amount BIGINT NOT NULL DEFAULT 0,
    channel_sync TEXT CHECK (channel_sync IN ('synced', 'pending', 'failed', 'skipped')), -- NULL: no platform
    channel_sync_error TEXT,
    channel_sync_attempts BIGINT NOT NULL DEFAULT 0,
    channel_sync_at BIGINT,
    country TEXT,                          -- the code that the shipping address names
    platform_buyer TEXT,                   -- the platform's name of the buyer; NULL: unknown, or erased
    sent_status TEXT,                      -- the status that was last sent to the platform: the same one again is no news
    reopens UUID,                          -- the cancelled order that its platform took up again as this one (interface §3.1)
    reopened_by UUID,
    generation BIGINT NOT NULL DEFAULT 0,  -- 0 for the first order of a platform_id, one more for each that reopens it
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX orders_tenant_id_number ON orders (tenant_id, number);
CREATE UNIQUE INDEX orders_tenant_id_external_reference ON orders (tenant_id, external_reference) WHERE external_reference IS NOT NULL;
-- The columns behind the id are those that lists filter and sort by: any list of very many orders is read in this index alone.
CREATE INDEX orders_tenant_id_status ON orders (tenant_id, status, created_at, id, channel_id, country, total, number,
    updated_at);
CREATE INDEX orders_tenant_id_total ON orders (tenant_id, total, id);
CREATE INDEX orders_tenant_id_email_key ON orders (tenant_id, email_key, created_at, id) WHERE email_key IS NOT NULL;
CREATE INDEX orders_tenant_id_channel_sync ON orders (tenant_id, channel_id, id) WHERE channel_sync = 'pending';
CREATE INDEX orders_tenant_id_channel_id ON orders (tenant_id, channel_id, status, created_at, id);
CREATE INDEX orders_tenant_id_country ON orders (tenant_id, country, status, created_at, id) WHERE country IS NOT NULL;
CREATE INDEX orders_tenant_id_platform_buyer ON orders (tenant_id, channel_id, platform_buyer) WHERE platform_buyer IS NOT NULL;
CREATE INDEX orders_tenant_id_customer_id ON orders (tenant_id, customer_id, created_at, id, email_key) WHERE customer_id IS NOT NULL;
CREATE UNIQUE INDEX orders_tenant_id_platform_id ON orders (tenant_id, channel_id, platform_id, generation) WHERE platform_id IS NOT NULL;
-- Orders in the order of their last change, for callers that poll (interface §4.1).
CREATE INDEX orders_tenant_id_updated_at ON orders (tenant_id, updated_at, id);
--postgres ALTER TABLE orders
--postgres     ALTER COLUMN customer_name SET STATISTICS 0, ALTER COLUMN customer_email SET STATISTICS 0,
--postgres     ALTER COLUMN email_key SET STATISTICS 0, ALTER COLUMN external_reference SET STATISTICS 0,
--postgres     ALTER COLUMN shipping_address SET STATISTICS 0, ALTER COLUMN billing_address SET STATISTICS 0,
--postgres     ALTER COLUMN payment_metadata SET STATISTICS 0, ALTER COLUMN notes SET STATISTICS 0,
--postgres     ALTER COLUMN tracking_number SET STATISTICS 0, ALTER COLUMN tracking_url SET STATISTICS 0,
--postgres     ALTER COLUMN search SET STATISTICS 0;
--postgres ALTER TABLE orders ALTER COLUMN platform_buyer SET STATISTICS 0;
--postgres ALTER TABLE orders ALTER COLUMN channel_id SET (n_distinct = 100);

CREATE TABLE order_lines (
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
    fee BOOLEAN NOT NULL DEFAULT FALSE,    -- nothing to ship: a tip or gift wrapping of a platform's order
    PRIMARY KEY (tenant_id, order_id, id),
    CHECK (shipped >= 0 AND refunded >= 0 AND shipped + refunded <= quantity),
    CHECK (reserved >= 0 AND reserved + shipped + refunded <= quantity)
) WITHOUT ROWID;
CREATE INDEX order_lines_tenant_id_sku ON order_lines (tenant_id, sku) WHERE product_id IS NULL AND sku <> ''; -- wait for their product

CREATE TABLE order_history (               -- moves; how an order began stands in its own row
    tenant_id BIGINT NOT NULL,
    order_id UUID NOT NULL,
    id UUID NOT NULL,
    previous_status TEXT NOT NULL,
    status TEXT NOT NULL,
    note TEXT,
    source TEXT NOT NULL CHECK (source IN ('api', 'dashboard', 'channel', 'shipment', 'system')),
    actor TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, order_id, id)
) WITHOUT ROWID;
--postgres ALTER TABLE order_history ALTER COLUMN note SET STATISTICS 0;

-- Changes of orders other than their status (interface §4.1): lines, amounts, addresses, notes, deleted shipments.
CREATE TABLE order_edits (
    tenant_id BIGINT NOT NULL,
    order_id UUID NOT NULL,
    id UUID NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('api', 'dashboard', 'channel', 'system')),
    actor TEXT NOT NULL,
    changes TEXT NOT NULL,                 -- JSON array; no text of a person
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, order_id, id)
) WITHOUT ROWID;

CREATE TABLE shipments (
    tenant_id BIGINT NOT NULL,
    order_id UUID NOT NULL,
    id UUID NOT NULL,
    carrier TEXT,
    tracking_number TEXT,
    tracking_url TEXT,
    shipped_at BIGINT NOT NULL,
    notes TEXT,
    automatic BOOLEAN NOT NULL,            -- made by a move to SHIPPED, not by a caller's list of lines
    created_at BIGINT NOT NULL,
    external_id TEXT,                      -- the platform's, of a parcel that was packed there
    PRIMARY KEY (tenant_id, order_id, id)
) WITHOUT ROWID;
--postgres ALTER TABLE shipments
--postgres     ALTER COLUMN notes SET STATISTICS 0, ALTER COLUMN tracking_number SET STATISTICS 0,
--postgres     ALTER COLUMN tracking_url SET STATISTICS 0;

CREATE TABLE shipment_lines (
    tenant_id BIGINT NOT NULL,
    order_id UUID NOT NULL,
    shipment_id UUID NOT NULL,
    id UUID NOT NULL,
    line_id UUID NOT NULL,
    quantity BIGINT NOT NULL CHECK (quantity >= 1),
    PRIMARY KEY (tenant_id, order_id, shipment_id, id)
) WITHOUT ROWID;

-- Returns of orders (interface §2.4, §4.1): units that a buyer sends back, and what became of them.
CREATE TABLE order_returns (
    tenant_id BIGINT NOT NULL,
    order_id UUID NOT NULL,
    id UUID NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('requested', 'received', 'refunded', 'rejected')),
    reason TEXT,
    notes TEXT,
    refund_amount BIGINT CHECK (refund_amount >= 0), -- NULL: what its units cost, until it is refunded
    refund_id UUID,                                  -- the refund that it ended in
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, order_id, id)
) WITHOUT ROWID;

CREATE TABLE order_return_lines (
    tenant_id BIGINT NOT NULL,
    order_id UUID NOT NULL,
    return_id UUID NOT NULL,
    line_id UUID NOT NULL,
    quantity BIGINT NOT NULL CHECK (quantity >= 1),
    restock BOOLEAN NOT NULL,                        -- the units are put on hand when they are received
    PRIMARY KEY (tenant_id, order_id, return_id, line_id)
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

CREATE TABLE order_issues (                -- what could not be taken over from a platform, each once
    tenant_id BIGINT NOT NULL,
    order_id UUID NOT NULL,
    code TEXT NOT NULL CHECK (code IN ('unknown_sku', 'illegal_transition', 'conflict', 'amounts_differ')),
    path TEXT NOT NULL,                    -- the member it is about, or ''
    message TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    closed_at BIGINT,                      -- by the platform, which agrees again, or by a person; NULL: it is open
    PRIMARY KEY (tenant_id, order_id, code, path)
) WITHOUT ROWID;
CREATE INDEX order_issues_open ON order_issues (tenant_id, code, order_id) WHERE closed_at IS NULL;
