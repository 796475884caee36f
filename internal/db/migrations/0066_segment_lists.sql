-- Which customers are in a segment, kept apart from them and a little behind (decision 9). A list belongs to a segment and to the rules
-- that the segment had when the list was begun: a segment with other rules gets another list, and this one is deleted in steps.
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

-- Up to which change of an account its lists have everything; accounts without segments have no row. turn counts the changes of the lists.
CREATE TABLE segment_lists_until (
    tenant_id BIGINT PRIMARY KEY,
    stamp BIGINT NOT NULL,
    turn BIGINT NOT NULL
);

-- Customers who changed later, unless the event log says so: it has new customers, and new orders.
CREATE TABLE segment_changes (
    tenant_id BIGINT NOT NULL,
    stamp BIGINT NOT NULL,
    customer_id UUID NOT NULL,
    PRIMARY KEY (tenant_id, stamp)
) WITHOUT ROWID;
