package jobs

import (
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// This file has the jobs of operations. An operation is one request's work, done in many short transactions, called
// steps, because one long transaction would delay other writers (decision 17). It is about one record, its subject,
// and there is at most one of a type for a subject. Its beginner does its steps; each step locks the job and
// postpones its due time by Interrupted. If the process dies or the caller goes away, the job becomes due, and a
// worker continues from its cursor. The last step deletes the job. No list shows operations.

// The types of operations. Each comment says what the subject is, and what is true already when the operation begins.
const (
	CustomerErasure Type = "customer_erasure" // a customer, whose record is empty already; orders and texts follow
	CustomerMerge   Type = "customer_merge"   // a customer that is merged into another already; its orders follow
	ChannelDeletion Type = "channel_deletion" // a channel, whose row is deleted already; what belongs to it follows
	// a category; products and categories that waited for it are linked to it
	CategoryArrival Type = "category_arrival"
	// a category that is a tombstone already; its children and products leave it
	CategoryDeletion Type = "category_deletion"
	CategoryRenaming Type = "category_renaming" // a category; its children still have its earlier externalId
	WarehouseEmptied Type = "warehouse_emptied" // a warehouse; the cursor is its code once it is deleted, "" before

	// The subject is a channel, and something is done to all of its items, in the order of their SKUs.
	ItemsForgotten Type = "items_forgotten" // the channel names another shop already
	ItemsDue       Type = "items_due"       // the channel has other rules for stock and prices already
	ItemsLookedAt  Type = "items_looked_at" // the daily comparison with the platform has begun
)

// Operations lists the types of operations.
var Operations = []Type{CustomerErasure, CustomerMerge, ChannelDeletion, CategoryArrival, CategoryDeletion, CategoryRenaming,
	WarehouseEmptied, ItemsForgotten, ItemsDue, ItemsLookedAt}

// Interrupted is the time without a step after which an operation counts as interrupted.
const Interrupted = 10 * time.Second

// Conditions on the rows of jobs: operations, and all other jobs.
const (
	isOperation = "j.subject IS NOT NULL"
	isShown     = "subject IS NULL"
)

// Begin stores that an operation has begun. If it has begun already, the transaction runs again.
func Begin(tx db.Writer, kind Type, subject, input string) {
	begin(tx, kind, subject, input).Rows(1, nil)
}

// BeginOrGoOn is Begin for an operation that may have begun already; then it goes on from its cursor.
func BeginOrGoOn(tx db.Writer, kind Type, subject string) { begin(tx, kind, subject, "{}").OrNothing() }

// BeginAnew is Begin for an operation that may have begun already; then it starts from its first record again.
func BeginAnew(tx db.Writer, kind Type, subject string) {
	step := begin(tx, kind, subject, "{}")
	step.SQL += " ON CONFLICT (tenant_id, type, subject) WHERE subject IS NOT NULL DO UPDATE SET cursor = '', due_at = excluded.due_at"
}

func begin(tx db.Writer, kind Type, subject, input string) *db.Step {
	return table.InsertOne(tx, Job{ID: id.At[id.Job](tx.Micros()), Type: kind, Subject: id.Record(subject), Status: Pending, Errors: "[]", Input: input,
		DueAt: tx.Now().Add(Interrupted).UnixMicro(), CreatedAt: tx.Micros()})
}

// Operation reads an operation with its input and its cursor; nil if it has not begun, or has ended.
func Operation(tx *db.Tx, kind Type, subject string) (*Job, error) {
	return operation(tx, kind, subject, db.NoLock)
}

// LockOperation is Operation, and locks the job until the transaction ends: steps follow one another.
func LockOperation(tx *db.Tx, kind Type, subject string) (*Job, error) {
	return operation(tx, kind, subject, db.ForUpdate)
}

func operation(tx *db.Tx, kind Type, subject string, lock db.Lock) (*Job, error) {
	list, err := db.List(tx, func(r db.Rows) (Job, error) {
		j := Job{Tenant: tx.Tenant, Type: kind, Subject: id.Record(subject)}
		return j, r.Scan(&j.ID, &j.Input, &j.Cursor)
	}, "SELECT id, input, cursor FROM jobs WHERE tenant_id = $1 AND type = $2 AND subject = $3::UUID"+string(lock), tx.Tenant, string(kind),
		subject)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// Subjects returns the subjects of the account's operations of a type.
func Subjects[T ~string](tx *db.Tx, kind Type) ([]T, error) {
	return db.List(tx, func(r db.Rows) (T, error) {
		var subject string
		err := r.Scan(&subject)
		return T(subject), err
	},
		"SELECT subject FROM jobs WHERE tenant_id = $1 AND type = $2 AND subject IS NOT NULL", tx.Tenant, string(kind))
}

// StepDone stores the input and the cursor of a locked operation after a step, and puts off its due time.
func (j *Job) StepDone(tx db.Writer) {
	tx.Queue("UPDATE jobs SET input = $3, cursor = $4, due_at = $5 WHERE tenant_id = $1 AND id = $2::UUID", tx.TenantID(), j.ID, j.Input,
		j.Cursor, tx.Now().Add(Interrupted).UnixMicro()).Rows(1, nil)
}

// LastStepDone deletes a locked operation with its last step.
func (j *Job) LastStepDone(tx db.Writer) {
	tx.Queue("DELETE FROM jobs WHERE tenant_id = $1 AND id = $2::UUID", tx.TenantID(), j.ID).Rows(1, nil)
}
