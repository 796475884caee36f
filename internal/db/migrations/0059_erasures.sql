-- Erasures that have begun and not ended (interface §4.4, decision 12). The customer's record is empty already; the orders up to
-- done_to are, too. A row is deleted with the last step, and then the bytes of its texts are scrubbed.
CREATE TABLE erasures (
    tenant_id BIGINT NOT NULL,
    customer_id UUID NOT NULL,
    names TEXT NOT NULL,                   -- JSON: what is known of the person and to be found in texts
    resources TEXT NOT NULL,               -- JSON: ids that answers may be about, and that only the erased record named
    done_to UUID,                          -- id of the last order that is done
    touched_at BIGINT NOT NULL,            -- when the last step was done
    PRIMARY KEY (tenant_id, customer_id)
);
--postgres ALTER TABLE erasures ALTER COLUMN names SET STATISTICS 0;
