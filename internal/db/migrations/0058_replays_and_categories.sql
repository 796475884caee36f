-- Old events are kept for pending deliveries of replays, whose positions are later than the stamps of their events (interface §8).
CREATE INDEX deliveries_replayed ON deliveries (tenant_id, endpoint_id, event_stamp) WHERE state = 'pending' AND position <> event_stamp;

-- Categories are searched by the index of searches (interface §2.7.3). The service folds these texts when it packs them.
INSERT INTO search_loose (tenant_id, kind, id, sort, text, version) SELECT tenant_id, 'category', id, 0,
    name || '	' || slug || '	' || coalesce(external_id, ''), 0 FROM categories WHERE deleted_at IS NULL;
