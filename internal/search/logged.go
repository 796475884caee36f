package search

import (
	"bytes"
	"context"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Writes of new orders and customers store no text for searches, because the event log has one event for each, in the
// order of commits. So the blocks include the log up to a stamp, and a search reads the later records itself
// (decision 11).

// source is, for a kind, the event that the log has for each new record, and the SQL that reads records: id, sort
// value of the lists, and text.
type source struct{ event, records string }

var sources = map[Kind]source{
	Orders: {"order.received", "SELECT id, created_at, search FROM orders WHERE tenant_id = $1 AND id IN "},
	Customers: {"customer.created",
		"SELECT id, CASE WHEN merged_into IS NULL THEN 0 ELSE 1 END, search FROM customers WHERE tenant_id = $1 AND id IN "},
}

// follows reports whether new records of a kind are found in the log.
func (k Kind) follows() bool { return sources[k].event != "" }

// InLog is the condition for events e of new records, after the condition on the account. It repeats the condition of
// the partial index, without which SQLite's planner does not use it.
func (k Kind) InLog() string { return inLog(sources[k].event) }

func inLog(event string) string {
	return " AND e.event = '" + event + "' AND e.event <> 'product.updated' AND e.event <> 'stock.updated'" +
		" AND e.event <> 'product.created' AND e.event <> 'product.deleted' AND e.endpoint_id IS NULL"
}

// behind is the condition for events e that the blocks of a kind do not include. So that PostgreSQL uses the stamp as
// a bound of the index, the account is not taken from the event, and the default 0 is inside the subquery (row-level
// security allows no COALESCE there).
func (k Kind) behind(account string) string {
	return k.InLog() + " AND e.stamp > (SELECT coalesce(max(u.stamp), 0) FROM search_until u WHERE u.tenant_id = " + account +
		" AND u.kind = '" + string(k) + "')"
}

// Logged are new records of the log.
type Logged struct {
	IDs  []string
	Last int64 // the stamp of the last one
}

// prefetchLogged prefetches those that blocks may not include in the order of the log, at most limit of them.
func prefetchLogged(tx *db.Tx, kind Kind, limit int) *db.Pending[Logged] {
	if !kind.follows() {
		return nil
	}
	return prefetchEvents(tx, kind.behind("$1"), limit)
}

// PrefetchLogged prefetches the records of orders or customers that were new after a stamp, in the order of the log, at most limit of them.
func PrefetchLogged(tx *db.Tx, kind Kind, after int64, limit int) *db.Pending[Logged] {
	return prefetchEvents(tx, kind.InLog()+" AND e.stamp > $3", limit, after)
}

// prefetchEvents prefetches what events are about; the first argument of more is $3.
func prefetchEvents(tx *db.Tx, condition string, limit int, more ...any) *db.Pending[Logged] {
	p := new(db.Pending[Logged])
	return p.Await(tx.Prefetch(func(r db.Rows) error {
		var record string
		err := r.Scan(&record, &p.Value.Last)
		p.Value.IDs = append(p.Value.IDs, record)
		return err
	}, "SELECT e.resource_id, e.stamp FROM events e WHERE e.tenant_id = $1"+condition+" ORDER BY e.stamp LIMIT $2::BIGINT",
		append([]any{tx.Tenant, limit}, more...)...))
}

// eachRecord reads records as they are now, a piece at a time; deleted ones are left out.
func eachRecord(tx *db.Tx, kind Kind, ids []string, each func(entry) error) error {
	ids = slices.DeleteFunc(ids, func(text string) bool { _, isID := id.Parse[string](text); return !isID })
	return db.Chunks(ids, func(piece []string) error {
		w := db.NewWhere(tx, "")
		return tx.Each(func(r db.Rows) error {
			var record string
			var e entry
			if err := r.Scan(&record, &e.sort, &e.text); err != nil {
				return err
			}
			e.id, e.text = ParseID(record), oneLine.Replace(e.text)
			return each(e)
		}, sources[kind].records+db.BindAll(w, piece), w.Args()...)
	})
}

// packLogged packs the next new records of the log, unless there are fewer than least, and returns how many.
func packLogged(tx *db.Tx, kind Kind, least int) (int, error) {
	if err := tx.LockName(lockName); err != nil {
		return 0, err
	}
	next, err := prefetchLogged(tx, kind, packStep).Wait()
	n := len(next.IDs)
	if err != nil || n < max(1, least) {
		return 0, err
	}
	var docs []looseRow
	err = eachRecord(tx, kind, next.IDs, func(e entry) error {
		docs = append(docs, looseRow{entry: e})
		return nil
	})
	if err != nil {
		return 0, err
	}
	slices.SortFunc(docs, func(a, b looseRow) int { return bytes.Compare(a.id[:], b.id[:]) })
	docs = slices.CompactFunc(docs, func(a, b looseRow) bool { return a.id == b.id })
	if _, err := place(tx, kind, docs, len(docs)); err != nil {
		return 0, err
	}
	tx.Queue("INSERT INTO search_until (tenant_id, kind, stamp) VALUES ($1,$2,$3)"+
		" ON CONFLICT (tenant_id, kind) DO UPDATE SET stamp = excluded.stamp", tx.Tenant, string(kind), next.Last)
	return n, nil
}

// lotsLogged finds the accounts and kinds with enough new records in the log.
func lotsLogged(tx *db.Tx) (lots []lot, err error) {
	for _, kind := range Kinds {
		if !kind.follows() {
			continue
		}
		found, err := db.List(tx, func(r db.Rows) (t id.Tenant, err error) { return t, r.Scan(&t) },
			"SELECT t.tenant_id FROM tenants t WHERE EXISTS (SELECT 1 FROM events e WHERE e.tenant_id = t.tenant_id"+kind.behind("t.tenant_id")+
				" ORDER BY e.stamp LIMIT 1 OFFSET $1::BIGINT) ORDER BY t.tenant_id", newAt-1)
		if err != nil {
			return nil, err
		}
		for _, tenant := range found {
			lots = append(lots, lot{tenant, kind})
		}
	}
	return lots, nil
}

// PackBefore packs every new record whose event has an earlier stamp than the given one: these events may be deleted then.
func PackBefore(ctx context.Context, store *db.DB, tenant id.Tenant, stamp int64) error {
	for _, kind := range Kinds {
		for more := kind.follows(); more; {
			var oldest int64
			err := store.Read(ctx, tenant, func(tx *db.Tx) error {
				return tx.Row("SELECT coalesce(min(stamp), 0) FROM (SELECT e.stamp FROM events e WHERE e.tenant_id = $1"+kind.behind("$1")+
					" ORDER BY e.stamp LIMIT 1) AS oldest", []any{tx.Tenant}, &oldest)
			})
			if more = oldest > 0 && oldest < stamp; err == nil && more {
				err = writeWhile(ctx, store, lot{tenant, kind}, func(tx *db.Tx) (int, error) { return packLogged(tx, kind, 1) })
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
