package customers_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/verify"
)

// people is an account whose customers change.
type people struct {
	*testing.T
	store *db.DB
	do    *commerce.Service
	who   accounts.Caller
	dice  *rand.Rand

	known  []id.Customer
	orders []id.Order
}

func newPeople(t *testing.T, store *db.DB, seed uint64) *people {
	p := &people{T: t, store: store, do: &commerce.Service{Numbers: orders.NewNumbers(), Dev: true, AtOnce: 4},
		who: accounts.Caller{Tenant: dbtest.Account(t, store), Currency: "EUR"}, dice: rand.New(rand.NewPCG(seed, 0))}
	p.must(func(tx *db.Tx) error {
		plan, err := p.do.PlanImport(tx, p.who, commerce.Import{Drafts: []catalog.Draft{{SKU: "MUG", Name: patch.To("Mug"),
			Price: patch.To(money.Amount(10_000)), Stock: []catalog.StockDraft{{Quantity: 10_000}}}}})
		if err == nil {
			_, err = plan.Apply(tx, p.who)
		}
		return err
	})
	return p
}

func (p *people) write(run func(tx *db.Tx) error) error {
	return p.store.Write(p.Context(), p.who.Tenant, run)
}

// must runs an operation; that it is refused, as for a record that is erased, is no failure.
func (p *people) must(run func(tx *db.Tx) error) {
	p.Helper()
	err := p.write(run)
	if refused, ok := apperr.As(err); err != nil && (!ok || refused.Kind == apperr.Unavailable) {
		p.Fatal(err)
	}
}

func (p *people) someone() id.Customer { return p.known[p.dice.IntN(len(p.known))] }

func (p *people) country() string { return []string{"FR", "DE"}[p.dice.IntN(2)] }

func (p *people) tags() (tags []string) {
	for _, tag := range []string{"red", "blue"} {
		if p.dice.IntN(2) == 0 {
			tags = append(tags, tag)
		}
	}
	return tags
}

func (p *people) rules() customers.Rules { return p.rule(p.dice.IntN(ruleKinds)) }

const ruleKinds = 8

// rule is one of a kind that some customers meet.
func (p *people) rule(kind int) (r customers.Rules) {
	one := int64(1 + p.dice.IntN(3))
	at := 1000 * (1_700_000_000_000 + p.dice.Int64N(5))
	switch kind {
	case 0:
		r.TagsAny = []string{"red"}
	case 1:
		r.TagsAll = []string{"red", "blue"}
	case 2:
		r.MinOrders = &one
	case 3:
		spent := money.Amount(one * 10_000)
		r.MinTotalSpent = &spent
	case 4:
		r.Country = "FR"
	case 5:
		r.LastOrderAfter = &at
	case 6:
		r.LastOrderBefore = &at
	}
	return r
}

