package customers

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestCountry(t *testing.T) {
	count := 0
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			if code, ok := Country(string([]rune{a, b})); ok {
				count++
				if code != string([]rune{a, b}) {
					t.Errorf("%c%c became %s", a, b, code)
				}
			}
		}
	}
	if count != 250 {
		t.Errorf("%d countries, ISO 3166-1 has 249, and XK", count)
	}
	for text, want := range map[string]string{"fr": "FR", " de ": "DE", "gB": "GB", "UK": "", "EU": "", "xk": "XK",
		"ZZ": "", "FRA": "", "": "",
		"F": "", "42": "", "é": "", "AN": "", "DD": ""} {
		if code, _ := Country(text); code != want {
			t.Errorf("Country(%q) = %q, not %q", text, code, want)
		}
	}
}

// However a book changes, no type has two defaults, and ids are never given twice.
func TestOneDefaultPerType(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &Customer{}
		change := func() AddressChange {
			var a AddressChange
			if rapid.Bool().Draw(t, "typed") {
				a.Type = patch.To(rapid.SampledFrom(append(AddressTypes, "")).Draw(t, "type"))
			}
			if rapid.Bool().Draw(t, "default") {
				a.IsDefault = patch.To(rapid.Bool().Draw(t, "is default"))
			}
			a.Line1 = patch.To(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "line1"))
			if len(c.Addresses) > 0 && rapid.Bool().Draw(t, "named") {
				a.ID = rapid.SampledFrom(c.Addresses).Draw(t, "entry").ID
			}
			return a
		}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			before := c.Copy()
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				added := c.AddAddress(change())
				if kept, err := c.Address(added.ID); err != nil || added.IsDefault != kept.IsDefault {
					t.Fatal("the added entry is another one")
				}
			case 1:
				if len(c.Addresses) > 0 {
					made := change()
					a := &c.Addresses[rapid.IntRange(0, len(c.Addresses)-1).Draw(t, "which")]
					want := a.With(made)
					if changed := c.ChangeAddress(a, made); changed == c.Same(before) || *a != want {
						t.Fatalf("changed = %v: %v", changed, *a)
					}
				}
			case 2:
				list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) AddressChange { return change() }), 0, 5).Draw(t, "book")
				c.Apply(Change{Addresses: patch.To(list)})
				if len(c.Addresses) != len(list) {
					t.Fatalf("%d entries of %d", len(c.Addresses), len(list))
				}
			case 3:
				if len(c.Addresses) > 0 {
					c.RemoveAddress(c.Addresses[0].ID)
				}
			}
			defaults, ids := map[AddressType]int{}, map[id.Address]int{}
			for _, a := range c.Addresses {
				if ids[a.ID]++; a.ID == "" || ids[a.ID] > 1 {
					t.Fatalf("the id %q twice in %v", a.ID, c.Addresses)
				}
				if a.IsDefault {
					if defaults[a.Type]++; defaults[a.Type] > 1 {
						t.Fatalf("two defaults of type %q in %v", a.Type, c.Addresses)
					}
				}
			}
		}
	})
}

func TestApplyTheSameBookKeepsIt(t *testing.T) {
	c := &Customer{Tags: []string{"a"}, Metadata: `{"a": 1}`}
	book := []AddressChange{{Line1: patch.To("1")}, {Line1: patch.To("1")}, {Line1: patch.To("2"), IsDefault: patch.To(true)}}
	if !c.Apply(Change{Addresses: patch.To(book)}) {
		t.Fatal("a book out of nothing is no change")
	}
	before := c.Copy()
	if c.Apply(Change{Addresses: patch.To(book), Tags: patch.To([]string{"a", "a"}), Metadata: patch.To(`{"a":1.0}`)}) || !c.Same(before) {
		t.Errorf("the same again changed %v into %v", before, c)
	}
	slices.Reverse(book)
	if !c.Apply(Change{Addresses: patch.To(book)}) || c.Addresses[0].ID != before.Addresses[2].ID {
		t.Errorf("another order is no change: %v", c.Addresses)
	}
}

func TestDerive(t *testing.T) {
	book := Derive("019a1c52-7c1e-7d40-9a55-00000000c001", []string{
		`{"name":"Ada","street":" 1 Way ","city":"Lyon","postcode":69001,"countryCode":"fr"}`,
		`{"line1":"1 Way","city":"Lyon","zip":"69001"}`, `{"line1":"1  WAY","city":"lyon","zip":"69001 "}`,
		`{"line1":"1 Way","city":"Lyon","zip":"69002"}`, `{}`, `{"country":"FR"}`, `[1]`, `"x"`, `{`, `{"line1":{"a":1}}`, `{"city":"Lyon"}`})
	var got []string
	for _, a := range book {
		got = append(got, strings.Join([]string{a.Name, a.Line1, a.City, a.Zip, a.Country}, "/"))
		if !a.Derived || a.ID == "" {
			t.Errorf("%v", a)
		}
	}
	if want := "[Ada/1 Way/Lyon/69001/FR /1 Way/Lyon/69002/ //Lyon//]"; fmt.Sprint(got) != want {
		t.Errorf("%v, not %s", got, want)
	}
}

func TestRulesSurviveTheStore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rules(t)
		back, err := parseRules(r.text())
		if err != nil || !back.Same(r) {
			t.Fatalf("%s became %s, %v", r.text(), back.text(), err)
		}
	})
}

var tagsInTests = []string{"red", "blue", "ünïcode", `q"uote`}

