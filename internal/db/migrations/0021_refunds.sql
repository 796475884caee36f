-- Refunds of which a platform is to be told, and returns that a platform has told of (interface §2.1, §2.4, §4.5.7).
ALTER TABLE order_refunds ADD COLUMN unsent BOOLEAN NOT NULL DEFAULT FALSE; -- recorded here; the platform is to be told of it
ALTER TABLE order_returns ADD COLUMN external_id TEXT;                      -- the platform's id of it, or of its refund; NULL: recorded here
