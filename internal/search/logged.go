package search

import (
	"bytes"
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

// InLog returns the condition for events e of new records, after the condition on the account. It repeats the condition
// of the partial index, without which SQLite's planner does not use it.
func (k Kind) InLog() string {
	return " AND e.event = '" + sources[k].event + "' AND e.event <> 'product.updated' AND e.event <> 'stock.updated'" +
		" AND e.event <> 'product.created' AND e.event <> 'product.deleted' AND e.endpoint_id IS NULL"
}

// prefetchLogged prefetches the new records that blocks may not include, in the order of the log.
func prefetchLogged(tx *db.Tx, kind Kind) *db.Pending[[]string] {
	if !kind.follows() {
		return nil
	}
	p := new(db.Pending[[]string])
	return p.Await(tx.Prefetch(func(r db.Rows) error {
		var record string
		err := r.Scan(&record)
		p.Value = append(p.Value, record)
		return err
	}, "SELECT e.resource_id FROM events e WHERE e.tenant_id = $1"+kind.InLog()+" AND e.stamp > "+Blocks[kind].UntilOf("$1")+
		" ORDER BY e.stamp", tx.Tenant))
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

// packLogged packs the new records whose events are between two stamps.
func packLogged(tx *db.Tx, kind Kind, from, to int64) error {
	ids, err := db.List(tx, func(r db.Rows) (record string, err error) { return record, r.Scan(&record) },
		"SELECT e.resource_id FROM events e WHERE e.tenant_id = $1"+kind.InLog()+" AND e.stamp > $2 AND e.stamp <= $3", tx.Tenant, from, to)
	if err != nil {
		return err
	}
	var docs []looseRow
	err = eachRecord(tx, kind, ids, func(e entry) error {
		docs = append(docs, looseRow{entry: e})
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(docs, func(a, b looseRow) int { return bytes.Compare(a.id[:], b.id[:]) })
	docs = slices.CompactFunc(docs, func(a, b looseRow) bool { return a.id == b.id })
	_, err = place(tx, kind, docs, len(docs))
	return err
}