// steps are what changes who is in a segment, each with how often it happens.
var steps = []struct {
	name   string
	weight int
	do     func(p *people)
}{
	{"customer", 6, func(p *people) {
		var made records.Customer
		change := customers.Change{Email: patch.To(fmt.Sprintf("p%d@x.example", len(p.known))), Tags: patch.To(p.tags())}
		p.must(func(tx *db.Tx) (err error) {
			made, err = p.do.CreateCustomer(tx, change)
			return err
		})
		p.known = append(p.known, made.ID)
	}},
	{"tags", 6, func(p *people) {
		c, change := p.someone(), customers.Change{Tags: patch.To(p.tags())}
		p.must(func(tx *db.Tx) error { _, err := p.do.UpdateCustomer(tx, c, commerce.Expected{}, change); return err })
	}},
	{"addresses", 4, func(p *people) {
		c, country := p.someone(), p.country()
		change := customers.Change{Addresses: patch.To([]customers.AddressChange{{Line1: patch.To("l"), City: patch.To("c"), Zip: patch.To("z"),
			Country: patch.To(country)}})}
		if p.dice.IntN(2) == 0 {
			change.Addresses.Value = nil
		}
		p.must(func(tx *db.Tx) error { _, err := p.do.UpdateCustomer(tx, c, commerce.Expected{}, change); return err })
	}},
	{"order", 12, (*people).order},
	{"address of an order", 12, func(p *people) {
		o, address := p.orders[p.dice.IntN(len(p.orders))], patch.Field[string]{Set: true}
		if p.dice.IntN(3) > 0 {
			address.Value = `{"country":"` + p.country() + `"}`
		}
		p.must(func(tx *db.Tx) error {
			_, err := p.do.UpdateOrder(tx, p.who, o, commerce.Expected{}, commerce.OrderUpdate{ShippingAddress: address})
			return err
		})
	}},
	{"cancelled", 6, func(p *people) {
		o := p.orders[p.dice.IntN(len(p.orders))]
		p.must(func(tx *db.Tx) error {
			_, err := p.do.MoveOrder(tx, p.who, o, commerce.Expected{}, commerce.Move{To: orders.Cancelled, Source: orders.FromAPI})
			return err
		})
	}},
	{"channel that closes", 4, func(p *people) {
		name, d := "Corner", p.draft()
		p.must(func(tx *db.Tx) error {
			c, _, _, err := p.do.CreateChannel(tx, p.who, commerce.ChannelDraft{Name: &name, Platform: channels.Custom})
			d.Channel = c.ID
			return err
		})
		for range 1 + p.dice.IntN(6) { // of more than four the deletion has steps
			p.create(d)
		}
		p.follow() // or they would be looked at as new orders
		p.must(func(tx *db.Tx) error {
			_, err := p.do.DeleteChannel(tx, p.who, d.Channel, commerce.Expected{}, false, nil)
			return err
		})
		p.lists()
		if err := p.do.FinishChannelDeletion(p.Context(), p.store, p.who.Tenant, d.Channel); err != nil {
			p.Fatal(err)
		}
	}},
	{"merge", 3, func(p *people) {
		a, b := p.someone(), p.someone()
		if a == b {
			return
		}
		p.must(func(tx *db.Tx) error { _, err := p.do.MergeCustomers(tx, p.who, a, []id.Customer{b}); return err })
		p.lists()
		if err := p.do.FinishMerges(p.Context(), p.store, p.who.Tenant, a, b); err != nil {
			p.Fatal(err)
		}
	}},
	{"erasure", 2, func(p *people) {
		if err := p.do.EraseCustomer(p.Context(), p.store, p.who, p.someone(), nil); err != nil && !apperr.Is(err, apperr.Conflict) {
			p.Fatal(err)
		}
	}},
	{"segment", 1, func(p *people) {
		r := p.rules()
		p.must(func(tx *db.Tx) error { p.do.CreateSegment(tx, p.who, "s", r); return nil })
	}},
	{"rules", 2, func(p *people) {
		r := p.rules()
		p.ofSegment(func(tx *db.Tx, s id.Segment) error {
			_, err := p.do.UpdateSegment(tx, p.who, s, commerce.Expected{}, nil, &r)
			return err
		})
	}},
	{"segment that goes", 1, func(p *people) {
		p.ofSegment(func(tx *db.Tx, s id.Segment) error { return p.do.DeleteSegment(tx, p.who, s, commerce.Expected{}) })
	}},
	{"batch", 12, func(p *people) { p.batch(1 + p.dice.IntN(6)) }},
	{"all batches", 12, (*people).follow},
}

// ofSegment runs an operation on one of the segments, if there is one.
func (p *people) ofSegment(run func(tx *db.Tx, s id.Segment) error) {
	p.Helper()
	at := p.dice.IntN(1000)
	p.must(func(tx *db.Tx) error {
		list, err := customers.Segments(tx)
		if err != nil || len(list) == 0 {
			return err
		}
		return run(tx, list[at%len(list)].ID)
	})
}

func (p *people) follow() {
	p.Helper()
	if err := customers.SegmentLists.FollowTenant(p.Context(), p.store, p.who.Tenant); err != nil {
		p.Fatal(err)
	}
}

