-- Returns of orders (interface §2.4, §4.1): units that a buyer sends back, and what became of them.
CREATE TABLE order_returns (
    tenant_id BIGINT NOT NULL,
    order_id UUID NOT NULL,
    id UUID NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('requested', 'received', 'refunded', 'rejected')),
    reason TEXT,
    notes TEXT,
    refund_amount BIGINT CHECK (refund_amount >= 0), -- NULL: what its units cost, until it is refunded
    refund_id UUID,                                  -- the refund that it ended in
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, order_id, id)
) WITHOUT ROWID;

CREATE TABLE order_return_lines (
    tenant_id BIGINT NOT NULL,
    order_id UUID NOT NULL,
    return_id UUID NOT NULL,
    line_id UUID NOT NULL,
    quantity BIGINT NOT NULL CHECK (quantity >= 1),
    restock BOOLEAN NOT NULL,                        -- the units are put on hand when they are received
    PRIMARY KEY (tenant_id, order_id, return_id, line_id)
) WITHOUT ROWID;
