package commerce_test

import (
	"fmt"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// Product lists read few rows, for each filter and sort.
func TestProductListsKeepToTheirIndex(t *testing.T) {
	onEach(t, func(m *many) {
		for i, statuses := range [][]catalog.Status{nil, {catalog.Archived}, {catalog.DraftStatus, catalog.Archived}, {catalog.Active}} {
			for j, category := range []string{"", m.whole[0], m.big[0], m.small[0]} {
				for k, channel := range []string{"", m.whole[1], m.big[1], m.small[1]} {
					for l, term := range []string{"", "hing 0001", "hing 0", "hi", "no such thing"} {
						for n, sort := range catalog.Sorts {
							way := (i + j + k + l + n) % 4 // so that each way meets each combination of any four of the five
							m.products(catalog.Filter{Statuses: statuses, Category: id.Category(category), Channel: id.Channel(channel), Search: term,
								Sort: sort, Descending: way%2 > 0, Limit: 7, Offset: way / 2 * 5})
						}
					}
				}
			}
		}
	})
}

// A list by name or price reads few rows although a product has changed since its sorts were brought up to date: PostgreSQL plans without
// looking at the arguments.
func TestListsBesideAChange(t *testing.T) {
	onEach(t, func(m *many) {
		if m.store.Engine() == "sqlite" {
			return // TestProductListsKeepToTheirIndex looks at its plans
		}
		m.sorts()
		m.write(func(tx *db.Tx) error {
			tx.Change("UPDATE products SET changed_at = 3000000 WHERE tenant_id = $1 AND id = $2", tx.Tenant, m.sample[50].id)
			return nil
		})
		dbtest.Analyse(m.t, m.store, m.tenant)
		active := []catalog.Status{catalog.Active}
		for _, f := range []catalog.Filter{{Sort: catalog.ByName, Limit: 7}, {Sort: catalog.ByPrice, Limit: 7, Statuses: active}} {
			err := m.store.Read(m.t.Context(), m.tenant, func(tx *db.Tx) error {
				rows := func() (n int64) {
					err := tx.Row(`SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::BIGINT FROM pg_stat_xact_user_tables
						WHERE relname IN ('products', 'product_sorts')`, nil, &n)
					if err != nil {
						m.t.Fatal(err)
					}
					return n
				}
				before := rows()
				_, _, err := catalog.Page(tx, f)
				if read := rows() - before; read > 100 {
					m.t.Errorf("%+v: %d rows read", f, read)
				}
				return err
			})
			if err != nil {
				m.t.Fatal(err)
			}
		}
	})
}

// products reads a page of a list, and wants that it reads few rows for the products that fit.
func (m *many) products(f catalog.Filter) {
	m.t.Helper()
	var total int64
	err := m.store.Read(m.t.Context(), m.tenant, func(tx *db.Tx) (err error) {
		_, total, err = catalog.Page(tx, f)
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
	name := fmt.Sprintf("%v category %.1q channel %.1q search %q by %s descending %v from %d", f.Statuses, f.Category, f.Channel, f.Search,
		f.Sort, f.Descending, f.Offset)
	fewest, members := int64(plenty), int64(0) // of what chooses the products
	for _, of := range []string{string(f.Category), string(f.Channel)} {
		if of != "" && (f.Search != "" || len(m.members[of]) < len(m.sample)) { // what has every product selects nothing
			fewest = min(fewest, int64(len(m.members[of])))
			members += int64(len(m.members[of]))
		}
	}
	walked := int64(f.Limit+f.Offset) * plenty / max(1, total)
	most := 100 + 3*walked
	if members > 0 { // counted one by one
		most += 8*fewest + members // each membership may be read whole, into a hash
	}
	most = max(most, 100+6*total)
	if f.Sort == catalog.ByName || f.Sort == catalog.ByPrice {
		most += 8 * late // as they are, and as they are sorted
	}
	m.reads(name, most, func(tx *db.Tx) error {
		_, _, err := catalog.Page(tx, f)
		return err
	})
}