// batch runs one batch of an update of the lists, and returns whether another one should follow.
func (p *people) batch(size int) (more bool) {
	p.Helper()
	err := p.write(func(tx *db.Tx) (err error) {
		more, err = customers.SegmentLists.Batch(tx, size)
		return err
	})
	if err != nil {
		p.Fatal(err)
	}
	return more
}

func (p *people) draft() commerce.OrderDraft {
	d := commerce.OrderDraft{CustomerEmail: fmt.Sprintf("p%d@x.example", p.dice.IntN(len(p.known)+1)), Status: orders.Pending, Currency: "EUR",
		Source: orders.FromAPI, CreatedAt: 1000 * (1_700_000_000_000 + p.dice.Int64N(5)),
		Lines: []orders.LineDraft{{SKU: "MUG", Quantity: 1, UnitPrice: money.Amount(5_000 * p.dice.IntN(5))}}}
	if p.dice.IntN(4) > 0 {
		d.ShippingAddress = `{"country":"` + p.country() + `"}`
	}
	return d
}

func (p *people) order() { p.create(p.draft()) }

func (p *people) create(d commerce.OrderDraft) {
	p.Helper()
	var made *orders.Order
	err := p.do.NumberOrder(p.Context(), p.store, p.who.Tenant, func(number int64) error {
		d.Number = number
		return p.write(func(tx *db.Tx) (err error) {
			made, err = p.do.CreateOrder(tx, p.who, d)
			return err
		})
	})
	if apperr.Is(err, apperr.Conflict) {
		return
	}
	if err != nil {
		p.Fatal(err)
	}
	p.orders = append(p.orders, made.ID)
	if made.Customer != "" && !slices.Contains(p.known, made.Customer) {
		p.known = append(p.known, made.Customer)
	}
}

// lists compares the list of each segment with its rules, asked customer by customer: whole, in pages, by tag and by
// search.
func (p *people) lists() {
	p.Helper()
	err := p.store.Read(p.Context(), p.who.Tenant, func(tx *db.Tx) error {
		segments, err := customers.Segments(tx)
		if err != nil {
			return err
		}
		all, _, err := customers.List(tx, customers.Filter{IncludeInactive: true, Limit: 1000})
		if err != nil {
			return err
		}
		shown, err := commerce.CustomerRecords(tx, all)
		if err != nil {
			return err
		}
		counts, err := customers.CountIn(tx, segments)
		for i := range segments {
			if err != nil {
				return err
			}
			s := &segments[i]
			of := func(holds func(*records.Customer) bool) (list []id.Customer) {
				for j := range shown {
					if slices.ContainsFunc(shown[j].Segments, func(has customers.Segment) bool { return has.ID == s.ID }) && holds(&shown[j]) {
						list = append(list, shown[j].ID)
					}
				}
				return list
			}
			want := of(func(*records.Customer) bool { return true })
			if counts[i] != int64(len(want)) {
				p.Fatalf("counted %d of %d", counts[i], len(want))
			}
			size, at := 1+len(want)/3, 0
			if len(want) > 0 {
				at = (len(want) * 7 / 11) % len(want)
			}
			p.listed(tx, customers.Filter{Segment: s, Limit: 1000}, want, len(want))
			if p.dice.IntN(3) > 0 {
				continue
			}
			p.listed(tx, customers.Filter{Segment: s, Limit: size, Offset: at}, want[at:min(at+size, len(want))], len(want))
			p.listed(tx, customers.Filter{Segment: s, Limit: size, Offset: len(want) + 1}, nil, len(want))
			if len(want) > 0 {
				p.listed(tx, customers.Filter{Segment: s, Limit: size, After: want[at]}, want[at+1:min(at+1+size, len(want))], len(want))
			}
			red := of(func(c *records.Customer) bool { return slices.Contains(c.Tags, "red") })
			p.listed(tx, customers.Filter{Segment: s, Tag: "red", Limit: 1000}, red, len(red))
			p.listed(tx, customers.Filter{Segment: s, Search: "x.example", Limit: 1000, IncludeInactive: true}, want, len(want))
			p.listed(tx, customers.Filter{Segment: s, Search: "x.example", Tag: "red", Limit: 1000}, red, len(red))
		}
		return err
	})
	if err != nil {
		p.Fatal(err)
	}
}

