-- The movements of an order are those of the order, of its shipments and of its returns.
DROP INDEX movements_tenant_id_reference_id;
CREATE INDEX movements_tenant_id_reference_id ON movements (tenant_id, reference_id)
    WHERE reference_type IN ('order', 'shipment', 'return');
