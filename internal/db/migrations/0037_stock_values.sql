-- What the stock is worth, kept apart from levels and prices and a little behind (interface §4.5.11; decision 9): whoever writes a price
-- would have to look up where the product lies.
CREATE TABLE stock_values (
    tenant_id BIGINT NOT NULL,
    warehouse_code TEXT COLLATE "C" NOT NULL,
    -- Sums of products that are more than 63 bits hold: on hand = a·10^5 + b, price = c·10^8 + d.
    ac BIGINT NOT NULL,
    ad BIGINT NOT NULL,
    bc BIGINT NOT NULL,
    bd BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, warehouse_code)
) WITHOUT ROWID;

-- What each level counts in it; a level that counts nothing has no row.
CREATE TABLE stock_level_values (
    tenant_id BIGINT NOT NULL,
    sku TEXT COLLATE "C" NOT NULL,
    warehouse_code TEXT COLLATE "C" NOT NULL,
    on_hand BIGINT NOT NULL,
    price BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, sku, warehouse_code)
) WITHOUT ROWID;

-- Up to which change of an account both have everything; no row until they have anything.
CREATE TABLE stock_values_until (
    tenant_id BIGINT PRIMARY KEY,
    stamp BIGINT NOT NULL
);
