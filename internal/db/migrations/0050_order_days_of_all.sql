-- Orders are counted by day over all channels, too: the figures of a year read a row for each day (interface §4.5.11).
INSERT INTO order_figures (tenant_id, span, status, bucket, channel, currency, orders, items, big, small, version)
    SELECT tenant_id, -span, status, bucket, '', currency, sum(orders), sum(items), sum(big), sum(small), sum(version) FROM order_figures
    WHERE span = 86400000000 GROUP BY tenant_id, span, status, bucket, currency;
