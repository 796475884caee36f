-- What lists search through, packed so that a search reads megabytes instead of every row (interface §4.1; decision 11). Blocks hold the
-- folded texts of up to some 1,500 records of one kind in the order of their ids.
CREATE TABLE search_blocks (
    tenant_id BIGINT NOT NULL,
    kind TEXT NOT NULL,                    -- order, customer
    first_id UUID NOT NULL,                -- from here to the next block
    filter BYTEA NOT NULL,                 -- which trigrams are in it, perhaps
    body TEXT NOT NULL,                    -- a line each
    keys BYTEA NOT NULL,                   -- of each line: id and sort
    PRIMARY KEY (tenant_id, kind, first_id)
);

-- What was written since: it counts instead of what blocks say of the same record.
CREATE TABLE search_loose (
    tenant_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    id UUID NOT NULL,
    sort BIGINT NOT NULL,                  -- what the kind's lists go by first, 0 if that is the id
    text TEXT NOT NULL,                    -- '' for a record that is gone
    version BIGINT NOT NULL,               -- grows with each write
    PRIMARY KEY (tenant_id, kind, id)
) WITHOUT ROWID;

-- Everything that is there; the service packs it.
INSERT INTO search_loose (tenant_id, kind, id, sort, text, version) SELECT tenant_id, 'order', id, created_at, search, 0 FROM orders;
INSERT INTO search_loose (tenant_id, kind, id, sort, text, version) SELECT tenant_id, 'customer', id,
    CASE status WHEN 'secondary' THEN 1 ELSE 0 END, search, 0 FROM customers;
