-- Records that were erased with the one into which they were merged are counted apart, and searches mark them as they mark secondaries:
-- lists show neither (interface §4.4).
INSERT INTO tallies (tenant_id, name, key, n)
    SELECT tenant_id, 'customers', 'erased secondary', count(*) FROM customers
    WHERE status = 'erased' AND merged_into IS NOT NULL GROUP BY tenant_id;
UPDATE tallies SET n = (SELECT count(*) FROM customers c
        WHERE c.tenant_id = tallies.tenant_id AND c.status = 'erased' AND c.merged_into IS NULL)
    WHERE name = 'customers' AND key = 'erased';
INSERT INTO search_loose (tenant_id, kind, id, sort, text, version)
    SELECT tenant_id, 'customer', id, 1, search, 0 FROM customers WHERE status = 'erased' AND merged_into IS NOT NULL
    ON CONFLICT (tenant_id, kind, id) DO UPDATE SET sort = 1, version = search_loose.version + 1;
