package accounts

import (
	"encoding/json"
	"errors"

	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/id"
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

// Settings are an account's own choices (interface §4.5).
type Settings struct {
	StrictWarehouses bool `json:"strictWarehouses"`
}

// Insert gives an account its number, points the transaction at it, and writes the rows that everything of an account
// hangs on: its change clock, its order numbers and the warehouse MAIN. It is called in a transaction across accounts.
func (a *Account) Insert(tx *db.Tx) error {
	if err := tx.Row("SELECT coalesce(max(tenant_id), 0) + 1 FROM tenants", nil, &a.Tenant); err != nil {
		return err
	}
	tx.Tenant = a.Tenant
	a.CreatedAt, a.UpdatedAt = tx.Micros(), tx.Micros()
	tx.Queue(`INSERT INTO tenants (tenant_id, id, name, plan, currency, settings, sandbox, clock_offset, created_at, updated_at)
		VALUES ($1,$2,$3,$4,$5,$6,$7,0,$8,$8)`, a.Tenant, a.ID, a.Name, a.Plan, a.Currency, a.Settings.text(), a.Sandbox, a.CreatedAt)
	tx.Queue("INSERT INTO change_clocks (tenant_id, base, last) VALUES ($1, 0, 0)", a.Tenant)
	tx.Queue("INSERT INTO order_numbers (tenant_id, next) VALUES ($1, 1)", a.Tenant)
	tx.Queue("INSERT INTO warehouses (tenant_id, id, code, name, is_default, created_at) VALUES ($1,$2,'MAIN','Main warehouse',TRUE,$3)",
		a.Tenant, id.New[id.Warehouse](), a.CreatedAt)
	return nil
}

const accountColumns = "tenant_id, id, name, plan, currency, settings, sandbox, created_at, updated_at"

func scanAccount(r db.Rows) (Account, error) {
	var a Account
	var settings string
	err := r.Scan(&a.Tenant, &a.ID, &a.Name, &a.Plan, &a.Currency, &settings, &a.Sandbox, &a.CreatedAt, &a.UpdatedAt)
	if err != nil {
		return a, err
	}
	a.Settings, err = parseSettings(settings)
	return a, err
}

// Own reads the transaction's account.
func Own(tx *db.Tx) (Account, error) { return ownAccount(tx, "") }

// LockOwn reads the transaction's account and holds it until the commit.
func LockOwn(tx *db.Tx) (Account, error) { return ownAccount(tx, " FOR UPDATE") }

func ownAccount(tx *db.Tx, lock string) (Account, error) {
	return oneOf(tx, "account", scanAccount, "SELECT "+accountColumns+" FROM tenants WHERE tenant_id = $1"+lock, tx.Tenant)
}

// oneOf reads the only row of a query. Errors: NotFound.
func oneOf[T any](tx *db.Tx, noun string, scan func(db.Rows) (T, error), sql string, args ...any) (v T, err error) {
	list, err := db.List(tx, scan, sql, args...)
	if err == nil && len(list) == 0 {
		err = apperr.Missing(noun)
	}
	if err != nil {
		return v, err
	}
	return list[0], nil
}

// Save writes what may change of an account.
func (a *Account) Save(tx *db.Tx) {
	a.UpdatedAt = tx.Micros()
	tx.Queue("UPDATE tenants SET name = $2, plan = $3, currency = $4, settings = $5, updated_at = $6 WHERE tenant_id = $1",
		tx.Tenant, a.Name, a.Plan, a.Currency, a.Settings.text(), a.UpdatedAt)
}

func (s Settings) text() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a struct of plain members
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
