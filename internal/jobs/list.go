package jobs

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Filter selects the jobs of a list, and the page; empty members select all.
type Filter struct {
	Channel  id.Channel
	Types    []Type
	Statuses []Status
	From, To int64  // bounds of createdAt in microseconds, both included
	After    id.Job // the last job of the page before
	Limit    int
}

// List reads a page of jobs, newest first, and whether more follow.
func List(tx *db.Tx, f Filter) (list []Job, more bool, err error) {
	w := db.NewWhere(tx, "j")
	if f.Channel != "" {
		w.And("j.channel_id = ?::UUID", f.Channel)
	}
	andOneOf(w, "j.type", f.Types)
	andOneOf(w, "j.status", f.Statuses)
	db.AndGiven(w, "j.created_at >= ?", f.From)
	db.AndGiven(w, "j.created_at <= ?", f.To)
	if f.After != "" {
		w.And("j.id < ?::UUID", f.After)
	}
	list, err = read(tx, "WHERE "+w.String()+" ORDER BY j.id DESC LIMIT "+w.Bind(f.Limit+1)+"::BIGINT", w.Args()...)
	if more = len(list) > f.Limit; more {
		list = list[:f.Limit]
	}
	return list, more, err
}

// ByIDs reads some jobs; unknown ones are left out.
func ByIDs(tx *db.Tx, ids []id.Job) ([]Job, error) {
	w := db.AndIn(db.NewWhere(tx, "j"), "j.id", ids)
	return read(tx, "WHERE "+w.String(), w.Args()...)
}

// andOneOf adds the condition that a column is one of some words; without words, none.
func andOneOf[T ~string](w *db.Where, column string, words []T) {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = string(word)
	}
	if len(texts) > 0 {
		db.AndIn(w, column, texts)
	}
}

// CountFailed counts the jobs that failed since a time, in microseconds.
func CountFailed(tx *db.Tx, from int64) (n int64, err error) {
	return n, tx.Row("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND completed_at >= $2 AND status = 'FAILED'", []any{tx.Tenant, from}, &n)
}
