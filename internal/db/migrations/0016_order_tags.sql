-- Tags of orders, and the user whom an order is assigned to (interface §2.1).
-- rewrites: orders
ALTER TABLE orders ADD COLUMN tags TEXT;        -- JSON array of texts, in the order given; NULL: none
ALTER TABLE orders ADD COLUMN assigned_to UUID; -- the id of a user, who may be deleted by now; NULL: nobody
CREATE INDEX orders_tenant_id_assigned_to ON orders (tenant_id, assigned_to, created_at, id) WHERE assigned_to IS NOT NULL;

-- The tags of orders once more, folded, by which lists find the orders.
CREATE TABLE order_tags (
    tenant_id BIGINT NOT NULL,
    order_id UUID NOT NULL,
    tag TEXT NOT NULL,                          -- in lower case
    created_at BIGINT NOT NULL,                 -- of the order
    PRIMARY KEY (tenant_id, order_id, tag)
) WITHOUT ROWID;
CREATE INDEX order_tags_tenant_id_tag ON order_tags (tenant_id, tag, created_at, order_id);
-- Tags may name persons: PostgreSQL's statistics keep no copies of them.
--postgres ALTER TABLE orders ALTER COLUMN tags SET STATISTICS 0;
--postgres ALTER TABLE order_tags ALTER COLUMN tag SET STATISTICS 0;
