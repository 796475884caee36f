-- How many orders are shipped to each country is kept beside them, by status and channel (interface §4.1).
INSERT INTO tallies (tenant_id, name, key, n)
    SELECT tenant_id, 'orders to country', country || ' ' || status || coalesce(' ' || CAST(channel_id AS TEXT), ''), count(*)
    FROM orders WHERE country IS NOT NULL GROUP BY tenant_id, country, status, channel_id;
