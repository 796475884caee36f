-- Publications that wait or failed, and items that a platform still processes, are counted without reading the others. The status is
-- in the first two, because SQLite takes no index that matches fewer columns than the key does (interface §4.5.11, §6.3).
CREATE INDEX publications_waiting ON publications (tenant_id, channel_id, status, product_id) WHERE status IN ('pending', 'removing');
CREATE INDEX publications_failed ON publications (tenant_id, channel_id, status, product_id) WHERE status = 'failed';
CREATE INDEX channel_items_operation ON channel_items (tenant_id, channel_id, operation) WHERE operation <> '';
