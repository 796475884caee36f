package jobs

import (
	"cmp"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
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

// List reads a page of jobs, newest first, and whether more follow. However few jobs match, it finds them in the
// order of an index: it reads a page of each part of the filter.
func List(tx *db.Tx, f Filter) (list []Job, more bool, err error) {
	for _, part := range f.parts() {
		w := db.NewWhere(tx, "j")
		part.conditions(w)
		w.And("j." + isShown)
		found, err := read(tx, "WHERE "+w.String()+" ORDER BY j.id DESC LIMIT "+w.Bind(f.Limit+1)+"::BIGINT", w.Args()...)
		if err != nil {
			return nil, false, err
		}
		list = append(list, found...)
	}
	slices.SortFunc(list, func(a, b Job) int { return cmp.Compare(b.ID, a.ID) })
	if more = len(list) > f.Limit; more {
		list = list[:f.Limit]
	}
	return list, more, nil
}

// parts are filters that share no job: one for each status, unless most jobs may have one of them; otherwise one for
// the channel, or one for each type.
func (f Filter) parts() (list []Filter) {
	statuses, types := slices.Compact(slices.Sorted(slices.Values(f.Statuses))), slices.Compact(slices.Sorted(slices.Values(f.Types)))
	switch only := f.Channel == "" && len(types) == 0; {
	case f.byStatus(), only && len(statuses) > 0:
		for _, s := range statuses {
			part := f
			part.Statuses = []Status{s}
			list = append(list, part)
		}
	case f.Channel == "" && len(types) > 0:
		for _, t := range types {
			part := f
			part.Types = []Type{t}
			list = append(list, part)
		}
	default:
		list = []Filter{f}
	}
	return list
}

// byStatus reports whether the statuses of a filter leave out most jobs.
func (f Filter) byStatus() bool {
	return len(f.Statuses) > 0 && !slices.Contains(f.Statuses, Completed)
}

// conditions adds the conditions of a part of a filter. Where SQLite's planner would prefer another index to the one
// that selects more, the other condition is hidden from it.
func (f Filter) conditions(w *db.Where) {
	if f.Channel != "" && f.byStatus() {
		w.And("NOT (j.channel_id <> ?::UUID)", f.Channel)
	} else if f.Channel != "" {
		w.And("j.channel_id = ?::UUID", f.Channel)
	}
	if f.byStatus() || f.Channel != "" {
		andOneOf(w, "j.type || ''", f.Types)
	} else {
		andOneOf(w, "j.type", f.Types)
	}
	if len(f.Statuses) == 1 {
		switch f.Statuses[0] {
		case Pending, Processing:
			w.And("j.due_at IS NOT NULL")
		default:
			w.And("j.completed_at IS NOT NULL")
		}
	}
	if f.byStatus() || f.Channel == "" && len(f.Types) == 0 {
		andOneOf(w, "j.status", f.Statuses)
	} else {
		andOneOf(w, "j.status || ''", f.Statuses)
	}
	db.AndWithin[id.Job](w, "j.", f.From, f.To)
	if f.After != "" {
		w.And("j.id < ?::UUID", f.After)
	}
}

// ByIDs reads some jobs; unknown ones are left out.
func ByIDs(tx *db.Tx, ids []id.Job) ([]Job, error) {
	w := db.AndIn(db.NewWhere(tx, "j").And("j."+isShown), "j.id", ids)
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
