-- Customers and segments (interface §2.5, §4.4).
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
    order_country_at BIGINT,               -- created_at of the order that order_country is from
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, email_key)
);
CREATE INDEX customers_tenant_id_merged_into ON customers (tenant_id, merged_into) WHERE merged_into IS NOT NULL;
-- New customers of a span of time are counted by this index.
CREATE INDEX customers_tenant_id_created_at ON customers (tenant_id, created_at, status);
-- PostgreSQL's statistics keep copies of values; none of columns that hold personal data.
--postgres ALTER TABLE customers
--postgres     ALTER COLUMN email SET STATISTICS 0, ALTER COLUMN email_key SET STATISTICS 0,
--postgres     ALTER COLUMN first_name SET STATISTICS 0, ALTER COLUMN last_name SET STATISTICS 0,
--postgres     ALTER COLUMN phone SET STATISTICS 0, ALTER COLUMN company SET STATISTICS 0,
--postgres     ALTER COLUMN siret SET STATISTICS 0, ALTER COLUMN vat SET STATISTICS 0,
--postgres     ALTER COLUMN metadata SET STATISTICS 0, ALTER COLUMN search SET STATISTICS 0;

CREATE TABLE customer_tags (
    tenant_id BIGINT NOT NULL,
    customer_id UUID NOT NULL,
    position BIGINT NOT NULL,
    tag TEXT NOT NULL,
    PRIMARY KEY (tenant_id, customer_id, position)
) WITHOUT ROWID;
CREATE INDEX customer_tags_tenant_id_tag ON customer_tags (tenant_id, tag, customer_id);
--postgres ALTER TABLE customer_tags ALTER COLUMN tag SET STATISTICS 0;

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
--postgres ALTER TABLE customer_addresses
--postgres     ALTER COLUMN name SET STATISTICS 0, ALTER COLUMN company SET STATISTICS 0,
--postgres     ALTER COLUMN line1 SET STATISTICS 0, ALTER COLUMN line2 SET STATISTICS 0,
--postgres     ALTER COLUMN city SET STATISTICS 0, ALTER COLUMN zip SET STATISTICS 0,
--postgres     ALTER COLUMN phone SET STATISTICS 0;

CREATE TABLE segments (
    tenant_id BIGINT NOT NULL,
    id UUID NOT NULL,
    name TEXT NOT NULL,
    rules TEXT NOT NULL,                   -- JSON
    rules_digest TEXT NOT NULL DEFAULT '', -- segment_lists.rules of its list
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
