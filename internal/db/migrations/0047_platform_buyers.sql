-- Under which name a platform knows the buyer of an order: its notifications of deleted accounts name nobody otherwise (interface §6.3).
ALTER TABLE orders ADD COLUMN platform_buyer TEXT; -- NULL: unknown, or erased
--postgres ALTER TABLE orders ALTER COLUMN platform_buyer SET STATISTICS 0;
UPDATE orders SET platform_buyer = substr(payment_metadata, 11, strpos(substr(payment_metadata, 11), '"') - 1)
    WHERE payment_metadata LIKE '{"buyer":"%' AND platform_id IS NOT NULL
        AND channel_id IN (SELECT c.id FROM channels c WHERE c.tenant_id = orders.tenant_id AND c.platform = 'EBAY');
CREATE INDEX orders_tenant_id_platform_buyer ON orders (tenant_id, channel_id, platform_buyer) WHERE platform_buyer IS NOT NULL;
