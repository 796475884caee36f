-- What products are sorted by, kept apart from them and a little behind (interface §4.5.1; decision 9): an index on the products' own
-- columns would be written at another place for each product of a bulk import or price update.
CREATE TABLE product_sorts (
    tenant_id BIGINT NOT NULL,
    product_id UUID NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    price BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, product_id)
) WITHOUT ROWID;
INSERT INTO product_sorts (tenant_id, product_id, name, price) SELECT tenant_id, id, name, price FROM products WHERE deleted_at IS NULL;
CREATE INDEX product_sorts_tenant_id_name ON product_sorts (tenant_id, name, product_id);
CREATE INDEX product_sorts_tenant_id_price ON product_sorts (tenant_id, price, product_id);

-- Up to which change of an account product_sorts has everything.
CREATE TABLE product_sorts_until (
    tenant_id BIGINT PRIMARY KEY,
    stamp BIGINT NOT NULL
);
INSERT INTO product_sorts_until (tenant_id, stamp) SELECT tenant_id, max(changed_at) FROM products GROUP BY tenant_id;

DROP INDEX products_tenant_id_name;
DROP INDEX products_tenant_id_price;
