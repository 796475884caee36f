-- Always empty: on PostgreSQL, readiness tries whether rows can be written, and rolls back.
CREATE TABLE probes (
    n BIGINT NOT NULL
);
