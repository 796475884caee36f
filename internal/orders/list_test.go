package orders

import (
	"cmp"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
	"entrepot/internal/lists"
	"entrepot/internal/lists/liststest"
	"entrepot/internal/search"
	"entrepot/internal/view"
)

// The channels and the customer of sample.
const (
	erp, shop id.Channel  = "019a1c52-7c1e-7d40-9a55-00000000000c", "019a1c52-7c1e-7d40-9a55-00000000000d"
	buyer     id.Customer = "019a1c52-7c1e-7d40-9a55-00000000000e"
	nobody    id.Customer = "019a1c52-7c1e-7d40-9a55-00000000000f"
)

// Two users and one without orders.
const (
	clerk, boss id.User = "019a1c52-7c1e-7d40-9a55-0000000000aa", "019a1c52-7c1e-7d40-9a55-0000000000bb"
	idle        id.User = "019a1c52-7c1e-7d40-9a55-0000000000cc"
)

const day = 86_400_000_000

// sample stores n orders of forty days, some of them at the same moment and many with the same total, and returns them
// as they were stored. One in thirty is of the buyer, half of them under another address; of the others some keep the buyer's address as
// their own, as orders of older versions do.
func sample(t *testing.T, store *db.DB, tenant id.Tenant, n int) []Order {
	t.Helper()
	return sampleFrom(t, store, tenant, 0, n)
}

