-- What erasing a person needs (interface §4.4).
CREATE TABLE scrubs (                      -- files that still hold bytes of rows which are gone; see db.Scrub
    id UUID PRIMARY KEY,
    tables TEXT NOT NULL,                  -- names separated by spaces
    created_at BIGINT NOT NULL
);

-- Notes may name people: erasing finds those of an order without reading the ledger.
CREATE INDEX movements_noted ON movements (tenant_id, reference_id) WHERE note <> '';

-- PostgreSQL's statistics keep copies of values; none of columns that hold personal data.
--postgres ALTER TABLE customers ALTER COLUMN email SET STATISTICS 0, ALTER COLUMN email_key SET STATISTICS 0, ALTER COLUMN first_name SET STATISTICS 0, ALTER COLUMN last_name SET STATISTICS 0, ALTER COLUMN phone SET STATISTICS 0, ALTER COLUMN company SET STATISTICS 0, ALTER COLUMN siret SET STATISTICS 0, ALTER COLUMN vat SET STATISTICS 0, ALTER COLUMN metadata SET STATISTICS 0, ALTER COLUMN search SET STATISTICS 0;
--postgres ALTER TABLE customer_tags ALTER COLUMN tag SET STATISTICS 0;
--postgres ALTER TABLE customer_addresses ALTER COLUMN name SET STATISTICS 0, ALTER COLUMN company SET STATISTICS 0, ALTER COLUMN line1 SET STATISTICS 0, ALTER COLUMN line2 SET STATISTICS 0, ALTER COLUMN city SET STATISTICS 0, ALTER COLUMN zip SET STATISTICS 0, ALTER COLUMN phone SET STATISTICS 0;
--postgres ALTER TABLE orders ALTER COLUMN customer_name SET STATISTICS 0, ALTER COLUMN customer_email SET STATISTICS 0, ALTER COLUMN email_key SET STATISTICS 0, ALTER COLUMN external_reference SET STATISTICS 0, ALTER COLUMN shipping_address SET STATISTICS 0, ALTER COLUMN billing_address SET STATISTICS 0, ALTER COLUMN payment_metadata SET STATISTICS 0, ALTER COLUMN notes SET STATISTICS 0, ALTER COLUMN tracking_number SET STATISTICS 0, ALTER COLUMN tracking_url SET STATISTICS 0, ALTER COLUMN search SET STATISTICS 0;
--postgres ALTER TABLE order_lines ALTER COLUMN name SET STATISTICS 0, ALTER COLUMN description SET STATISTICS 0, ALTER COLUMN metadata SET STATISTICS 0;
--postgres ALTER TABLE order_history ALTER COLUMN note SET STATISTICS 0;
--postgres ALTER TABLE shipments ALTER COLUMN notes SET STATISTICS 0, ALTER COLUMN tracking_number SET STATISTICS 0, ALTER COLUMN tracking_url SET STATISTICS 0;
--postgres ALTER TABLE movements ALTER COLUMN note SET STATISTICS 0;
--postgres ALTER TABLE idempotency_keys ALTER COLUMN key SET STATISTICS 0, ALTER COLUMN answer SET STATISTICS 0;
--postgres ALTER TABLE events ALTER COLUMN payload SET STATISTICS 0;
--postgres ALTER TABLE attempts ALTER COLUMN error SET STATISTICS 0, ALTER COLUMN response_body SET STATISTICS 0;
--postgres ALTER TABLE jobs ALTER COLUMN errors SET STATISTICS 0, ALTER COLUMN input SET STATISTICS 0;
