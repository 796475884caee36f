-- What a platform examines of something that is on sale already: until it is done it shows what it showed before. Stock and prices go on,
-- unlike those of an operation.
ALTER TABLE channel_items ADD COLUMN review TEXT NOT NULL DEFAULT ''; -- what the platform is asked for; '' for nothing
CREATE INDEX channel_items_review ON channel_items (tenant_id, channel_id, review) WHERE review <> '';
