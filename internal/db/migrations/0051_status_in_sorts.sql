-- Lists by name and price of products with some statuses skip to a page in the index of the sort (interface §4.5.1).
DELETE FROM product_sorts WHERE NOT EXISTS (SELECT 1 FROM products p
    WHERE p.tenant_id = product_sorts.tenant_id AND p.id = product_sorts.product_id);
ALTER TABLE product_sorts ADD COLUMN status TEXT NOT NULL DEFAULT '';
UPDATE product_sorts SET status = (SELECT p.status FROM products p
    WHERE p.tenant_id = product_sorts.tenant_id AND p.id = product_sorts.product_id);
DROP INDEX product_sorts_tenant_id_name;
DROP INDEX product_sorts_tenant_id_price;
CREATE INDEX product_sorts_tenant_id_name ON product_sorts (tenant_id, name, product_id, status);
CREATE INDEX product_sorts_tenant_id_price ON product_sorts (tenant_id, price, product_id, status);
