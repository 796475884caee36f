-- Customers, channels and orders (interface §2, §3, §4.1, §4.4).
CREATE TABLE customers (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,
    email TEXT NOT NULL,
    email_key TEXT NOT NULL,               -- folded
    first_name TEXT,
    last_name TEXT,
    phone TEXT,
    company TEXT,
    siret TEXT,
    vat TEXT,
    metadata TEXT NOT NULL,                -- free JSON
    search TEXT NOT NULL,                  -- folded e-mail, names, company, phone
    status TEXT NOT NULL CHECK (status IN ('active', 'secondary', 'erased')),
    merged_into UUID,
    orders_count BIGINT NOT NULL,
    total_spent BIGINT NOT NULL,           -- orders that are not cancelled
    order_country TEXT,                    -- where the newest order with a known country was shipped to
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    erased_at BIGINT,
    erased_orders BIGINT,                  -- how many orders that made anonymous
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, email_key)
);
CREATE INDEX customers_tenant_id_merged_into ON customers (tenant_id, merged_into) WHERE merged_into IS NOT NULL;

CREATE TABLE customer_tags (
    tenant_id BIGINT NOT NULL,
    customer_id UUID NOT NULL,
    position BIGINT NOT NULL,
    tag TEXT NOT NULL,
    PRIMARY KEY (tenant_id, customer_id, position)
) WITHOUT ROWID;
CREATE INDEX customer_tags_tenant_id_tag ON customer_tags (tenant_id, tag);

CREATE TABLE customer_addresses (
    tenant_id BIGINT NOT NULL,
    customer_id UUID NOT NULL,
    id UUID NOT NULL,
    position BIGINT NOT NULL,              -- in the book
    type TEXT,
    name TEXT,
    company TEXT,
    line1 TEXT NOT NULL,
    line2 TEXT,
    city TEXT NOT NULL,
    state TEXT,
    zip TEXT NOT NULL,
    country TEXT NOT NULL,
    phone TEXT,
    is_default BOOLEAN NOT NULL,
    PRIMARY KEY (tenant_id, customer_id, id)
) WITHOUT ROWID;

CREATE TABLE segments (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,
    name TEXT NOT NULL,
    rules TEXT NOT NULL,                   -- JSON
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);

CREATE TABLE channels (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL UNIQUE,               -- platforms name a channel without its account
    name TEXT NOT NULL,
    platform TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'inactive', 'needs_reauth', 'expiring', 'error')),
    credentials TEXT NOT NULL,             -- sealed JSON
    settings TEXT NOT NULL,                -- JSON
    oversell TEXT NOT NULL CHECK (oversell IN ('allow', 'reject')),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    last_sync_at BIGINT,
    PRIMARY KEY (tenant_id, id)
);

CREATE TABLE publications (
    tenant_id BIGINT NOT NULL,
    product_id UUID NOT NULL,
    channel_id UUID NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'published', 'failed')),
    external_id TEXT,
    published_at BIGINT,
    error TEXT,
    PRIMARY KEY (tenant_id, product_id, channel_id)
) WITHOUT ROWID;
CREATE INDEX publications_tenant_id_channel_id ON publications (tenant_id, channel_id, product_id);

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
    shipped_told BOOLEAN NOT NULL,         -- order.shipped was sent: once in an order's life
    initial_status TEXT NOT NULL,          -- how it was created, the first entry of its history
    initial_source TEXT NOT NULL,
    initial_actor TEXT NOT NULL,
    search TEXT NOT NULL,                  -- folded number, external reference, customer name and e-mail
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX orders_tenant_id_number ON orders (tenant_id, number);
CREATE UNIQUE INDEX orders_tenant_id_external_reference ON orders (tenant_id, external_reference) WHERE external_reference IS NOT NULL;
CREATE UNIQUE INDEX orders_tenant_id_platform_id ON orders (tenant_id, channel_id, platform_id) WHERE platform_id IS NOT NULL;
CREATE INDEX orders_tenant_id_created_at ON orders (tenant_id, created_at, id);
CREATE INDEX orders_tenant_id_status ON orders (tenant_id, status, created_at, id);
CREATE INDEX orders_tenant_id_total ON orders (tenant_id, total, id);
CREATE INDEX orders_tenant_id_customer_id ON orders (tenant_id, customer_id, created_at, id) WHERE customer_id IS NOT NULL;
CREATE INDEX orders_tenant_id_email_key ON orders (tenant_id, email_key, created_at, id) WHERE email_key IS NOT NULL;

CREATE TABLE order_lines (
    tenant_id BIGINT NOT NULL,
    order_id UUID NOT NULL,
    position BIGINT NOT NULL,
    id UUID NOT NULL,
    product_id UUID NOT NULL,
    variant_id UUID,
    sku TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT,
    metadata TEXT,                         -- free JSON
    quantity BIGINT NOT NULL CHECK (quantity >= 1),
    shipped BIGINT NOT NULL,
    reserved BIGINT NOT NULL,              -- what of it is counted in its stock level's reserved
    unit_price BIGINT NOT NULL CHECK (unit_price >= 0),
    line_total BIGINT NOT NULL,
    warehouse_code TEXT NOT NULL,          -- where it is reserved and shipped from
    PRIMARY KEY (tenant_id, order_id, id),
    CHECK (shipped >= 0 AND shipped <= quantity),
    CHECK (reserved >= 0 AND reserved + shipped <= quantity)
) WITHOUT ROWID;

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
    PRIMARY KEY (tenant_id, order_id, id)
) WITHOUT ROWID;

CREATE TABLE shipment_lines (
    tenant_id BIGINT NOT NULL,
    order_id UUID NOT NULL,
    shipment_id UUID NOT NULL,
    id UUID NOT NULL,
    line_id UUID NOT NULL,
    quantity BIGINT NOT NULL CHECK (quantity >= 1),
    PRIMARY KEY (tenant_id, order_id, shipment_id, id)
) WITHOUT ROWID;

-- How many orders, by status, channel and span of time: a list's total without counting (interface §4.1).
CREATE TABLE order_counts (
    tenant_id BIGINT NOT NULL,
    span BIGINT NOT NULL,                  -- microseconds a bucket covers
    status TEXT NOT NULL,
    bucket BIGINT NOT NULL,                -- its first microsecond
    channel TEXT COLLATE "C" NOT NULL,     -- channel id, or '' for none
    orders BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, span, status, bucket, channel)
) WITHOUT ROWID;
