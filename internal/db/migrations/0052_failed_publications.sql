-- Failed publications of a channel are counted without reading the others (interface §4.5.11).
CREATE INDEX publications_failed ON publications (tenant_id, channel_id, product_id) WHERE status = 'failed';