// sampleFrom is sample for an account that has orders up to a number.
func sampleFrom(t *testing.T, store *db.DB, tenant id.Tenant, last int64, n int) []Order {
	t.Helper()
	dice := rand.New(rand.NewSource(11 + last))
	all := make([]Order, n)
	for i := range all {
		o := &all[i]
		*o = Order{ID: id.New[id.Order](), Number: last + int64(i) + 1, Status: Statuses[min(dice.Intn(12), len(Statuses)-2)], Currency: "EUR",
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
		o.Tags = [][]string{nil, {"Gift"}, nil, {"Überseekiste", "gift"}, {"late"}}[i%5]
		if i%70 == 4 {
			o.Tags = []string{"rare"}
		}
		o.AssignedTo = []id.User{"", "", clerk, boss}[dice.Intn(4)]
		switch {
		case i%9 == 2:
			o.ExternalReference = fmt.Sprint("WEB-", last+int64(i))
		case o.Channel != "" && i%9 == 5:
			o.PlatformID = fmt.Sprint("P-", last+int64(i))
		}
	}
	err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO customers (tenant_id, id, email, email_key, metadata, search, status, orders_count, total_spent,
			created_at, updated_at) VALUES ($1, $2::UUID, 'Ada@work.example', 'ada@work.example', '{}', '', 'active', 0, 0, 0, 0)
			ON CONFLICT DO NOTHING`, tx.Tenant, buyer)
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

// inLists says how the lists of orders are compared: a new filter is a line of Filters.
var inLists = liststest.Noun[Order, Filter]{
	Filters: func(_ []Order, add liststest.Add[Order, Filter]) {
		const first = 1_700_000_000_000_000
		add("status", func(f *Filter) { f.Statuses = []Status{Processing} }, func(o *Order) bool { return o.Status == Processing })
		add("statuses", func(f *Filter) { f.Statuses = []Status{Delivered, Pending} },
			func(o *Order) bool { return o.Status == Delivered || o.Status == Pending })
		most := []Status{Pending, Processing, PartiallyShipped, Shipped, Cancelled}
		add("statuses of most", func(f *Filter) { f.Statuses = most }, func(o *Order) bool { return slices.Contains(most, o.Status) })
		add("no such status", func(f *Filter) { f.Statuses = []Status{Returned} }, func(*Order) bool { return false })
		add("channel", func(f *Filter) { f.Channel = erp }, func(o *Order) bool { return o.Channel == erp })
		add("other channel", func(f *Filter) { f.Channel = shop }, func(o *Order) bool { return o.Channel == shop })
		add("from", func(f *Filter) { f.From = first + 7*day }, func(o *Order) bool { return o.CreatedAt >= first+7*day })
		add("last days", func(f *Filter) { f.From = first + 38*day + 5 }, func(o *Order) bool { return o.CreatedAt >= first+38*day+5 })
		add("to", func(f *Filter) { f.To = first + 30*day }, func(o *Order) bool { return o.CreatedAt <= first+30*day })
		add("first days", func(f *Filter) { f.To = first + 2*day }, func(o *Order) bool { return o.CreatedAt <= first+2*day })
		add("customer", func(f *Filter) { f.Customer = buyer }, func(o *Order) bool { return o.Customer == buyer })
		add("no such customer", func(f *Filter) { f.Customer = nobody }, func(o *Order) bool { return false })
		add("stuck", func(f *Filter) { f.Stuck = true }, func(o *Order) bool { return slices.ContainsFunc(o.OpenIssues(), Issue.Stuck) })
		add("search", func(f *Filter) { f.Search = "lovelace" }, func(o *Order) bool { return strings.Contains(o.search(), "lovelace") })
		add("short search", func(f *Filter) { f.Search = "1B" }, func(o *Order) bool { return strings.Contains(o.search(), "1b") })
		add("every order has this", func(f *Filter) { f.Search = "a" }, func(o *Order) bool { return strings.Contains(o.search(), "a") })
		add("search for what most have", func(f *Filter) { f.Search = "1" }, func(o *Order) bool { return strings.Contains(o.search(), "1") })
		add("no such text", func(f *Filter) { f.Search = "100%" }, func(o *Order) bool { return false })
		add("country", func(f *Filter) { f.Country = "DE" }, func(o *Order) bool { return Country(o.ShippingAddress) == "DE" })
		add("no such country", func(f *Filter) { f.Country = "IT" }, func(o *Order) bool { return false })
		add("high totals", func(f *Filter) { f.MinTotal = amount(30) }, func(o *Order) bool { return o.Total >= 30*money.Scale })
		add("totals of most", func(f *Filter) { f.MinTotal = amount(2) }, func(o *Order) bool { return o.Total >= 2*money.Scale })
		add("low totals", func(f *Filter) { f.MaxTotal = amount(5) }, func(o *Order) bool { return o.Total <= 5*money.Scale })
		add("updated late", func(f *Filter) { f.UpdatedFrom = first + 40*day }, func(o *Order) bool { return o.UpdatedAt >= first+40*day })
		add("updated early", func(f *Filter) { f.UpdatedTo = first + 35*day }, func(o *Order) bool { return o.UpdatedAt <= first+35*day })
		tagged := func(tags ...string) func(o *Order) bool {
			return func(o *Order) bool {
				return slices.ContainsFunc(tags, func(tag string) bool { return hasTag(o.Tags, tag) })
			}
		}
		add("tag", func(f *Filter) { f.Tags = []string{"GIFT"} }, tagged("gift"))
		add("rare tag", func(f *Filter) { f.Tags = []string{"rare"} }, tagged("rare"))
		add("tags", func(f *Filter) { f.Tags = []string{"überseekiste", "gift", "rare"} }, tagged("Überseekiste", "gift", "rare"))
		add("no such tag", func(f *Filter) { f.Tags = []string{"gif"} }, tagged("gif"))
		assigned := func(users ...id.User) func(o *Order) bool {
			return func(o *Order) bool { return slices.Contains(users, o.AssignedTo) }
		}
		add("assigned", func(f *Filter) { f.Assigned = Assigned{Users: []id.User{clerk}} }, assigned(clerk))
		add("assigned to several", func(f *Filter) { f.Assigned = Assigned{Users: []id.User{clerk, boss}} }, assigned(clerk, boss))
		add("assigned to nobody", func(f *Filter) { f.Assigned = Assigned{Nobody: true} }, assigned(""))
		add("assigned to one or nobody", func(f *Filter) { f.Assigned = Assigned{[]id.User{boss}, true} }, assigned("", boss))
		add("no such user", func(f *Filter) { f.Assigned = Assigned{Users: []id.User{idle}} }, assigned(idle))
		add("reference", func(f *Filter) { f.Reference = "WEB-29" }, func(o *Order) bool { return o.ExternalReference == "WEB-29" })
		add("no such reference", func(f *Filter) { f.Reference = "P-41" }, func(o *Order) bool { return false })
		add("external id", func(f *Filter) { f.ExternalID = "WEB-29" }, func(o *Order) bool { return o.ExternalID() == "WEB-29" })
		add("external id of a platform", func(f *Filter) { f.ExternalID = "P-41" }, func(o *Order) bool { return o.ExternalID() == "P-41" })
		add("no such external id", func(f *Filter) { f.ExternalID = "WEB-1" }, func(o *Order) bool { return false })
		add("address", func(f *Filter) { f.Email = "ADA@work.example" }, func(o *Order) bool { return o.CustomerEmail == "ada@work.example" })
		add("other address", func(f *Filter) { f.Email = "ada@example.com" }, func(o *Order) bool { return o.CustomerEmail == "Ada@Example.com" })
	},
	Sorts: []liststest.Sort[Order, Filter]{
		{Name: "creation", Set: func(f *Filter) { f.Sort = ByCreatedAt }, Compare: func(a, b *Order) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) }},
		{Name: "total", Set: func(f *Filter) { f.Sort = ByTotal }, Compare: func(a, b *Order) int { return cmp.Compare(a.Total, b.Total) }},
		{Name: "number", Set: func(f *Filter) { f.Sort = ByNumber }, Compare: func(a, b *Order) int { return cmp.Compare(a.Number, b.Number) }},
		{Name: "update", Set: func(f *Filter) { f.Sort = ByUpdatedAt }, Compare: func(a, b *Order) int { return cmp.Compare(a.UpdatedAt, b.UpdatedAt) }},
	},
	ID: func(o *Order) string { return string(o.ID) },
	Page: func(f *Filter, p liststest.Page[Order]) {
		f.Ascending, f.Limit, f.Offset = !p.Descending, p.Limit, p.Offset
		if p.After != nil {
			after := f.CursorOf(p.After)
			f.After = &after
		}
	},
	List: func(tx *db.Tx, f Filter) (ids []string, total int64, err error) {
		list, total, err := ListHeads(tx, f)
		for _, o := range list {
			ids = append(ids, string(o.ID))
		}
		return ids, total, err
	},
	Rows:  allOrders,
	Views: []*view.View{search.Blocks[search.Orders]},
	Fill: func(a *liststest.Account, n int) {
		var last int64
		a.Write(func(tx *db.Tx) error {
			return tx.Row("SELECT coalesce(max(number), 0) FROM orders WHERE tenant_id = $1", []any{tx.Tenant}, &last)
		})
		sampleFrom(a.T, a.Store, a.Tenant, last, n)
	},
	Change: func(a *liststest.Account) {
		sampleFrom(a.T, a.Store, a.Tenant, 1000*(1+a.Dice.Int64N(1_000_000)), 5)
		a.Write(func(tx *db.Tx) error {
			list, err := allOrders(tx)
			a.Dice.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			for i := range list[:min(25, len(list))] {
				o, err := Lock(tx, list[i].ID)
				if err != nil {
					return err
				}
				if list[i] = *o; i < 5 {
					continue
				}
				o.Lines = slices.Clone(o.Lines)
				o.Total, o.UpdatedAt = money.Amount(a.Dice.Int64N(40))*money.Scale, o.UpdatedAt+day
				o.ShippingAddress = []string{`{"country":"FR"}`, `{"country":"DE"}`, ""}[i%3]
				if o.Status = Statuses[i%4]; o.Status != list[i].Status {
					o.History = append(o.History, Entry{ID: id.New[id.History](), Previous: list[i].Status, Status: o.Status, Source: FromAPI})
				}
				Save(tx, &list[i], o)
				before := *o
				o.Tags, o.AssignedTo, o.UpdatedAt = [][]string{{"rare", "Gift"}, nil, {"late"}}[i%3], []id.User{boss, ""}[i%2], o.UpdatedAt+1
				SaveDetails(tx, &before, o)
				tx.Queue("UPDATE order_issues SET closed_at = 1 WHERE tenant_id = $1 AND order_id = $2::UUID", tx.Tenant, o.ID)
			}
			if err == nil {
				err = Remove(tx, list[:min(5, len(list))])
			}
			return err
		})
	},
}

// allOrders are all orders of the account, with their issues.
func allOrders(tx *db.Tx) ([]Order, error) {
	list, err := db.List(tx, table.Scanner(), "SELECT "+table.Columns("o")+from+"WHERE o.tenant_id = $1", tx.Tenant)
	if err != nil {
		return nil, err
	}
	at := map[id.Order]*Order{}
	for i := range list {
		at[list[i].ID] = &list[i]
	}
	scan := issueTable.Scanner()
	return list, tx.Each(func(r db.Rows) error {
		i, err := scan(r)
		at[i.order].Issues = append(at[i.order].Issues, i.Issue)
		return err
	}, issueTable.Select("")+" WHERE tenant_id = $1", tx.Tenant)
}

// Every page of every list of orders has the orders that looking at each gives.
func TestEveryPageOfOrders(t *testing.T) {
	few := lists.FewRows
	lists.FewRows = 40
	defer func() { lists.FewRows = few }()
	liststest.Compare(t, 400, inLists)
}

func amount(units int64) *money.Amount {
	a := money.Amount(units * money.Scale)
	return &a
}
