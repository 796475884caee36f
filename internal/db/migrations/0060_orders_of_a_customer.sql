-- Most orders have the e-mail address of their customer and are found by it through the customer: email_key is NULL for
-- them, and of a customer's orders it says which ones have another address.
DROP INDEX orders_tenant_id_customer_id;
CREATE INDEX orders_tenant_id_customer_id ON orders (tenant_id, customer_id, created_at, id, email_key) WHERE customer_id IS NOT NULL;
