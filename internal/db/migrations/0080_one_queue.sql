-- Operations in steps and erasures are jobs (decision 17): a job about one record, its subject, is shown in no list and is deleted with
-- its last step. A process that stops leaves it due ten seconds after its last step.
ALTER TABLE jobs ADD COLUMN subject UUID;  -- the record that the operation is about; NULL for jobs that are shown
CREATE UNIQUE INDEX jobs_subject ON jobs (tenant_id, type, subject) WHERE subject IS NOT NULL;

CREATE TABLE begun (tenant_id BIGINT NOT NULL, type TEXT NOT NULL, subject UUID NOT NULL, input TEXT NOT NULL, cursor TEXT NOT NULL, touched_at BIGINT NOT NULL);
INSERT INTO begun SELECT tenant_id, replace(kind, ' ', '_'), subject, '{}', coalesce(CAST(done_to AS TEXT), place), touched_at FROM unfinished;
INSERT INTO begun SELECT tenant_id, 'customer_erasure', customer_id, '{"names":' || names || ',"resources":' || resources || '}',
    coalesce(CAST(done_to AS TEXT), ''), touched_at FROM erasures;
--sqlite INSERT INTO jobs (tenant_id, id, type, subject, status, total, processed, created, updated, failed, errors, input, cursor, tries, due_at, created_at)
--sqlite     SELECT tenant_id, lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(6))),
--sqlite     type, subject, 'PENDING', 0, 0, 0, 0, 0, '[]', input, cursor, 0, touched_at + 10000000, touched_at FROM begun;
--postgres INSERT INTO jobs (tenant_id, id, type, subject, status, total, processed, created, updated, failed, errors, input, cursor, tries, due_at, created_at)
--postgres     SELECT tenant_id, gen_random_uuid(),
--postgres     type, subject, 'PENDING', 0, 0, 0, 0, 0, '[]', input, cursor, 0, touched_at + 10000000, touched_at FROM begun;
DROP TABLE begun;
DROP TABLE unfinished;
DROP TABLE erasures;
UPDATE scrubs SET tables = replace(tables, ' erasures', '');
