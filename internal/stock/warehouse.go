package stock

import (
	"errors"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// MainWarehouse is the code of the default warehouse an account starts with.
const MainWarehouse = "MAIN"

// Warehouse is a place that holds stock (interface §2.7.8). Exactly one of an account is the default.
type Warehouse struct {
	ID        id.Warehouse
	Code      string
	Name      string
	Default   bool
	Address   string // free JSON, "" for none
	CreatedAt int64
}

// Warehouses reads a page of them, oldest first, and how many there are.
func Warehouses(tx *db.Tx, limit, offset int) ([]Warehouse, int64, error) {
	return warehouseTable.Page(tx, db.NewWhere(tx, ""), "created_at, id", limit, offset)
}

// WarehouseByID reads one warehouse. Errors: NotFound.
func WarehouseByID(tx *db.Tx, warehouse id.Warehouse) (Warehouse, error) {
	return warehouseTable.One(tx, db.NoLock, "id = $2::UUID", warehouse)
}

// HasWarehouse reports whether the account has a warehouse with that code.
func HasWarehouse(r db.Reader, code string) (bool, error) {
	err := r.Row("SELECT code FROM warehouses WHERE tenant_id = $1 AND code = $2", []any{r.TenantID(), code}, &code)
	if errors.Is(err, db.ErrNoRow) {
		return false, nil
	}
	return err == nil, err
}

// defaultWarehouse returns the code of the account's default warehouse.
func defaultWarehouse(r db.Reader) (string, error) {
	code := MainWarehouse
	err := r.Row("SELECT code FROM warehouses WHERE tenant_id = $1 AND is_default = TRUE", []any{r.TenantID()}, &code)
	if errors.Is(err, db.ErrNoRow) {
		err = nil
	}
	return code, err
}

// CodeTaken is the 409 for a code that another warehouse has.
func CodeTaken(code string) error {
	return apperr.New(apperr.Conflict, "conflict", "another warehouse has the code %s", code)
}

// Insert writes a new warehouse; if it is the default, the old one no longer is.
func (w Warehouse) Insert(tx db.Writer) {
	if w.Default {
		unsetDefault(tx)
	}
	warehouseTable.InsertBehind(tx, w).Unique(CodeTaken(w.Code))
	forgetThresholds(tx, w.Code)
}

// Save writes the changed fields of a warehouse; if it becomes the default, the old one no longer is. If the warehouse
// was deleted or changed since it was read, the transaction runs again: it is not locked when it is read, because
// writers of stock lock warehouses after the account's change clock.
func (w Warehouse) Save(tx db.Writer, before Warehouse) {
	if w.Default && !before.Default {
		unsetDefault(tx)
	}
	warehouseTable.UpdateBehind(tx, &w, "id = $2::UUID AND is_default = $3 AND name = $4 AND coalesce(address, '') = $5",
		w.ID, before.Default, before.Name, before.Address).Rows(1, nil)
}

func unsetDefault(tx db.Writer) {
	tx.Change("UPDATE warehouses SET is_default = FALSE WHERE tenant_id = $1 AND is_default = TRUE", tx.TenantID()).Rows(1, nil)
}

// insertWarehouse creates a warehouse with nothing but a code, unless it was created meanwhile.
func insertWarehouse(tx db.Writer, code string) {
	warehouseTable.InsertBehind(tx, Warehouse{ID: id.New[id.Warehouse](), Code: code, Name: code, CreatedAt: tx.Micros()}).OrNothing()
	forgetThresholds(tx, code)
}

// MayBeDeleted is nil for a warehouse whose levels are all empty. Errors: Conflict if it is the default, has stock, or something is
// reserved in it.
func (w Warehouse) MayBeDeleted(tx *db.Tx) error {
	if w.Default {
		return apperr.New(apperr.Conflict, "conflict", "%s is the default warehouse, make another one the default first", w.Code)
	}
	var held int64
	err := tx.Row("SELECT CASE WHEN "+holds("on_hand <> 0 OR reserved <> 0")+" THEN 1 ELSE 0 END", []any{tx.Tenant, w.Code}, &held)
	if err != nil {
		return err
	}
	if held > 0 {
		return apperr.New(apperr.Conflict, "conflict", "%s still holds stock, or something is reserved in it", w.Code)
	}
	return nil
}

// HasMore reports whether the warehouse has more than n levels.
func (w Warehouse) HasMore(tx *db.Tx, n int) (bool, error) {
	return db.MoreThan(tx, n, "stock_levels WHERE tenant_id = $1 AND warehouse_code = $2 AND deleted_at IS NULL", w.Code)
}

// RemoveEmpty removes at most limit levels of the warehouse that are empty, in the order of their SKUs behind one of them, and returns the
// last; "" if there are none left. Thresholds other than 0 are kept: see RestoreLevels.
func (w Warehouse) RemoveEmpty(tx *db.Tx, after string, limit int) (last string, err error) {
	rows, err := levelTable.All(tx, `AND warehouse_code = $2 AND deleted_at IS NULL AND on_hand = 0 AND reserved = 0
		AND sku > $3 ORDER BY sku LIMIT $4::BIGINT`, w.Code, after, limit)
	if err != nil || len(rows) == 0 {
		return "", err
	}
	remove(tx, levelsOfRows(rows), Why{}, true)
	return rows[len(rows)-1].SKU, nil
}

func levelsOfRows(rows []Row) []Level {
	list := make([]Level, len(rows))
	for i := range rows {
		list[i] = rows[i].Level
	}
	return list
}

// Delete deletes a warehouse with its levels, all of which are empty. Errors: those of MayBeDeleted.
func (w Warehouse) Delete(tx *db.Tx) error {
	if err := w.MayBeDeleted(tx); err != nil {
		return err
	}
	rows, err := levelTable.All(tx, "AND warehouse_code = $2 AND deleted_at IS NULL ORDER BY sku", w.Code)
	if err != nil {
		return err
	}
	remove(tx, levelsOfRows(rows), Why{}, false)
	tx.Change(`DELETE FROM warehouses WHERE tenant_id = $1 AND id = $3::UUID AND is_default = FALSE
		AND NOT (`+holds("TRUE")+")", tx.Tenant, w.Code, w.ID).Rows(1, nil)
	return nil
}

// holds returns the condition that a warehouse, $2, has a level that fulfils a condition, or a deleted one with
// reservations. Living and deleted levels have an index each; the order keeps PostgreSQL from reading all levels, as it
// would for an unknown warehouse.
func holds(condition string) string {
	const first = "(SELECT sku FROM stock_levels WHERE tenant_id = $1 AND warehouse_code = $2 AND "
	return first + "deleted_at IS NULL AND (" + condition + ") ORDER BY sku LIMIT 1) IS NOT NULL OR " +
		first + "deleted_at > 0 AND reserved <> 0 ORDER BY deleted_at LIMIT 1) IS NOT NULL"
}
