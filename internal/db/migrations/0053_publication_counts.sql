-- How many products each channel has, by the status of their publication, is kept beside them (interface §2.7, §4.5.11). Nothing
-- counts by these indexes any more.
INSERT INTO tallies (tenant_id, name, key, n) SELECT tenant_id, 'publications', CAST(channel_id AS TEXT) || ' ' || status, count(*)
    FROM publications GROUP BY tenant_id, channel_id, status;
DROP INDEX publications_waiting;
DROP INDEX publications_failed;
