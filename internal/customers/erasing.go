package customers

import (
	"encoding/json"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Erasing is an erasure that has begun and not ended (interface §4.4): the record is erased, and other data of the person is
// erased in steps.
type Erasing struct {
	Tenant    id.Tenant
	Customer  id.Customer
	Names     []string // of the person, to be found in texts
	Resources []string // ids of what only the record and its events named, such as addresses
	DoneTo    id.Order // orders up to this id are done; "" before the first
	TouchedAt int64    // when the last step was done, in microseconds since 1970
}

var erasingTable = db.NewTable("erasures",
	db.Col("tenant_id", func(e *Erasing) any { return &e.Tenant }).ReadOnly(),
	db.Col("customer_id", func(e *Erasing) any { return &e.Customer }).Fixed(),
	db.Coded("names", func(e *Erasing) string { return listText(e.Names) },
		func(e *Erasing, text string) error { return json.Unmarshal([]byte(text), &e.Names) }),
	db.Coded("resources", func(e *Erasing) string { return listText(e.Resources) },
		func(e *Erasing, text string) error { return json.Unmarshal([]byte(text), &e.Resources) }),
	db.Col("done_to", func(e *Erasing) any { return &e.DoneTo }).Null(),
	db.Col("touched_at", func(e *Erasing) any { return &e.TouchedAt }),
)

func listText(list []string) string {
	b, err := json.Marshal(list)
	if err != nil {
		panic(err) // texts always encode
	}
	return string(b)
}

// ErasingOf reads a customer's erasure that has not ended; nil if there is none.
func ErasingOf(tx *db.Tx, customer id.Customer) (*Erasing, error) {
	return erasing(tx, db.NoLock, customer)
}

// LockErasing is ErasingOf, and locks the erasure until the transaction ends: its steps are done one after the other.
func LockErasing(tx *db.Tx, customer id.Customer) (*Erasing, error) {
	return erasing(tx, db.ForUpdate, customer)
}

func erasing(tx *db.Tx, lock db.Lock, customer id.Customer) (*Erasing, error) {
	list, err := erasingTable.All(tx, "AND customer_id = $2::UUID"+string(lock), customer)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// Begin stores an erasure that begins.
func (e *Erasing) Begin(tx db.Writer) {
	e.TouchedAt = tx.Micros()
	erasingTable.InsertOne(tx, *e).Rows(1, nil)
}

// Save stores that a step of a locked erasure is done.
func (e *Erasing) Save(tx db.Writer) {
	e.TouchedAt = tx.Micros()
	erasingTable.Update(tx, e, "customer_id = $2::UUID", e.Customer).Rows(1, nil)
}

// End deletes a locked erasure with its last step.
func (e *Erasing) End(tx db.Writer) {
	tx.Queue("DELETE FROM erasures WHERE tenant_id = $1 AND customer_id = $2::UUID", tx.TenantID(), e.Customer).Rows(1, nil)
}

// LeftErasings are the erasures of all accounts that nobody has continued since a time. It serves every tenant.
func LeftErasings(tx *db.Tx, since int64) ([]Erasing, error) {
	return db.List(tx, erasingTable.Scanner(), erasingTable.Select("")+" WHERE touched_at < $1 ORDER BY touched_at", since)
}
