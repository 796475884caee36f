-- Lists of orders by country (interface §4.1): the code that the shipping address names, or NULL.
ALTER TABLE orders ADD COLUMN country TEXT;
UPDATE orders SET country = upper(substr(shipping_address, strpos(shipping_address, '"country":"') + 11, 2))
    WHERE shipping_address LIKE '%"country":"__"%';
UPDATE orders SET country = upper(substr(shipping_address, strpos(shipping_address, '"country": "') + 12, 2))
    WHERE country IS NULL AND shipping_address LIKE '%"country": "__"%';
CREATE INDEX orders_tenant_id_country ON orders (tenant_id, country, status, created_at, id) WHERE country IS NOT NULL;
