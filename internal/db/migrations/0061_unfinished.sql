-- Operations that are done in steps and have begun and not ended (decision 17): what they say is true already, and what is left of
-- their rows follows. A row is deleted with the last step.
CREATE TABLE unfinished (
    tenant_id BIGINT NOT NULL,
    kind TEXT NOT NULL,                    -- which operation
    subject UUID NOT NULL,                 -- the record that it is about
    done_to UUID,                          -- the last record that is done, where they are done in the order of their ids
    touched_at BIGINT NOT NULL,            -- when the last step was done
    PRIMARY KEY (tenant_id, kind, subject)
);
