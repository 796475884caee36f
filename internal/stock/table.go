package stock

import "entrepot/internal/db"

// Columns of levels: those that the feed shows, and those that lists show. Operations write levels with statements of
// their own, which check that each is as it was read (see write.go).
var (
	feedTable = db.NewTable("stock_levels",
		db.Col("sku", func(r *Row) any { return &r.SKU }).Key(),
		db.Col("warehouse_code", func(r *Row) any { return &r.Warehouse }).Key(),
		db.Col("id", func(r *Row) any { return &r.ID }).Fixed(),
		db.Col("product_id", func(r *Row) any { return &r.Product }),
		db.Col("variant_id", func(r *Row) any { return &r.Variant }).Null(),
		db.Col("on_hand", func(r *Row) any { return &r.OnHand }),
		db.Col("reserved", func(r *Row) any { return &r.Reserved }),
		db.Col("changed_at", func(r *Row) any { return &r.ChangedAt }).Stamp(),
		db.Col("deleted_at", func(r *Row) any { return &r.DeletedAt }).Null().ReadOnly(),
	)
	levelTable = feedTable.Plus(
		db.Col("threshold", func(r *Row) any { return &r.Threshold }),
		db.Col("low", func(r *Row) any { return &r.Low }),
		db.Derived("updated_at", func(*Row) any { return int64(0) }).Now(),
	)
)

// movementTable is a row of the ledger for reading; insertMovements writes the rows of one operation, which have most
// columns in common.
var movementTable = db.NewTable("movements",
	db.Col("id", func(m *Movement) any { return &m.ID }),
	db.Col("sku", func(m *Movement) any { return &m.SKU }),
	db.Col("warehouse_code", func(m *Movement) any { return &m.Warehouse }),
	db.Col("cause", func(m *Movement) any { return &m.Cause }),
	db.Col("delta", func(m *Movement) any { return &m.Delta }),
	db.Col("balance", func(m *Movement) any { return &m.Balance }),
	db.Col("reference_type", func(m *Movement) any { return &m.ReferenceType }),
	db.Col("reference_id", func(m *Movement) any { return &m.ReferenceID }),
	db.Col("note", func(m *Movement) any { return &m.Note }),
	db.Col("actor", func(m *Movement) any { return &m.Actor }),
	db.Col("created_at", func(m *Movement) any { return &m.At }),
)

var warehouseTable = db.NewTable("warehouses",
	db.Col("id", func(w *Warehouse) any { return &w.ID }).Fixed(),
	db.Col("code", func(w *Warehouse) any { return &w.Code }).Fixed(),
	db.Col("name", func(w *Warehouse) any { return &w.Name }),
	db.Col("is_default", func(w *Warehouse) any { return &w.Default }),
	db.Col("address", func(w *Warehouse) any { return &w.Address }).Null(),
	db.Col("created_at", func(w *Warehouse) any { return &w.CreatedAt }).Fixed(),
).Of("warehouse")
