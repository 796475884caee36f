// Package unfinished keeps the operations that are done in steps and have begun and not ended, so that any process can go on
// with them after a crash (decision 17).
package unfinished

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Kind says which operation it is, and what its subject is.
type Kind string

// The kinds.
const (
	ChannelDeletion  Kind = "channel deletion"  // of the channel with this id, whose row is deleted already
	CustomerMerge    Kind = "customer merge"    // of the record with this id, which is merged already, and has orders left
	CategoryArrival  Kind = "category arrival"  // of the category with this id, for which products wait
	CategoryDeletion Kind = "category deletion" // of the category with this id, which is a tombstone already, and has children or products
	CategoryRenaming Kind = "category renaming" // of the category with this id, whose children have its earlier externalId
	WarehouseEmptied Kind = "warehouse emptied" // of the warehouse with this id; its place is the code of one that is deleted, else ""

	// What is done to all items of the channel with this id, in the order of their SKUs.
	ItemsForgotten Kind = "items forgotten" // the channel names another shop already
	ItemsDue       Kind = "items due"       // its rules for stock and prices are others already
	ItemsLooked    Kind = "items looked at" // the daily look at the platform
)

// Operation is one that has begun and not ended.
type Operation struct {
	Tenant    id.Tenant
	Kind      Kind
	Subject   string // a UUID
	DoneTo    string // records up to this UUID are done; "" before the first
	Place     string // records up to this place are done, where they are in another order; "" before the first
	TouchedAt int64  // when the last step was done, in microseconds since 1970
}

var table = db.NewTable("unfinished",
	db.Col("tenant_id", func(o *Operation) any { return &o.Tenant }).ReadOnly(),
	db.Col("kind", func(o *Operation) any { return &o.Kind }).Fixed(),
	db.Col("subject", func(o *Operation) any { return &o.Subject }).Fixed(),
	db.Col("done_to", func(o *Operation) any { return &o.DoneTo }).Null(),
	db.Col("place", func(o *Operation) any { return &o.Place }),
	db.Col("touched_at", func(o *Operation) any { return &o.TouchedAt }),
)

const key = "kind = $2 AND subject = $3::UUID"

// Begin stores that an operation has begun.
func Begin(tx db.Writer, kind Kind, subject string) { begin(tx, kind, subject).Rows(1, nil) }

// BeginOrGoOn is Begin for an operation that may have begun already.
func BeginOrGoOn(tx db.Writer, kind Kind, subject string) { begin(tx, kind, subject).OrNothing() }

// BeginAnew is Begin for an operation that may have begun already, and is to be done from the first record again then.
func BeginAnew(tx db.Writer, kind Kind, subject string) {
	tx.Queue(`INSERT INTO unfinished (tenant_id, kind, subject, touched_at) VALUES ($1, $2, $3::UUID, $4)
		ON CONFLICT (tenant_id, kind, subject) DO UPDATE SET done_to = NULL, place = '', touched_at = excluded.touched_at`,
		tx.TenantID(), string(kind), subject, tx.Micros())
}

func begin(tx db.Writer, kind Kind, subject string) *db.Step {
	return table.InsertOne(tx, Operation{Kind: kind, Subject: subject, TouchedAt: tx.Micros()})
}

// Find reads an operation; nil if it has not begun, or has ended.
func Find(tx *db.Tx, kind Kind, subject string) (*Operation, error) {
	return find(tx, kind, subject, db.NoLock)
}

// Lock is Find, and locks the operation until the transaction ends: its steps are done one after the other.
func Lock(tx *db.Tx, kind Kind, subject string) (*Operation, error) {
	return find(tx, kind, subject, db.ForUpdate)
}

// Subjects are the subjects of the account's operations of a kind.
func Subjects[T ~string](tx *db.Tx, kind Kind) ([]T, error) {
	return db.List(tx, func(r db.Rows) (T, error) {
		var subject string
		err := r.Scan(&subject)
		return T(subject), err
	},
		"SELECT subject FROM unfinished WHERE tenant_id = $1 AND kind = $2", tx.Tenant, string(kind))
}

func find(tx *db.Tx, kind Kind, subject string, lock db.Lock) (*Operation, error) {
	list, err := table.All(tx, "AND "+key+string(lock), string(kind), subject)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// Save stores that a step of a locked operation is done.
func (o *Operation) Save(tx db.Writer) {
	o.TouchedAt = tx.Micros()
	table.Update(tx, o, key, string(o.Kind), o.Subject).Rows(1, nil)
}

// End deletes a locked operation with its last step.
func (o *Operation) End(tx db.Writer) {
	tx.Queue("DELETE FROM unfinished WHERE tenant_id = $1 AND "+key, tx.TenantID(), string(o.Kind), o.Subject).Rows(1, nil)
}

// Left are the operations of all accounts that nobody has continued since a time, in microseconds since 1970. It serves every tenant.
func Left(tx *db.Tx, since int64) ([]Operation, error) {
	return db.List(tx, table.Scanner(), table.Select("")+" WHERE touched_at < $1 ORDER BY touched_at", since)
}
