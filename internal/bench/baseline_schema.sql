-- The baseline's own tables: what the service would write, and the indexes it
-- could not do without, nothing more. ID, SERIAL and CLUSTERED differ between
-- the engines and are filled in by baselineSchema.
CREATE TABLE products (
    tenant_id BIGINT NOT NULL, id {{ID}} NOT NULL, sku TEXT NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL,
    status TEXT NOT NULL, price BIGINT NOT NULL, compare_at_price BIGINT, changed_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, sku)) {{CLUSTERED}};
CREATE INDEX products_changed ON products (tenant_id, changed_at);

CREATE TABLE levels (
    tenant_id BIGINT NOT NULL, sku TEXT NOT NULL, warehouse TEXT NOT NULL,
    on_hand BIGINT NOT NULL, reserved BIGINT NOT NULL, changed_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, sku, warehouse)) {{CLUSTERED}};
CREATE INDEX levels_changed ON levels (tenant_id, changed_at);

CREATE TABLE customers (
    tenant_id BIGINT NOT NULL, id {{ID}} NOT NULL, email TEXT NOT NULL, name TEXT NOT NULL,
    orders_count BIGINT NOT NULL, total_spent BIGINT NOT NULL, created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, email)) {{CLUSTERED}};

CREATE TABLE orders (
    tenant_id BIGINT NOT NULL, id {{ID}} NOT NULL, number BIGINT NOT NULL, status TEXT NOT NULL,
    customer_id {{ID}} NOT NULL, customer_name TEXT NOT NULL, customer_email TEXT NOT NULL, shipping_address TEXT NOT NULL,
    currency TEXT NOT NULL, subtotal BIGINT NOT NULL, total BIGINT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)) {{CLUSTERED}};
CREATE UNIQUE INDEX orders_number ON orders (tenant_id, number);
CREATE INDEX orders_created ON orders (tenant_id, created_at, id);

CREATE TABLE order_lines (
    tenant_id BIGINT NOT NULL, order_id {{ID}} NOT NULL, position BIGINT NOT NULL, sku TEXT NOT NULL, name TEXT NOT NULL,
    quantity BIGINT NOT NULL, unit_price BIGINT NOT NULL, line_total BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, order_id, position)) {{CLUSTERED}};

CREATE TABLE events (
    serial {{SERIAL}}, tenant_id BIGINT NOT NULL, id {{ID}} NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL, created_at BIGINT NOT NULL);

CREATE TABLE idempotency (
    tenant_id BIGINT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, status BIGINT NOT NULL, answer TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, key)) {{CLUSTERED}};
