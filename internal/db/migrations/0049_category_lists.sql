-- The list of categories is in the order of their names, and says how many there are (interface §2.7.3).
CREATE INDEX categories_tenant_id_name ON categories (tenant_id, name COLLATE "C", id) WHERE deleted_at IS NULL;
INSERT INTO tallies (tenant_id, name, key, n) SELECT tenant_id, 'categories', '', count(*) FROM categories
    WHERE deleted_at IS NULL GROUP BY tenant_id;
