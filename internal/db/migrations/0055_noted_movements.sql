-- An erasure looks through the notes of movements on a snapshot, and in its transaction through those written since (interface §4.4).
DROP INDEX movements_tenant_id_noted;
CREATE INDEX movements_tenant_id_noted ON movements (tenant_id, stamp) WHERE note <> '';