func rules(t *rapid.T) (r Rules) {
	tags := rapid.SliceOfNDistinct(rapid.SampledFrom(tagsInTests), 0, 2, rapid.ID[string])
	if list := tags.Draw(t, "any"); len(list) > 0 {
		r.TagsAny = list
	}
	if list := tags.Draw(t, "all"); len(list) > 0 && rapid.Bool().Draw(t, "ask all") {
		r.TagsAll = list
	}
	number := func(name string, most int64) *int64 {
		if !rapid.Bool().Draw(t, "ask "+name) {
			return nil
		}
		n := rapid.Int64Range(0, most).Draw(t, name)
		return &n
	}
	r.MinOrders = number("minOrders", 3)
	if n := number("minTotalSpent", 3); n != nil {
		r.MinTotalSpent = (*money.Amount)(n)
	}
	r.Country = rapid.SampledFrom([]string{"", "", "FR", "DE"}).Draw(t, "country")
	moment := func(name string) *int64 {
		n := number(name, 4)
		if n != nil {
			*n *= 1000 // rules are kept in milliseconds
		}
		return n
	}
	r.CreatedAfter, r.LastOrderAfter, r.LastOrderBefore = moment("createdAfter"), moment("lastOrderAfter"), moment("lastOrderBefore")
	return r
}

// A segment has the same customers, asked one by one or as a list.
func TestRulesInGoAndSQLAgree(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		last := map[id.Customer]int64{}
		example := rapid.Custom(func(t *rapid.T) Customer {
			c := Customer{ID: id.New[id.Customer](), Metadata: "{}",
				Status:       rapid.SampledFrom([]Status{Active, Active, Active, Secondary, Erased}).Draw(t, "status"),
				Tags:         rapid.SliceOfNDistinct(rapid.SampledFrom(tagsInTests), 0, 3, rapid.ID[string]).Draw(t, "tags"),
				OrdersCount:  rapid.Int64Range(0, 3).Draw(t, "orders"),
				TotalSpent:   money.Amount(rapid.Int64Range(0, 3).Draw(t, "spent")),
				OrderCountry: OrderCountry{Code: rapid.SampledFrom([]string{"", "FR", "DE"}).Draw(t, "order country")},
				CreatedAt:    1000 * rapid.Int64Range(0, 4).Draw(t, "created")}
			c.Email = string(c.ID)
			for range rapid.IntRange(0, 2).Draw(t, "addresses") {
				c.Addresses = append(c.Addresses, Address{ID: id.New[id.Address](), Line1: "l", City: "c", Zip: "z",
					Country: rapid.SampledFrom([]string{"FR", "DE"}).Draw(t, "country")})
			}
			last[c.ID] = 1000 * rapid.Int64Range(0, 4).Draw(t, "last order")
			return c
		})
		var all []Customer
		for i := range 150 {
			all = append(all, example.Example(i))
		}
		err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
			for i, c := range all {
				InsertUnreported(tx, c)
				if at := last[c.ID]; at != 0 {
					tx.Queue(`INSERT INTO orders (tenant_id, id, number, status, customer_id, customer_name, currency, subtotal,
						shipping_amount, discount_amount, total, item_count,
						shipped_notified, initial_status, initial_source, initial_actor, search, created_at, updated_at)
						VALUES ($1,$2,$3,'PENDING',$4,'','EUR',0,0,0,0,0,FALSE,'PENDING','api','','',$5,$5)`, tenant, id.New[id.Order](), i, c.ID, at)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(rt *rapid.T) {
			r := rules(rt)
			var want []id.Customer
			for i := range all {
				if r.Match(&all[i], last[all[i].ID]) {
					want = append(want, all[i].ID)
				}
			}
			var got []id.Customer
			err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
				list, total, err := List(tx, Filter{Segment: &Segment{Rules: r}, Limit: 1000, IncludeInactive: true})
				if err == nil && total != int64(len(list)) {
					err = fmt.Errorf("a total of %d for %d", total, len(list))
				}
				for _, c := range list {
					got = append(got, c.ID)
				}
				return err
			})
			if err != nil {
				rt.Fatal(err)
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				rt.Fatalf("%s: %d in SQL, %d in Go", r.text(), len(got), len(want))
			}
		})
	})
}

// Rules that were stored in another writing are read as what they say.
func TestStoredRules(t *testing.T) {
	micros := time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC).UnixMicro()
	orders, spent := int64(2), money.Amount(125_000)
	want := Rules{TagsAny: []string{"vip"}, TagsAll: []string{"a&b"}, MinOrders: &orders, MinTotalSpent: &spent, Country: "FR",
		CreatedAfter: &micros, LastOrderAfter: &micros, LastOrderBefore: &micros}
	for _, total := range []string{"12.5", "12.50"} {
		got, err := parseRules(`{"tagsAny":["vip"],"tagsAll":["a&b"],"minOrders":2,"minTotalSpent":` + total + `,"country":"FR",` +
			`"createdAfter":"2026-01-02T03:04:05.678Z","lastOrderAfter":"2026-01-02T04:04:05.678+01:00",` +
			`"lastOrderBefore":"2026-01-02T03:04:05.678Z"}`)
		if err != nil || !reflect.DeepEqual(got, want) || !got.Same(want) {
			t.Errorf("%+v, %v", got, err)
		}
	}
	for _, bad := range []string{``, `[]`, `{"minTotalSpent":"much"}`, `{"createdAfter":"today"}`} {
		if _, err := parseRules(bad); err == nil {
			t.Errorf("%s passes", bad)
		}
	}
}
