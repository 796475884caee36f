-- Pending deliveries are counted beside the settled ones, so that neither lists nor figures count them one by one
-- (interface §4.5.9, §4.5.11).
ALTER TABLE delivery_figures ADD COLUMN pending BIGINT NOT NULL DEFAULT 0;
INSERT INTO delivery_figures (tenant_id, endpoint_id, span, bucket, event, pending, delivered, failed, attempts, answered, duration_ms,
    newest)
WITH spans(span) AS (VALUES (10000000), (3600000000), (86400000000))
SELECT d.tenant_id, d.endpoint_id, s.span, d.position / s.span * s.span, d.event, count(*), 0, 0, 0, 0, 0, 0
FROM deliveries d CROSS JOIN spans s WHERE d.state = 'pending'
GROUP BY 1, 2, 3, 4, 5
ON CONFLICT (tenant_id, endpoint_id, span, bucket, event) DO UPDATE SET pending = excluded.pending;
