-- How the dashboard shows times and numbers to a user (interface §4.5.10).
ALTER TABLE users ADD COLUMN time_zone TEXT NOT NULL DEFAULT '';  -- by its name, '' for the account's
ALTER TABLE users ADD COLUMN locale TEXT NOT NULL DEFAULT '';     -- BCP 47, '' for the account's
