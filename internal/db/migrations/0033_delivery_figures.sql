-- How deliveries went, by endpoint, span of time and event: figures without reading deliveries and attempts (interface §4.5.11). A delivery
-- belongs to the time of its position. Pending ones are not in it: they are few, and have an index.
CREATE TABLE delivery_figures (
    tenant_id BIGINT NOT NULL,
    endpoint_id UUID NOT NULL,
    span BIGINT NOT NULL,                  -- microseconds a bucket covers
    bucket BIGINT NOT NULL,                -- its first microsecond
    event TEXT COLLATE "C" NOT NULL,
    delivered BIGINT NOT NULL,
    failed BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    answered BIGINT NOT NULL,              -- attempts that delivered
    duration_ms BIGINT NOT NULL,           -- of all attempts together
    newest BIGINT NOT NULL,                -- the newest attempt that was counted here
    PRIMARY KEY (tenant_id, endpoint_id, span, bucket, event)
) WITHOUT ROWID;
INSERT INTO delivery_figures (tenant_id, endpoint_id, span, bucket, event, delivered, failed, attempts, answered, duration_ms, newest)
WITH spans(span) AS (VALUES (10000000), (3600000000), (86400000000)),
    tried AS (SELECT tenant_id, endpoint_id, position, count(*) AS attempts, sum(duration_ms) AS duration_ms,
        sum(CASE WHEN error IS NULL AND status_code >= 200 AND status_code < 300 THEN 1 ELSE 0 END) AS answered
        FROM attempts GROUP BY tenant_id, endpoint_id, position)
SELECT d.tenant_id, d.endpoint_id, s.span, d.position / s.span * s.span, d.event, sum(CASE WHEN d.state = 'delivered' THEN 1 ELSE 0 END),
    sum(CASE WHEN d.state = 'failed' THEN 1 ELSE 0 END), coalesce(sum(t.attempts), 0), coalesce(sum(t.answered), 0),
    coalesce(sum(t.duration_ms), 0), coalesce(max(d.attempted_at), 0)
FROM deliveries d CROSS JOIN spans s
LEFT JOIN tried t ON t.tenant_id = d.tenant_id AND t.endpoint_id = d.endpoint_id AND t.position = d.position
WHERE d.state <> 'pending' OR t.attempts > 0
GROUP BY 1, 2, 3, 4, 5;

-- Test events are not in the log, and are few.
CREATE INDEX events_tests ON events (tenant_id, stamp) WHERE endpoint_id IS NOT NULL;
