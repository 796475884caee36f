package stock

import (
	"errors"

	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// MainWarehouse is the code of the default warehouse an account starts with.
const MainWarehouse = "MAIN"

// Warehouse is a place that holds stock (interface §2.7). Exactly one of an account is the default.
type Warehouse struct {
	ID        id.Warehouse
	Code      string
	Name      string
	Default   bool
	Address   string // free JSON, "" for none
	CreatedAt int64
}

const warehouseColumns = "id, code, name, is_default, address, created_at"

func scanWarehouse(r db.Rows) (w Warehouse, err error) {
	err = r.Scan(&w.ID, &w.Code, &w.Name, &w.Default, db.Opt(&w.Address), &w.CreatedAt)
	return w, err
}

// Warehouses reads a page of them, oldest first, and how many there are.
func Warehouses(tx *db.Tx, limit, offset int) (list []Warehouse, total int64, err error) {
	if err := tx.Row("SELECT count(*) FROM warehouses WHERE tenant_id = $1", []any{tx.Tenant}, &total); err != nil {
		return nil, 0, err
	}
	list, err = db.List(tx, scanWarehouse, "SELECT "+warehouseColumns+" FROM warehouses WHERE tenant_id = $1 ORDER BY created_at, id LIMIT $2::BIGINT OFFSET $3::BIGINT",
		tx.Tenant, limit, offset)
	return list, total, err
}

// WarehouseByID reads one. Errors: NotFound.
func WarehouseByID(tx *db.Tx, warehouse id.Warehouse) (Warehouse, error) {
	list, err := db.List(tx, scanWarehouse, "SELECT "+warehouseColumns+" FROM warehouses WHERE tenant_id = $1 AND id = $2::UUID", tx.Tenant, warehouse)
	if err == nil && len(list) == 0 {
		err = apperr.Missing("warehouse")
	}
	if err != nil {
		return Warehouse{}, err
	}
	return list[0], nil
}

// HasWarehouse reports whether the account has a warehouse with that code.
func HasWarehouse(tx *db.Tx, code string) (bool, error) {
	err := tx.Row("SELECT code FROM warehouses WHERE tenant_id = $1 AND code = $2", []any{tx.Tenant, code}, &code)
	if errors.Is(err, db.ErrNoRow) {
		return false, nil
	}
	return err == nil, err
}

// DefaultWarehouse is the code of the account's default warehouse.
func DefaultWarehouse(tx *db.Tx) (string, error) {
	code := MainWarehouse
	err := tx.Row("SELECT code FROM warehouses WHERE tenant_id = $1 AND is_default = TRUE", []any{tx.Tenant}, &code)
	if errors.Is(err, db.ErrNoRow) {
		err = nil
	}
	return code, err
}

// CodeTaken is the 409 for a code that another warehouse has.
func CodeTaken(code string) error {
	return apperr.New(apperr.Conflict, "conflict", "another warehouse has the code %s", code)
}

// Insert writes a new warehouse, as the default one in place of the other if it says so.
func (w Warehouse) Insert(tx *db.Tx) {
	if w.Default {
		dethrone(tx)
	}
	tx.Change("INSERT INTO warehouses (tenant_id, "+warehouseColumns+") VALUES ($1,$2,$3,$4,$5,$6,$7)",
		tx.Tenant, w.ID, w.Code, w.Name, w.Default, db.Null(w.Address), w.CreatedAt).Unique(CodeTaken(w.Code))
}

// Save writes what may change of a warehouse; becoming the default ends that of the other. A warehouse that is gone or is not as it
// was read makes the transaction run again: it is not locked when it is read, because writers of stock meet warehouses after the
// account's change clock.
func (w Warehouse) Save(tx *db.Tx, before Warehouse) {
	if w.Default && !before.Default {
		dethrone(tx)
	}
	tx.Change(`UPDATE warehouses SET name = $3, is_default = $4, address = $5
		WHERE tenant_id = $1 AND id = $2::UUID AND is_default = $6 AND name = $7 AND coalesce(address, '') = $8`,
		tx.Tenant, w.ID, w.Name, w.Default, db.Null(w.Address), before.Default, before.Name, before.Address).Rows(1, nil)
}

func dethrone(tx *db.Tx) {
	tx.Change("UPDATE warehouses SET is_default = FALSE WHERE tenant_id = $1 AND is_default = TRUE", tx.Tenant).Rows(1, nil)
}

// insertWarehouse makes a warehouse of which only the code is known.
func insertWarehouse(tx *db.Tx, code string) {
	tx.Change("INSERT INTO warehouses (tenant_id, id, code, name, is_default, created_at) VALUES ($1,$2,$3,$3,FALSE,$4) ON CONFLICT (tenant_id, code) DO NOTHING",
		tx.Tenant, id.New[id.Warehouse](), code, tx.Micros())
}

// Delete takes a warehouse away with its levels, all of which are empty. Errors: Conflict while it is the default, holds
// stock, or something is reserved in it.
func (w Warehouse) Delete(tx *db.Tx) error {
	if w.Default {
		return apperr.New(apperr.Conflict, "conflict", "%s is the default warehouse, make another one the default first", w.Code)
	}
	var held int64
	err := tx.Row("SELECT count(*) FROM stock_levels WHERE tenant_id = $1 AND warehouse_code = $2 AND (reserved <> 0 OR on_hand <> 0 AND deleted_at IS NULL)", []any{tx.Tenant, w.Code}, &held)
	if err != nil {
		return err
	}
	if held > 0 {
		return apperr.New(apperr.Conflict, "conflict", "%s still holds stock, or something is reserved in it", w.Code)
	}
	empty, err := db.List(tx, scanLevel, "SELECT "+levelColumns+" FROM stock_levels WHERE tenant_id = $1 AND warehouse_code = $2 AND deleted_at IS NULL ORDER BY sku", tx.Tenant, w.Code)
	if err != nil {
		return err
	}
	bury(tx, empty, Why{})
	tx.Change(`DELETE FROM warehouses WHERE tenant_id = $1 AND id = $2::UUID AND is_default = FALSE
		AND NOT EXISTS (SELECT 1 FROM stock_levels l WHERE l.tenant_id = $1 AND l.warehouse_code = $3 AND (l.reserved <> 0 OR l.deleted_at IS NULL))`,
		tx.Tenant, w.ID, w.Code).Rows(1, nil)
	return nil
}
