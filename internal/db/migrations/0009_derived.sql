-- What is derived from records: written with them (tallies, order_figures), or a little later by views (decision 9).

-- Counts that are written with their records, so that lists and figures count no rows (interface §4.4, §4.5.1, §4.5.8, §4.5.11).
CREATE TABLE tallies (
    tenant_id BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,        -- what is counted
    key TEXT COLLATE "C" NOT NULL,         -- of which kind: a status, or the code of a warehouse
    n BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, name, key)
) WITHOUT ROWID;

-- Sums of orders by time, status and channel.
CREATE TABLE order_figures (
    tenant_id BIGINT NOT NULL,
    span BIGINT NOT NULL,                  -- microseconds a bucket covers
    status TEXT NOT NULL,
    bucket BIGINT NOT NULL,                -- its first microsecond
    channel TEXT COLLATE "C" NOT NULL,     -- channel id, or '' for none
    currency TEXT COLLATE "C" NOT NULL,
    orders BIGINT NOT NULL,
    items BIGINT NOT NULL,                 -- quantity of all lines
    big BIGINT NOT NULL,                   -- of each total, the whole 100,000,000s
    small BIGINT NOT NULL,                 -- of each total, the rest
    version BIGINT NOT NULL DEFAULT 0,     -- grows when lines that are not cancelled come, go or change
    PRIMARY KEY (tenant_id, span, status, bucket, channel, currency)
) WITHOUT ROWID;

-- Up to which stamp of an account's change clock each view has everything (decision 9). A view without a row has nothing yet.
CREATE TABLE views_until (
    tenant_id BIGINT NOT NULL,
    view TEXT COLLATE "C" NOT NULL,        -- its name in package view
    stamp BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, view)
) WITHOUT ROWID;

-- What sold best, without reading lines: sums of SKUs by bucket of time, packed by the worker (interface §4.5.11).
CREATE TABLE sales_blocks (
    tenant_id BIGINT NOT NULL,
    width BIGINT NOT NULL,                 -- microseconds that the bucket covers
    bucket BIGINT NOT NULL,                -- its first microsecond
    version BIGINT NOT NULL,               -- sum of the versions of its order_figures: it holds while that stays
    made_at BIGINT NOT NULL,
    body BYTEA NOT NULL,                   -- package sales
    PRIMARY KEY (tenant_id, width, bucket)
);

CREATE TABLE sold_skus (                   -- numbers stand for SKUs in the blocks
    tenant_id BIGINT NOT NULL,
    sku TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    order_id UUID NOT NULL,                -- one that has it, for its name if its product is gone
    PRIMARY KEY (tenant_id, sku)
) WITHOUT ROWID;
CREATE UNIQUE INDEX sold_skus_tenant_id_number ON sold_skus (tenant_id, number);

-- What products are sorted by (interface §4.5.1): a view, because an index on the products' own columns would be written at another
-- place for each product of a bulk import or price update.
CREATE TABLE product_sorts (
    tenant_id BIGINT NOT NULL,
    product_id UUID NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    price BIGINT NOT NULL,
    status TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, product_id)
) WITHOUT ROWID;
CREATE INDEX product_sorts_tenant_id_name ON product_sorts (tenant_id, name, product_id, status);
CREATE INDEX product_sorts_tenant_id_price ON product_sorts (tenant_id, price, product_id, status);

-- What the stock is worth (interface §4.5.11): a view, because whoever writes a price would have to look up where the product lies.
CREATE TABLE stock_values (
    tenant_id BIGINT NOT NULL,
    warehouse_code TEXT COLLATE "C" NOT NULL,
    -- Sums of products that are more than 63 bits hold: on hand = a·10^5 + b, price = c·10^8 + d.
    ac BIGINT NOT NULL,
    ad BIGINT NOT NULL,
    bc BIGINT NOT NULL,
    bd BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, warehouse_code)
) WITHOUT ROWID;

-- What each level adds to it; a level that adds nothing has no row.
CREATE TABLE stock_level_values (
    tenant_id BIGINT NOT NULL,
    sku TEXT COLLATE "C" NOT NULL,
    warehouse_code TEXT COLLATE "C" NOT NULL,
    on_hand BIGINT NOT NULL,
    price BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, sku, warehouse_code)
) WITHOUT ROWID;

-- What lists search through, packed so that a search reads megabytes instead of every row (interface §4.1; decision 11). Blocks
-- hold the folded texts of up to some 1,500 records of one kind in the order of their ids.
CREATE TABLE search_blocks (
    tenant_id BIGINT NOT NULL,
    kind TEXT NOT NULL,                    -- order, customer
    first_id UUID NOT NULL,                -- from here to the next block
    filter BYTEA NOT NULL,                 -- which trigrams are in it, perhaps
    body TEXT NOT NULL,                    -- a line each
    keys BYTEA NOT NULL,                   -- of each line: id and sort
    PRIMARY KEY (tenant_id, kind, first_id)
);
-- Uncompressed: unpacking takes PostgreSQL longer than the search itself.
--postgres ALTER TABLE search_blocks ALTER COLUMN body SET STORAGE EXTERNAL, ALTER COLUMN keys SET STORAGE EXTERNAL;

-- Texts written since a block was packed: they replace what the block says of the same record.
CREATE TABLE search_loose (
    tenant_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    id UUID NOT NULL,
    sort BIGINT NOT NULL,                  -- what the kind's lists go by first, 0 if that is the id
    text TEXT NOT NULL,                    -- '' for a record that is gone
    version BIGINT NOT NULL,               -- grows with each write
    PRIMARY KEY (tenant_id, kind, id)
) WITHOUT ROWID;

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

-- Which customers are in a segment: a view. A list belongs to a segment and to the rules that the segment had when the list was begun: a
-- segment with other rules gets another list, and this one is deleted in steps.
CREATE TABLE segment_lists (
    tenant_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    segment_id UUID NOT NULL,
    rules TEXT NOT NULL,                   -- a digest: the rules themselves may name a person
    members BIGINT NOT NULL,               -- rows of segment_members
    done_to UUID,                          -- customers up to this id have been looked at; NULL before the first, and for a whole list
    whole BOOLEAN NOT NULL,                -- all customers have been looked at
    PRIMARY KEY (tenant_id, id)
);

CREATE TABLE segment_members (
    tenant_id BIGINT NOT NULL,
    list_id BIGINT NOT NULL,
    customer_id UUID NOT NULL,
    PRIMARY KEY (tenant_id, list_id, customer_id)
) WITHOUT ROWID;

-- Customers who changed later, unless the event log says so: it has new customers, and new orders.
CREATE TABLE segment_changes (
    tenant_id BIGINT NOT NULL,
    stamp BIGINT NOT NULL,
    customer_id UUID NOT NULL,
    PRIMARY KEY (tenant_id, stamp)
) WITHOUT ROWID;
