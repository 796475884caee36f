-- When an order was stored, where created_at says something else: history that was moved in (interface §4.1).
ALTER TABLE orders ADD COLUMN recorded_at BIGINT;
