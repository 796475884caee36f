-- Who made a key, and what a user may do beside its role (interface §5.1).
ALTER TABLE api_keys ADD COLUMN created_by UUID;              -- the user behind it: who made it, or who made the key that did
ALTER TABLE users ADD COLUMN scopes TEXT NOT NULL DEFAULT ''; -- separated by spaces: no more than these; empty: all of the role
ALTER TABLE store_keys ADD COLUMN retired_at BIGINT;          -- a replaced master key, while secrets encrypted with it remain
