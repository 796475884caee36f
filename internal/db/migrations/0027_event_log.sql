-- The event log by kind and by what an event is about (interface §4.5.9). Changes of levels, which are by far the most and come in bulk,
-- are left out: they are looked for in the log's own order.
CREATE INDEX events_tenant_id_event ON events (tenant_id, event, stamp) WHERE event <> 'stock.updated';
CREATE INDEX events_tenant_id_resource_id ON events (tenant_id, resource_id, stamp) WHERE event <> 'stock.updated';
