-- What was changed of orders beside their status (interface §4.1): lines, amounts, addresses, notes, and shipments that were deleted.
CREATE TABLE order_edits (
    tenant_id BIGINT NOT NULL,
    order_id UUID NOT NULL,
    id UUID NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('api', 'dashboard', 'channel', 'system')),
    actor TEXT NOT NULL,
    changes TEXT NOT NULL,                 -- JSON array; no text of a person
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, order_id, id)
) WITHOUT ROWID;

-- The movements of an order and its shipments.
CREATE INDEX movements_tenant_id_reference_id ON movements (tenant_id, reference_id) WHERE reference_type IN ('order', 'shipment');
