-- Categories that wait for a parent are found among very many that have the same one already (decision 17).
CREATE INDEX categories_waiting ON categories (tenant_id, parent_external_id)
    WHERE parent_id IS NULL AND parent_external_id IS NOT NULL AND deleted_at IS NULL;
DROP INDEX categories_tenant_id_parent_external_id;
