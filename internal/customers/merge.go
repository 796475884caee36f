package customers

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
	"entrepot/internal/search"
)

// LockAll reads whole records and locks them for a change, in the order of their ids; unknown ones are left out.
func LockAll(tx *db.Tx, ids []id.Customer) ([]Customer, error) { return all(tx, db.ForUpdate, ids) }

// ReadAll is LockAll without locks.
func ReadAll(tx *db.Tx, ids []id.Customer) ([]Customer, error) { return all(tx, db.NoLock, ids) }

func all(tx *db.Tx, lock db.Lock, ids []id.Customer) ([]Customer, error) {
	ids = slices.Sorted(slices.Values(ids))
	var list []Customer
	for len(ids) > 0 {
		piece := ids[:min(256, len(ids))]
		ids = ids[len(piece):]
		args := db.Padded(piece)
		found, err := table.All(tx, "AND id IN "+db.In(len(args), 2)+" ORDER BY id"+string(lock), args...)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, load(tx, list)
}

// MergedInto returns the records that were merged into some others, directly or through another.
func MergedInto(tx *db.Tx, customers ...id.Customer) ([]id.Customer, error) {
	all := slices.Clone(customers)
	for next := 0; next < len(all); {
		piece := all[next:min(next+256, len(all))]
		next += len(piece)
		args := append([]any{tx.Tenant}, db.Padded(piece)...)
		found, err := db.List(tx, func(r db.Rows) (c id.Customer, err error) { return c, r.Scan(&c) },
			"SELECT id FROM customers WHERE tenant_id = $1 AND merged_into IN "+db.In(len(args)-1, 2), args...)
		if err != nil {
			return nil, err
		}
		slices.Sort(found)
		for _, c := range found {
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	return all[len(customers):], nil
}

// Absorb merges secondaries into this record, in memory: it adds their tags and totals.
func (c *Customer) Absorb(at int64, secondaries []Customer) {
	c.UpdatedAt = max(at, c.UpdatedAt+1)
	for _, s := range secondaries {
		c.Tags = Distinct(append(c.Tags, s.Tags...))
		c.OrdersCount += s.OrdersCount
		c.TotalSpent += s.TotalSpent
		if s.OrderCountry.At > c.OrderCountry.At {
			c.OrderCountry = s.OrderCountry
		}
	}
}

// SaveMerge writes the result of Absorb on locked records; before is the old state of the primary. Records merged into
// a secondary before are now merged into the primary. Orders, and what they add to the totals, are not changed here: see MoveTotals.
func SaveMerge(tx db.Writer, before, c *Customer, secondaries []Customer) {
	for _, s := range secondaries {
		tx.Queue(`UPDATE customers SET status = 'secondary', merged_into = $3::UUID, updated_at = $4
			WHERE tenant_id = $1 AND id = $2::UUID AND status = 'active'`, tx.TenantID(), s.ID, c.ID, max(tx.Micros(), s.UpdatedAt+1)).Rows(1, nil)
		moveMerged(tx, s.ID, c.ID)
		deleteTags(tx, s.ID)
		NoteChange(tx, s.ID)
		tx.Tally(counted, string(Active), -1)
		tx.Tally(counted, string(Secondary), 1)
		s.Status, s.MergedInto = Secondary, c.ID
		search.Put(tx, search.Customers, s.document())
	}
	Save(tx, before, c)
}

// MoveTotals moves what some orders add to the totals from one locked record to another locked one.
func MoveTotals(tx db.Writer, from, to id.Customer, orders int64, spent money.Amount) {
	Spend(tx, from, -orders, -spent)
	Spend(tx, to, orders, spent)
}

// LockMerged locks a record that was merged and the record that it is merged into now, and returns the latter.
func LockMerged(tx *db.Tx, secondary id.Customer) (into id.Customer, err error) {
	read := func() (into id.Customer, err error) {
		return into, tx.Row("SELECT merged_into FROM customers WHERE tenant_id = $1 AND id = $2::UUID", []any{tx.Tenant, secondary},
			db.Opt(&into))
	}
	if into, err = read(); err != nil {
		return "", err
	}
	if err := LockRows(tx, []id.Customer{secondary, into}); err != nil {
		return "", err
	}
	now, err := read()
	if err == nil && now != into {
		err = db.ErrRetry
	}
	return into, err
}

// moveMerged makes the records merged into one record merged into another.
func moveMerged(tx db.Writer, from, into id.Customer) {
	tx.Queue("UPDATE customers SET merged_into = $3::UUID WHERE tenant_id = $1 AND merged_into = $2::UUID", tx.TenantID(), from, into)
}

// ExchangeEmail gives the e-mail of a locked primary to one of its secondaries. The primary's row must be saved with
// the secondary's next; until that save no record has either e-mail as a key, because a key belongs to one record at
// any time.
func ExchangeEmail(tx *db.Tx, primary *Customer, secondary id.Customer) error {
	s, err := Lock(tx, secondary)
	if err != nil {
		return err
	}
	if s.MergedInto != primary.ID {
		return db.ErrRetry
	}
	tx.Queue("UPDATE customers SET email_key = $3 WHERE tenant_id = $1 AND id = $2::UUID",
		tx.Tenant, primary.ID, string(primary.ID)).Rows(1, nil)
	before := s.Copy()
	s.Email, s.UpdatedAt = primary.Email, max(tx.Micros(), s.UpdatedAt+1)
	Save(tx, before, s)
	return nil
}
