-- Up to which event of the log the blocks of searches have every new order or customer (interface §4.1, §4.4; decision 11). What was
-- there before lies in blocks or was put beside them.
CREATE TABLE search_until (
    tenant_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    stamp BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, kind)
);
INSERT INTO search_until (tenant_id, kind, stamp) SELECT tenant_id, 'order', last FROM change_clocks;
INSERT INTO search_until (tenant_id, kind, stamp) SELECT tenant_id, 'customer', last FROM change_clocks;