func (p *people) listed(tx *db.Tx, f customers.Filter, want []id.Customer, total int) {
	p.Helper()
	list, n, err := customers.List(tx, f)
	var got []id.Customer
	for i := range list {
		got = append(got, list[i].ID)
	}
	if err != nil || n != int64(total) || !slices.Equal(got, want) {
		p.Fatalf("%+v of %+v: %v, %d, %v; want %v, %d", f, f.Segment, got, n, err, want, total)
	}
}

func (p *people) sound() {
	p.Helper()
	results, err := verify.Run(p.Context(), p.store, "")
	if err != nil {
		p.Fatal(err)
	}
	for _, r := range results {
		if r.Wrong > 0 {
			p.Fatalf("%s: %v", r.Name, r.Examples)
		}
		if r.Name == "segments" {
			p.Logf("%d lists", r.Looked)
		}
	}
}

// Whatever is done to customers, orders and segments, and however far their lists have come, a segment has whom its
// rules say.
func TestSegmentsHaveWhomTheirRulesSay(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		for seed := range uint64(2) {
			p := newPeople(t, store, seed)
			steps[0].do(p)
			p.order()
			p.must(func(tx *db.Tx) error {
				for kind := range ruleKinds {
					p.do.CreateSegment(tx, p.who, "s", p.rule(kind))
				}
				return nil
			})
			p.follow()
			sum := 0
			for _, s := range steps {
				sum += s.weight
			}
			for range 160 {
				n := p.dice.IntN(sum)
				for _, s := range steps {
					if n -= s.weight; n < 0 {
						s.do(p)
						break
					}
				}
				p.lists()
			}
			p.sound()
			p.follow()
			p.lists()
			p.sound()
		}
	})
}

// Lists are followed by two processes while clients write; in the end they have whom the rules say, and the account
// without segments keeps nothing.
func TestSegmentsBesideWriters(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		first := newPeople(t, store, 1)
		steps[0].do(first)
		first.order()
		var clients, followers sync.WaitGroup
		ended := make(chan struct{})
		for n := range 4 {
			p := &people{T: t, store: store, do: first.do, who: first.who, dice: rand.New(rand.NewPCG(uint64(n), 7)),
				known: slices.Clone(first.known), orders: slices.Clone(first.orders)}
			clients.Go(func() {
				for range 40 {
					s := steps[p.dice.IntN(len(steps)-2)]
					if s.name == "channel that closes" || s.name == "customer" || s.name == "merge" { // these look at the lists, or name others alike
						s = steps[3]
					}
					s.do(p)
				}
			})
		}
		for range 2 {
			followers.Go(func() {
				for more := true; more; {
					select {
					case <-ended:
						more = false
					default:
					}
					for range 3 {
						err := first.write(func(tx *db.Tx) error {
							_, err := customers.SegmentLists.Batch(tx, 3)
							return err
						})
						if err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		clients.Wait()
		close(ended)
		followers.Wait()
		first.lists()
		first.sound()
		first.follow()
		first.lists()
		first.sound()
		err := first.write(func(tx *db.Tx) error {
			all, err := customers.Segments(tx)
			for _, s := range all {
				err = errors.Join(err, first.do.DeleteSegment(tx, first.who, s.ID, commerce.Expected{}))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		first.follow()
		for _, table := range []string{"segment_lists", "segment_members", "segment_changes"} {
			if rows := dbtest.RowsOf(t, store, first.who.Tenant, table); rows != dbtest.RowsOf(t, store, first.who.Tenant+1000, table) {
				t.Errorf("%s has %s", table, rows)
			}
		}
	})
}
