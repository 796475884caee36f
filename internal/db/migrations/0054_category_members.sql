-- How many products each category has is kept beside them (interface §2.7.3).
INSERT INTO tallies (tenant_id, name, key, n) SELECT tenant_id, 'category members', CAST(category_id AS TEXT), count(*)
    FROM product_categories WHERE category_id IS NOT NULL GROUP BY tenant_id, category_id;
