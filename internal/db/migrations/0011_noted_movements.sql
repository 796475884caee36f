-- Few movements have a note, and an erasure looks through all notes for the person (interface §4.4).
CREATE INDEX movements_tenant_id_noted ON movements (tenant_id) WHERE note <> '';
