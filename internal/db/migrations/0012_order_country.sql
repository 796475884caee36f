-- An older order does not change where its customer's newest one was shipped to (interface §4.4, segments by country).
ALTER TABLE customers ADD COLUMN order_country_at BIGINT; -- created_at of the order that order_country is from
UPDATE customers SET order_country_at = (SELECT max(o.created_at) FROM orders o
    WHERE o.tenant_id = customers.tenant_id AND o.customer_id = customers.id AND o.shipping_address IS NOT NULL) WHERE order_country IS NOT NULL;
