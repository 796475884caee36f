-- How many orders, how many pieces and for how much, by span of time, status, channel and currency: totals of lists and figures without
-- counting (interface §4.1, §4.5.11).
DROP TABLE order_counts;
CREATE TABLE order_figures (
    tenant_id BIGINT NOT NULL,
    span BIGINT NOT NULL,                  -- microseconds a bucket covers
    status TEXT NOT NULL,
    bucket BIGINT NOT NULL,                -- its first microsecond
    channel TEXT COLLATE "C" NOT NULL,     -- channel id, or '' for none
    currency TEXT COLLATE "C" NOT NULL,
    orders BIGINT NOT NULL,
    items BIGINT NOT NULL,                 -- quantity of all lines
    big BIGINT NOT NULL,                   -- of each total, the whole 100,000,000s
    small BIGINT NOT NULL,                 -- of each total, the rest
    PRIMARY KEY (tenant_id, span, status, bucket, channel, currency)
) WITHOUT ROWID;
INSERT INTO order_figures (tenant_id, span, status, bucket, channel, currency, orders, items, big, small)
WITH spans(span) AS (VALUES (10000000), (3600000000), (86400000000)),
    quantities AS (SELECT tenant_id, order_id, sum(quantity) AS items FROM order_lines GROUP BY tenant_id, order_id)
SELECT o.tenant_id, s.span, o.status, o.created_at / s.span * s.span, coalesce(CAST(o.channel_id AS TEXT), ''), o.currency,
    count(*), coalesce(sum(q.items), 0), sum(o.total / 100000000), sum(o.total % 100000000)
FROM orders o CROSS JOIN spans s LEFT JOIN quantities q ON q.tenant_id = o.tenant_id AND q.order_id = o.id
GROUP BY 1, 2, 3, 4, 5, 6;

-- Lists by creation read one index by status, or by channel and status, a branch each.
DROP INDEX orders_tenant_id_created_at;
CREATE INDEX orders_tenant_id_channel_id ON orders (tenant_id, channel_id, status, created_at, id);
