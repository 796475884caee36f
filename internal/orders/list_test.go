package orders

import (
	"cmp"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/lists"
	"entrepot/internal/search"
)

// The channels and the customer of sample.
const (
	erp, shop id.Channel  = "019a1c52-7c1e-7d40-9a55-00000000000c", "019a1c52-7c1e-7d40-9a55-00000000000d"
	buyer     id.Customer = "019a1c52-7c1e-7d40-9a55-00000000000e"
)

const day = 86_400_000_000

// sample stores n orders of forty days, some of them at the same moment and many with the same total, and returns them
// as they were stored. One in thirty is of the buyer, half of them under another address; of the others some keep the buyer's address as
// their own, as orders of older versions do.
func sample(t *testing.T, store *db.DB, tenant id.Tenant, n int) []Order {
	t.Helper()
	dice := rand.New(rand.NewSource(11))
	all := make([]Order, n)
	for i := range all {
		o := &all[i]
		*o = Order{ID: id.New[id.Order](), Number: int64(i + 1), Status: Statuses[min(dice.Intn(12), len(Statuses)-2)], Currency: "EUR",
			CustomerName: []string{"Ada Lovelace", "Bob 1B", "Charles"}[dice.Intn(3)]}
		if o.CreatedAt = 1_700_000_000_000_000 + int64(i)*40/int64(n)*day; i%50 == 9 { // history that was moved in
			o.CreatedAt = 1_700_000_000_000_000 + dice.Int63n(40)*day
		}
		switch dice.Intn(3) {
		case 0:
			o.CreatedAt += dice.Int63n(day)
		case 1:
			o.CreatedAt += dice.Int63n(30_000_000)
		}
		o.Channel = []id.Channel{erp, erp, erp, shop, ""}[dice.Intn(5)]
		if i%100 == 7 {
			o.Channel = shop
		}
		o.Total = money.Amount(dice.Intn(n/3+1)) * money.Scale
		o.ShippingAddress = []string{`{"country":"FR"}`, `{"country":"de"}`, "", `{"country":"Germany"}`}[i%4]
		o.Lines = []Line{{ID: id.New[id.Line](), Product: id.New[id.Product](), SKU: "A", Quantity: 1 + dice.Int63n(3)}}
		o.History = []Entry{{Status: o.Status, Source: FromAPI}}
		o.CustomerEmail = fmt.Sprintf("B%d@Example.com", dice.Intn(n))
		if i%30 == 3 {
			o.Customer, o.CustomerEmail = buyer, []string{"Ada@Example.com", "ada@work.example"}[i/30%2]
			o.EmailOfCustomer = i/30%4 == 1
		}
		o.UpdatedAt, o.RecordedAt = o.CreatedAt+dice.Int63n(3)*day, o.CreatedAt
		if i%40 == 11 {
			o.Issues = []Issue{{Code: stuck[i%2], CreatedAt: o.CreatedAt}, {Code: stuck[i%2], Path: "items", CreatedAt: o.CreatedAt}}
		}
		if i%20 == 1 {
			o.Issues = append(o.Issues, Issue{Code: UnknownSKU}, Issue{Code: SyncConflict, Path: "status", ClosedAt: o.CreatedAt})
		}
		switch {
		case i%9 == 2:
			o.ExternalReference = fmt.Sprint("WEB-", i)
		case o.Channel != "" && i%9 == 5:
			o.PlatformID = fmt.Sprint("P-", i)
		}
	}
	err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO customers (tenant_id, id, email, email_key, metadata, search, status, orders_count, total_spent,
			created_at, updated_at) VALUES ($1, $2::UUID, 'Ada@work.example', 'ada@work.example', '{}', '', 'active', 0, 0, 0, 0)`, tx.Tenant, buyer)
		for _, channel := range []id.Channel{erp, shop} { // one account has them
			tx.Queue(`INSERT INTO channels (tenant_id, id, name, platform, status, credentials, settings, oversell, created_at, updated_at)
				VALUES ($1, $2::UUID, 'Shop', 'CUSTOM', 'active', '', '{}', 'allow', 0, 0) ON CONFLICT DO NOTHING`, tx.Tenant, channel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for piece := range slices.Chunk(all, 500) {
		err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
			InsertUnreported(tx, slices.Clone(piece))
			for _, o := range piece {
				for _, i := range o.Issues {
					issueTable.Insert(tx, issueRow{o.ID, i})
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// filters are one of each sort, and one that lets no order through.
var filters = []struct {
	name  string
	set   func(f *Filter)
	fits  func(o *Order) bool
	close bool // few orders fit
}{
	{"all", func(*Filter) {}, func(*Order) bool { return true }, false},
	{"status", func(f *Filter) { f.Statuses = []Status{Processing} }, func(o *Order) bool { return o.Status == Processing }, false},
	{"statuses", func(f *Filter) { f.Statuses = []Status{Delivered, Pending} },
		func(o *Order) bool { return o.Status == Delivered || o.Status == Pending }, false},
	{"no such status", func(f *Filter) { f.Statuses = []Status{Returned} }, func(*Order) bool { return false }, true},
	{"channel", func(f *Filter) { f.Channel = erp }, func(o *Order) bool { return o.Channel == erp }, false},
	{"other channel", func(f *Filter) { f.Channel = shop }, func(o *Order) bool { return o.Channel == shop }, false},
	{"from", func(f *Filter) { f.From = 1_700_000_000_000_000 + 7*day },
		func(o *Order) bool { return o.CreatedAt >= 1_700_000_000_000_000+7*day }, false},
	{"last days", func(f *Filter) { f.From = 1_700_000_000_000_000 + 38*day + 5 },
		func(o *Order) bool { return o.CreatedAt >= 1_700_000_000_000_000+38*day+5 }, true},
	{"to", func(f *Filter) { f.To = 1_700_000_000_000_000 + 30*day },
		func(o *Order) bool { return o.CreatedAt <= 1_700_000_000_000_000+30*day }, false},
	{"first days", func(f *Filter) { f.To = 1_700_000_000_000_000 + 2*day },
		func(o *Order) bool { return o.CreatedAt <= 1_700_000_000_000_000+2*day }, true},
	{"customer", func(f *Filter) { f.Customer = buyer }, func(o *Order) bool { return o.Customer == buyer }, true},
	{"stuck", func(f *Filter) { f.Stuck = true }, func(o *Order) bool {
		return slices.ContainsFunc(o.OpenIssues(), Issue.Stuck)
	}, true},
	{"search", func(f *Filter) { f.Search = "lovelace" }, func(o *Order) bool { return strings.Contains(o.search(), "lovelace") }, false},
	{"short search", func(f *Filter) { f.Search = "1B" }, func(o *Order) bool { return strings.Contains(o.search(), "1b") }, false},
	{"search for what all have", func(f *Filter) { f.Search = "a" }, func(o *Order) bool { return strings.Contains(o.search(), "a") }, false},
	{"search for what most have", func(f *Filter) { f.Search = "1" }, func(o *Order) bool { return strings.Contains(o.search(), "1") }, false},
	{"country", func(f *Filter) { f.Country = "DE" }, func(o *Order) bool { return Country(o.ShippingAddress) == "DE" }, false},
	{"high totals", func(f *Filter) { f.MinTotal = amount(150) }, func(o *Order) bool { return o.Total >= 150*money.Scale }, false},
	{"low totals", func(f *Filter) { f.MaxTotal = amount(5) }, func(o *Order) bool { return o.Total <= 5*money.Scale }, true},
	{"updated late", func(f *Filter) { f.UpdatedFrom = 1_700_000_000_000_000 + 40*day },
		func(o *Order) bool { return o.UpdatedAt >= 1_700_000_000_000_000+40*day }, true},
	{"updated early", func(f *Filter) { f.UpdatedTo = 1_700_000_000_000_000 + 35*day },
		func(o *Order) bool { return o.UpdatedAt <= 1_700_000_000_000_000+35*day }, false},
	{"reference", func(f *Filter) { f.Reference = "WEB-29" }, func(o *Order) bool { return o.ExternalReference == "WEB-29" }, true},
	{"external id", func(f *Filter) { f.ExternalID = "WEB-29" }, func(o *Order) bool { return o.ExternalID() == "WEB-29" }, true},
	{"external id of a platform", func(f *Filter) { f.ExternalID = "P-41" }, func(o *Order) bool { return o.ExternalID() == "P-41" }, true},
	{"address", func(f *Filter) { f.Email = "ADA@work.example" }, func(o *Order) bool { return o.CustomerEmail == "ada@work.example" }, true},
	{"other address", func(f *Filter) { f.Email = "ada@example.com" },
		func(o *Order) bool { return o.CustomerEmail == "Ada@Example.com" }, true},
}

// Every condition that a filter can have is among those that are compared here.
func TestEveryConditionIsCompared(t *testing.T) {
	set := map[string]bool{}
	for _, one := range filters {
		var f Filter
		one.set(&f)
		for _, part := range []any{f.CountedFilter, f.RowFilter} {
			v := reflect.ValueOf(part)
			for i := range v.NumField() {
				name := v.Type().Field(i).Name
				set[name] = set[name] || !v.Field(i).IsZero()
			}
		}
	}
	for name, is := range set {
		if !is {
			t.Errorf("no filter has %s: add one, and what it lets through", name)
		}
	}
}

func amount(units int64) *money.Amount {
	a := money.Amount(units * money.Scale)
	return &a
}

// value returns what a list of the filter goes by.
func (f Filter) value(o *Order) int64 { return f.CursorOf(o).Value }

// eachList calls test for every filter, sort and direction, and for every pair of filters with each sort.
func eachList(test func(name string, f Filter, fits func(o *Order) bool, close bool)) {
	for i, one := range filters {
		for _, two := range filters[i:] {
			for _, sort := range Sorts {
				for _, ascending := range []bool{false, true} {
					if one.name != two.name && ascending != (sort == ByTotal) {
						continue // one direction of each sort will do
					}
					f := Filter{Sort: sort, Ascending: ascending, Limit: 20}
					again := f
					one.set(&f)
					two.set(&f)
					two.set(&again)
					if one.set(&again); !reflect.DeepEqual(f, again) {
						continue // the second has taken the first one's place
					}
					test(fmt.Sprintf("%s, %s by %s, ascending %v", one.name, two.name, sort, ascending), f,
						func(o *Order) bool { return one.fits(o) && two.fits(o) }, one.close || two.close)
				}
			}
		}
	}
}

// Every page of every list shows what a program would choose that looks at every order, by page and by cursor.
func TestPagesShowWhatTheFilterSays(t *testing.T) {
	dbtest.Long(t, "it compares lists for all pairs of filters")
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant, other := dbtest.Account(t, store), dbtest.Account(t, store)
		few := lists.FewRows
		lists.FewRows = 40
		defer func() { lists.FewRows = few }()
		all := sample(t, store, tenant, 700)
		if err := search.Blocks[search.Orders].FollowTenant(t.Context(), store, tenant); err != nil { // a part of them
			t.Fatal(err)
		}
		sample(t, store, other, 30)
		err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			eachList(func(name string, f Filter, fits func(o *Order) bool, _ bool) {
				if t.Failed() {
					return
				}
				want := expected(all, f, fits)
				for _, offset := range []int{0, 250, len(want) - 3, len(want)} {
					f.Offset = max(0, offset)
					got, total, err := List(tx, f, nil)
					if err != nil || total != int64(len(want)) {
						t.Fatalf("%s from %d: %d in all, not %d; %v", name, f.Offset, total, len(want), err)
					}
					at := min(f.Offset, len(want))
					same(t, fmt.Sprint(name, " from ", f.Offset), got, want[at:min(at+f.Limit, len(want))])
				}
				if len(want) > 20 {
					f.Offset = 0
					cursor := f.CursorOf(&want[15])
					f.After = &cursor
					got, _, err := List(tx, f, nil)
					if err != nil {
						t.Fatal(err)
					}
					same(t, name+" behind a cursor", got, want[16:min(36, len(want))])
				}
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// expected returns the orders that fit, in the order of a list.
func expected(all []Order, f Filter, fits func(o *Order) bool) []Order {
	want := slices.DeleteFunc(slices.Clone(all), func(o Order) bool { return !fits(&o) })
	slices.SortFunc(want, func(a, b Order) int {
		by := cmp.Or(cmp.Compare(f.value(&a), f.value(&b)), cmp.Compare(a.ID, b.ID))
		if !f.Ascending {
			by = -by
		}
		return by
	})
	return want
}

func same(t *testing.T, name string, got, want []Order) {
	t.Helper()
	var numbers, wanted []int64
	for _, o := range got {
		numbers = append(numbers, o.Number)
	}
	for _, o := range want {
		wanted = append(wanted, o.Number)
	}
	if !slices.Equal(numbers, wanted) {
		t.Errorf("%s: %v, not %v", name, numbers, wanted)
	}
}
