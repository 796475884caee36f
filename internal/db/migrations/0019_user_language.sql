-- The language of the dashboard for a user (interface §2.7.10); '' is the browser's.
ALTER TABLE users ADD COLUMN language TEXT NOT NULL DEFAULT '';
