-- Lists of products go along an index of what they are sorted or chosen by, and searches look through packed texts (interface §4.5.1;
-- decisions 10 and 11).
CREATE INDEX products_tenant_id_status ON products (tenant_id, status, id) WHERE deleted_at IS NULL;
CREATE INDEX products_tenant_id_name ON products (tenant_id, name COLLATE "C", id) WHERE deleted_at IS NULL;
CREATE INDEX products_tenant_id_price ON products (tenant_id, price, id) WHERE deleted_at IS NULL;
DROP INDEX product_categories_tenant_id_category_id;
CREATE INDEX product_categories_tenant_id_category_id ON product_categories (tenant_id, category_id, product_id);

-- Feeds with tombstones count these apart (interface §4.3).
CREATE INDEX products_tenant_id_tombstones ON products (tenant_id, changed_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX stock_levels_tenant_id_tombstones ON stock_levels (tenant_id, changed_at) WHERE deleted_at IS NOT NULL;

INSERT INTO search_loose (tenant_id, kind, id, sort, text, version) SELECT tenant_id, 'product', id, 0, search, 0 FROM products
    WHERE deleted_at IS NULL;
