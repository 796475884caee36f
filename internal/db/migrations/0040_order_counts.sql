-- Orders of all times are counted by status and channel: a list without bounds of time adds up no days (interface §4.1).
INSERT INTO tallies (tenant_id, name, key, n)
    SELECT tenant_id, 'orders', CASE channel WHEN '' THEN status ELSE status || ' ' || channel END, sum(orders) FROM order_figures
    WHERE span = 86400000000 GROUP BY tenant_id, status, channel;
