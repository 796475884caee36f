-- Nodes that hold queues of endpoints (interface §6.2). A node's beat grows while it lives; the others take over the queues of one whose
-- beat stands still. No time is stored: nodes' clocks need not agree.
CREATE TABLE nodes (
    id TEXT PRIMARY KEY,
    beat BIGINT NOT NULL
);
ALTER TABLE queues DROP COLUMN lease_until; -- a holder's beat says whether it still holds
