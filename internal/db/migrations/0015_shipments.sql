-- Orders by the number that the buyer sees on the platform, which files of tracking numbers name (interface §4.1).
CREATE INDEX orders_external_number ON orders (tenant_id, external_number) WHERE external_number IS NOT NULL;
