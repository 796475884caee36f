-- What sold best, without reading lines: sums of SKUs by bucket of time, packed by the worker (interface §4.5.11; decision 9).
ALTER TABLE order_figures ADD COLUMN version BIGINT NOT NULL DEFAULT 0; -- grows when lines that are not cancelled come, go or change

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
