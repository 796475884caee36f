-- Shopify's notifications of stock name neither product nor variant: the id of the inventory item, which until now was only in other.
ALTER TABLE channel_items ADD COLUMN external_item TEXT NOT NULL DEFAULT ''; -- '' where the platform has no such id
UPDATE channel_items SET external_item = substr(other, 10, length(other) - 11) WHERE other LIKE '{"item":"%"}';
CREATE INDEX channel_items_item ON channel_items (tenant_id, channel_id, external_item) WHERE external_item <> '';
