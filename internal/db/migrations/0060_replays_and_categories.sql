-- Old events are kept for pending deliveries of replays, whose positions are later than the stamps of their events (interface §8).
CREATE INDEX deliveries_replayed ON deliveries (tenant_id, endpoint_id, event_stamp) WHERE state = 'pending' AND position <> event_stamp;
