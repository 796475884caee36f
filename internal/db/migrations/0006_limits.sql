-- Rate limits that nodes share (interface §8): a caller's windows in one row, worth nothing after a crash.
CREATE UNLOGGED TABLE rate_windows (
    caller TEXT PRIMARY KEY,
    windows TEXT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX rate_windows_updated_at ON rate_windows (updated_at);
