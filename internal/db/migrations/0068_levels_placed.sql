-- How often levels have appeared or gone is kept beside them, so that a node knows whether what it has in memory of all levels still holds
-- (interface §4.3; decision 9). A store has the row from here on, whose nodes all count.
INSERT INTO tallies (tenant_id, name, key, n) SELECT tenant_id, 'levels placed', '', 1 FROM tenants;
