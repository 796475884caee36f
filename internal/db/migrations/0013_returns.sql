-- The list of all returns, newest first, and of those in a state (interface §4.1).
CREATE INDEX order_returns_id ON order_returns (tenant_id, id, status);
CREATE INDEX order_returns_status ON order_returns (tenant_id, status, id);
