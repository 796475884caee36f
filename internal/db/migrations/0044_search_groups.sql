-- Which parts of 32 blocks may contain a trigram, so that a search reads a few kilobytes of each group of blocks and not the filter of
-- each block (interface §4.1; decision 11). Groups are built by the service; blocks without a place use their own filter.
CREATE TABLE search_grams (
    tenant_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    slice BIGINT NOT NULL,                 -- of the hashes of trigrams, sixteen each
    group_number BIGINT NOT NULL,
    parts BYTEA NOT NULL,                  -- a bit for each part of each block, for one hash after the other
    PRIMARY KEY (tenant_id, kind, slice, group_number)
);

-- Where a block is in its group: group × 32 + position. A block that is written again loses its place.
CREATE TABLE search_places (
    tenant_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    place BIGINT NOT NULL,
    first_id UUID NOT NULL,
    PRIMARY KEY (tenant_id, kind, place),
    UNIQUE (tenant_id, kind, first_id)
) WITHOUT ROWID;
