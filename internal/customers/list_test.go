package customers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
	"entrepot/internal/lists/liststest"
	"entrepot/internal/search"
	"entrepot/internal/view"
)

// Rules of segments, whose members are in a list of the view, but for the last one.
var (
	least   = int64(3)
	spent   = money.Amount(20)
	red     = &Segment{ID: "019a1c52-7c1e-7d40-9a55-0000000000a1", Name: "Red", Rules: Rules{TagsAny: []string{"red", "blue"}, MinOrders: &least}}
	german  = &Segment{ID: "019a1c52-7c1e-7d40-9a55-0000000000a2", Name: "German", Rules: Rules{Country: "DE"}}
	nowhere = &Segment{ID: "019a1c52-7c1e-7d40-9a55-0000000000a3", Name: "Nowhere", Rules: Rules{Country: "IT"}}
	passing = &Segment{Rules: Rules{TagsAll: []string{"many", "red"}, MinTotalSpent: &spent}}
)

// inLists says how the lists of customers are compared: a new filter is a line of Filters.
var inLists = liststest.Noun[Customer, Filter]{
	Filters: func(_ []Customer, add liststest.Add[Customer, Filter]) {
		has := func(term string) func(c *Customer) bool {
			return func(c *Customer) bool {
				return strings.Contains(strings.ToLower(c.FirstName+" "+c.LastName+" "+c.Email+" "+c.Phone), term)
			}
		}
		tagged := func(tag string) func(c *Customer) bool {
			return func(c *Customer) bool { return slices.Contains(c.Tags, tag) }
		}
		in := func(s *Segment) func(c *Customer) bool { return func(c *Customer) bool { return s.Rules.Match(c, 0) } }
		add("every record, merged ones too", func(f *Filter) { f.IncludeInactive = true }, func(c *Customer) bool { return true })
		add("address", func(f *Filter) { f.Email = "C17@x.example" }, func(c *Customer) bool { return c.Email == "c17@X.example" })
		add("no such address", func(f *Filter) { f.Email = "c17" }, func(c *Customer) bool { return false })
		add("tag", func(f *Filter) { f.Tag = "many" }, tagged("many"))
		add("tag of few", func(f *Filter) { f.Tag = "few" }, tagged("few"))
		add("no such tag", func(f *Filter) { f.Tag = "man" }, tagged("man"))
		add("search", func(f *Filter) { f.Search = "Lovelace" }, has("lovelace"))
		add("search for a digit", func(f *Filter) { f.Search = "7" }, has("7"))
		add("search of two letters", func(f *Filter) { f.Search = "DA" }, has("da"))
		add("search for a phone", func(f *Filter) { f.Search = "06 12-7" }, func(c *Customer) bool { return strings.HasPrefix(c.Phone, "06.12.7") })
		add("no such text", func(f *Filter) { f.Search = "100%" }, has("100%"))
		add("segment", func(f *Filter) { f.Segment = red }, in(red))
		add("segment by country", func(f *Filter) { f.Segment = german }, in(german))
		add("no member of the segment", func(f *Filter) { f.Segment = nowhere }, in(nowhere))
		add("segment that is not stored", func(f *Filter) { f.Segment = passing }, in(passing))
	},
	Shows: func(f Filter, c *Customer) bool { return f.IncludeInactive || c.MergedInto == "" },
	Sorts: []liststest.Sort[Customer, Filter]{
		{Name: "newest", OneWay: true, Set: func(f *Filter) {}, Compare: func(a, b *Customer) int { return cmp.Compare(b.ID, a.ID) }},
	},
	ID: func(c *Customer) string { return string(c.ID) },
	Page: func(f *Filter, p liststest.Page[Customer]) {
		if f.Limit, f.Offset = p.Limit, p.Offset; p.After != nil {
			f.After = p.After.ID
		}
	},
	List: func(tx *db.Tx, f Filter) (ids []string, total int64, err error) {
		list, total, err := List(tx, f)
		for _, c := range list {
			ids = append(ids, string(c.ID))
		}
		return ids, total, err
	},
	Rows:  allCustomers,
	Views: []*view.View{search.Blocks[search.Customers], SegmentLists},
	Fill: func(a *liststest.Account, n int) {
		a.Write(func(tx *db.Tx) error {
			first := 0
			err := tx.Row("SELECT count(*) FROM customers WHERE tenant_id = $1", []any{tx.Tenant}, &first)
			for _, s := range []*Segment{red, german, nowhere} {
				if first == 0 {
					s.Insert(tx)
				}
			}
			for i := first; i < first+n; i++ {
				c := Customer{ID: id.New[id.Customer](), Email: fmt.Sprintf("c%d@X.example", i), Status: Active, Metadata: "{}",
					Phone: fmt.Sprintf("06.12.%02d", i%90), OrdersCount: a.Dice.Int64N(6), TotalSpent: money.Amount(a.Dice.IntN(40))}
				change(a, &c)
				InsertUnreported(tx, c)
			}
			return err
		})
	},
	Change: func(a *liststest.Account) {
		a.Write(func(tx *db.Tx) error {
			list, err := allCustomers(tx)
			list = slices.DeleteFunc(list, func(c Customer) bool { return c.Status != Active || c.Email == "c17@X.example" })
			slices.SortFunc(list, func(a, b Customer) int { return cmp.Compare(a.Email, b.Email) })
			a.Dice.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			for i := range list[:25] {
				c, before := &list[i], list[i].Copy()
				switch {
				case i < 3:
					c.Erase(tx, 0)
				case i == 3:
					c.Absorb(tx.Micros(), list[25:27])
					SaveMerge(tx, before, c, list[25:27])
				default:
					change(a, c)
					Save(tx, before, c)
				}
			}
			for i := range list[30:35] {
				c := Customer{ID: id.New[id.Customer](), Email: fmt.Sprint(a.Dice.Int64(), "@y.example"), Status: Active, Metadata: "{}"}
				change(a, &c)
				InsertUnreported(tx, c)
				Spend(tx, list[30+i].ID, 2, 5)
			}
			return err
		})
	},
}

// change gives a customer another name, other tags and another address.
func change(a *liststest.Account, c *Customer) {
	c.FirstName, c.LastName = []string{"Ada", "Bob", "Charles"}[a.Dice.IntN(3)], []string{"Lovelace", "Babbage"}[a.Dice.IntN(2)]
	c.Tags, c.Addresses = nil, nil
	for i, tag := range []string{"many", "red", "blue", "few"} {
		if a.Dice.IntN([]int{2, 4, 5, 40}[i]) == 0 {
			c.Tags = append(c.Tags, tag)
		}
	}
	if country := []string{"", "DE", "FR"}[a.Dice.IntN(3)]; country != "" {
		c.Addresses = []Address{{ID: id.New[id.Address](), Line1: "l", City: "c", Zip: "z", Country: country}}
	}
}

// allCustomers are all records of the account.
func allCustomers(tx *db.Tx) ([]Customer, error) {
	list, err := table.All(tx, "")
	if err == nil {
		err = load(tx, list)
	}
	return list, err
}

// Every page of every list of customers has the records that looking at each gives.
func TestEveryPageOfCustomers(t *testing.T) {
	liststest.Compare(t, 360, inLists)
}
