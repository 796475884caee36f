-- Access tokens and sessions as their user sees them (interface §4.5.10). Tokens from before have no id and are not shown; they end within hours.
ALTER TABLE tokens ADD COLUMN id UUID;
ALTER TABLE tokens ADD COLUMN address TEXT NOT NULL DEFAULT '';
ALTER TABLE tokens ADD COLUMN agent TEXT NOT NULL DEFAULT '';     -- the program, as it named itself
ALTER TABLE tokens ADD COLUMN dashboard BOOLEAN NOT NULL DEFAULT FALSE; -- a session, not an access token
ALTER TABLE tokens ADD COLUMN last_used_at BIGINT;                -- to the minute
