package accounts

import (
	"encoding/json"
	"errors"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Account is one merchant account (tenant). Times are microseconds since 1970 UTC.
type Account struct {
	Tenant    id.Tenant
	ID        id.Account
	Name      string
	Plan      Plan
	Currency  string // ISO 4217, of product prices (interface §2)
	Settings  Settings
	Sandbox   bool
	CreatedAt int64
	UpdatedAt int64
}

// Settings are the account's own settings (interface §4.5.10).
type Settings struct {
	StrictWarehouses bool   `json:"strictWarehouses"`
	TimeZone         string `json:"timeZone,omitempty"` // its name, "" for UTC; the dashboard's days are in it
	Locale           string `json:"locale,omitempty"`   // the dashboard's format of numbers and dates, "" for the browser's
}

// Insert gives an account its number, sets the transaction's tenant to it, and writes the rows that every account
// needs: its change clock, its order numbers and the warehouse MAIN. Call it in a transaction across accounts.
func (a *Account) Insert(tx *db.Tx) error {
	if err := tx.Row("SELECT coalesce(max(tenant_id), 0) + 1 FROM tenants", nil, &a.Tenant); err != nil {
		return err
	}
	tx.Tenant = a.Tenant
	a.CreatedAt, a.UpdatedAt = tx.Micros(), tx.Micros()
	accountTable.Insert(tx, *a)
	tx.Queue("INSERT INTO change_clocks (tenant_id, base, last) VALUES ($1, 0, 0)", a.Tenant)
	tx.Queue("INSERT INTO order_numbers (tenant_id, next) VALUES ($1, 1)", a.Tenant)
	tx.Queue("INSERT INTO warehouses (tenant_id, id, code, name, is_default, created_at) VALUES ($1,$2,'MAIN','Main warehouse',TRUE,$3)",
		a.Tenant, id.New[id.Warehouse](), a.CreatedAt)
	return nil
}

// Own reads the transaction's account. Errors: NotFound.
func Own(tx *db.Tx) (Account, error) { return accountTable.One(tx, db.NoLock, "TRUE") }

// LockOwn reads the transaction's account and locks it until the commit. Errors: NotFound.
func LockOwn(tx *db.Tx) (Account, error) { return accountTable.One(tx, db.ForUpdate, "TRUE") }

// Save writes the changed fields of a locked account.
func (a *Account) Save(tx db.Writer) {
	a.UpdatedAt = tx.Micros()
	accountTable.Update(tx, a, "id = $2::UUID", a.ID).Rows(1, nil)
}

func (s Settings) text() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // plain members always encode
	}
	return string(text)
}

func parseSettings(text string) (s Settings, err error) {
	if text == "{}" {
		return s, nil
	}
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return s, errors.New("the account's settings are damaged: " + err.Error())
	}
	return s, nil
}
