package commerce_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// Product lists are what looking at every product gives, for each filter and sort, and read few rows for it.
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

// Product lists are exact on every page, those by name and price however far behind the products what they look at first is.
func TestEveryPageOfProducts(t *testing.T) {
	onEach(t, func(m *many) {
		for _, up := range []bool{false, true} {
			if up {
				m.sorts()
			}
			sold, out := []catalog.Status{catalog.Active}, []catalog.Status{catalog.DraftStatus, catalog.Archived}
			for _, f := range []catalog.Filter{{}, {Statuses: sold}, {Statuses: out}, {Category: id.Category(m.big[0])},
				{Channel: id.Channel(m.big[1]), Statuses: sold}, {Channel: id.Channel(m.big[1]), Statuses: out},
				{Category: id.Category(m.big[0]), Channel: id.Channel(m.big[1])}, {Category: id.Category(m.whole[0]), Channel: id.Channel(m.whole[1])},
				{Category: id.Category(m.whole[0]), Channel: id.Channel(m.big[1]), Statuses: sold}} {
				for _, f.Sort = range catalog.Sorts {
					if up && f.Sort != catalog.ByName && f.Sort != catalog.ByPrice {
						continue
					}
					for _, f.Descending = range []bool{false, true} {
						m.everyPage(f)
					}
				}
			}
		}
	})
}

// A deleted product stays out of lists by name and price, although what these look at first does not know of it yet and its tombstone
// has come of age.
func TestDeletedProductsAreNotSorted(t *testing.T) {
	onEach(t, func(m *many) {
		m.sorts()
		m.write(func(tx *db.Tx) error {
			m.deleteOne(tx, 700, 3_000_000)
			return nil
		})
		m.write(func(tx *db.Tx) error {
			_, err := catalog.DeleteTombstones(tx, 10, 100)
			return err
		})
		for _, f := range []catalog.Filter{{Sort: catalog.ByName}, {Sort: catalog.ByPrice, Descending: true}} {
			m.everyPage(f)
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

// everyPage reads a list to its end and beyond, a page at a time.
func (m *many) everyPage(f catalog.Filter) {
	m.t.Helper()
	want := m.expected(f)
	for _, f.Limit = range []int{97, 500} {
		for f.Offset = 0; f.Offset < len(want)+f.Limit; f.Offset += f.Limit {
			err := m.store.Read(m.t.Context(), m.tenant, func(tx *db.Tx) error {
				got, _, err := catalog.Page(tx, f)
				if part := want[min(f.Offset, len(want)):min(f.Offset+f.Limit, len(want))]; err == nil && !slices.Equal(got, part) {
					m.t.Errorf("%+v:\n%v\n%v", f, got, part)
				}
				return err
			})
			if err != nil {
				m.t.Fatal(err)
			}
		}
	}
}

// products compares a page of a list.
func (m *many) products(f catalog.Filter) {
	m.t.Helper()
	want := m.expected(f)
	name := fmt.Sprintf("%v category %.1q channel %.1q search %q by %s descending %v from %d", f.Statuses, f.Category, f.Channel, f.Search,
		f.Sort, f.Descending, f.Offset)
	fewest, members := int64(plenty), int64(0) // of what chooses the products
	for _, of := range []string{string(f.Category), string(f.Channel)} {
		if of != "" && (f.Search != "" || len(m.members[of]) < len(m.sample)) { // what has every product selects nothing
			fewest = min(fewest, int64(len(m.members[of])))
			members += int64(len(m.members[of]))
		}
	}
	walked := int64(f.Limit+f.Offset) * plenty / int64(max(1, len(want)))
	most := 100 + 3*walked
	if members > 0 { // counted one by one
		most += 8*fewest + members // each membership may be read whole, into a hash
	}
	most = max(most, 100+6*int64(len(want)))
	if f.Sort == catalog.ByName || f.Sort == catalog.ByPrice {
		most += 8 * late // as they are, and as they are sorted
	}
	m.reads(name, most, func(tx *db.Tx) error {
		got, total, err := catalog.Page(tx, f)
		part := want[min(f.Offset, len(want)):min(f.Offset+f.Limit, len(want))]
		if err == nil && (total != int64(len(want)) || !slices.Equal(got, part)) {
			m.t.Errorf("%s: %d in all, not %d\n%v\n%v", name, total, len(want), got, part)
		}
		return err
	})
}

func (m *many) expected(f catalog.Filter) (ids []id.Product) {
	var list []listed
	for _, p := range m.sample {
		fits := len(f.Statuses) == 0 || slices.Contains(f.Statuses, p.status)
		fits = fits && (f.Category == "" || m.members[string(f.Category)][p.id]) && (f.Channel == "" || m.members[string(f.Channel)][p.id])
		if fits && strings.Contains(strings.ToLower(p.sku+" "+p.name), f.Search) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b listed) int {
		by := 0
		switch f.Sort {
		case catalog.ByName:
			by = cmp.Compare(a.name, b.name)
		case catalog.BySKU:
			by = cmp.Compare(a.sku, b.sku)
		case catalog.ByPrice:
			by = cmp.Compare(a.price, b.price)
		case catalog.ByUpdate:
			by = cmp.Compare(a.changed, b.changed)
		}
		by = cmp.Or(by, cmp.Compare(a.id, b.id))
		if f.Descending {
			return -by
		}
		return by
	})
	for _, p := range list {
		ids = append(ids, p.id)
	}
	return ids
}
