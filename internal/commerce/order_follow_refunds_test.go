package commerce_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/orders"
	"entrepot/internal/verify"
)

// agrees fails when refunds, returns, ledger or lines of the store do not agree with each other.
func (p *platform) agrees(t *testing.T) {
	t.Helper()
	results, err := verify.Run(t.Context(), p.store, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if slices.Contains([]string{"ledger", "levels", "reservations", "shipped lines", "order status", "refunds", "returns"}, r.Name) && r.Wrong > 0 {
			t.Errorf("%s: %v", r.Name, r.Examples)
		}
	}
}

// back is how many movements put units back by a return, and how many units.
func (p *platform) back(t *testing.T) (movements, units int64) {
	t.Helper()
	err := p.store.Read(t.Context(), p.who.Tenant, func(tx *db.Tx) error {
		return tx.Row("SELECT count(*), coalesce(sum(delta), 0)::BIGINT FROM movements WHERE tenant_id = $1 AND cause = 'return'", []any{tx.Tenant},
			&movements, &units)
	})
	if err != nil {
		t.Fatal(err)
	}
	return movements, units
}

// record records a return of units of the first line here, which is received if it is wanted so.
func (p *platform) record(t *testing.T, o *orders.Order, units int64, restock, received bool) {
	t.Helper()
	err := p.write(t, func(tx *db.Tx) error {
		_, made, err := p.do.CreateReturn(tx, o.ID, commerce.Expected{}, orders.ReturnDraft{Reason: "too small",
			Lines: []orders.ReturnLine{{Line: o.Lines[0].ID, Quantity: units, Restock: restock}}})
		if err != nil || !received {
			return err
		}
		_, _, err = p.do.UpdateReturn(tx, p.who, o.ID, commerce.Expected{}, made.ID, commerce.ReturnUpdate{Status: patch.To(orders.ReturnReceived)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What a platform says of refunds and returns of a shipped order (two of SKU-0; 30.50) becomes the same records as those made here, once
// however often it is told, and units are put back just where the platform has done so.
func TestRefundsAndReturnsOfAPlatform(t *testing.T) {
	at := time.Date(2026, 1, 2, 4, 0, 0, 0, time.UTC)
	refund := func(name string, quantity int64, amount money.Amount) connector.Refund {
		r := connector.Refund{ExternalID: name, Amount: amount, Reason: "torn", CreatedAt: at}
		if quantity > 0 {
			r.Lines = []connector.RefundLine{{ExternalLine: "a", Quantity: quantity, Amount: amount}}
		}
		return r
	}
	named := func(name string, quantity int64, restocked bool) connector.Return {
		return connector.Return{ExternalID: name, Refund: name, Reason: "torn", CreatedAt: at,
			Lines: []connector.ReturnLine{{ExternalLine: "a", Quantity: quantity, Restocked: restocked}}}
	}
	counted := func(n int64) map[string]int64 { return map[string]int64{"a": n} }
	for _, test := range []struct {
		name     string
		here     func(t *testing.T, p *platform, o *orders.Order) // what is recorded here before
		there    []func(in *connector.Order)                      // what the platform says, one after the other
		status   orders.Status
		refunded money.Amount
		refunds  int
		returns  []orders.ReturnStatus
		units    int64 // put back by returns
		issue    bool
	}{
		{"money alone", nil, []func(in *connector.Order){
			func(in *connector.Order) { in.Refunds = []connector.Refund{refund("r1", 0, 50000)} }},
			orders.Shipped, 50000, 1, nil, 0, false},
		{"units that are not restocked", nil, []func(in *connector.Order){
			func(in *connector.Order) { in.Refunds = []connector.Refund{refund("r1", 1, 50000)} }},
			orders.Shipped, 50000, 1, nil, 0, false},
		{"a return that is restocked", nil, []func(in *connector.Order){func(in *connector.Order) {
			in.Refunds, in.Returns = []connector.Refund{refund("r1", 1, 50000)}, []connector.Return{named("r1", 1, true)}
		}}, orders.Shipped, 50000, 1, []orders.ReturnStatus{orders.ReturnRefunded}, 1, false},
		{"a return that is not restocked", nil, []func(in *connector.Order){func(in *connector.Order) {
			in.Refunds, in.Returns = []connector.Refund{refund("r1", 1, 50000)}, []connector.Return{named("r1", 1, false)}
		}}, orders.Shipped, 50000, 1, []orders.ReturnStatus{orders.ReturnRefunded}, 0, false},
		{"a count of what is restocked, which grows", nil, []func(in *connector.Order){
			func(in *connector.Order) {
				in.Refunds, in.Restocked = []connector.Refund{refund("r1", 1, 50000)}, counted(1)
			},
			func(in *connector.Order) {
				in.Refunds, in.Restocked = []connector.Refund{refund("r2", 1, 50000), refund("r1", 1, 50000)}, counted(2)
			},
		}, orders.Shipped, 100000, 2, []orders.ReturnStatus{orders.ReturnRefunded, orders.ReturnRefunded}, 2, false},
		{"more is restocked than was shipped", nil, []func(in *connector.Order){func(in *connector.Order) {
			in.Refunds, in.Restocked = []connector.Refund{refund("r1", 5, 50000)}, counted(5)
		}}, orders.Shipped, 50000, 1, []orders.ReturnStatus{orders.ReturnRefunded}, 2, false},
		{"more than the total", nil, []func(in *connector.Order){func(in *connector.Order) {
			in.Refunds = []connector.Refund{refund("r1", 0, 300000), refund("r2", 0, 300000)}
		}}, orders.Returned, 305000, 2, nil, 0, true},
		{"the rest that a shop gives back by itself", func(t *testing.T, p *platform, o *orders.Order) { p.refund(t, o, 305000) },
			[]func(in *connector.Order){func(in *connector.Order) {
				in.Theirs, in.Refunded, in.Refunds = "refunded", true, []connector.Refund{refund("r1", 0, 305000)}
			}}, orders.Returned, 305000, 1, nil, 0, false},
		{"the rest of what was recorded in part", func(t *testing.T, p *platform, o *orders.Order) { p.refund(t, o, 100000) },
			[]func(in *connector.Order){func(in *connector.Order) {
				in.Theirs, in.Refunded, in.Refunds = "refunded", true, []connector.Refund{refund("r1", 0, 305000)}
			}}, orders.Returned, 305000, 2, nil, 0, false},
		{"a return that was received here", func(t *testing.T, p *platform, o *orders.Order) { p.record(t, o, 1, true, true) },
			[]func(in *connector.Order){func(in *connector.Order) {
				in.Refunds, in.Restocked = []connector.Refund{refund("r1", 1, 50000)}, counted(1)
			}}, orders.Shipped, 50000, 1, []orders.ReturnStatus{orders.ReturnRefunded}, 1, false},
		{"a return that was received here and is not for sale", func(t *testing.T, p *platform, o *orders.Order) { p.record(t, o, 1, false, true) },
			[]func(in *connector.Order){func(in *connector.Order) {
				in.Refunds, in.Restocked = []connector.Refund{refund("r1", 1, 50000)}, counted(1)
			}}, orders.Shipped, 50000, 1, []orders.ReturnStatus{orders.ReturnRefunded}, 0, false},
		{"a return that was requested here", func(t *testing.T, p *platform, o *orders.Order) { p.record(t, o, 1, false, false) },
			[]func(in *connector.Order){func(in *connector.Order) {
				in.Refunds, in.Returns = []connector.Refund{refund("r1", 1, 50000)}, []connector.Return{named("r1", 1, true)}
			}}, orders.Shipped, 50000, 1, []orders.ReturnStatus{orders.ReturnRefunded}, 1, false},
		{"a return without its refund", nil, []func(in *connector.Order){func(in *connector.Order) {
			in.Returns = []connector.Return{named("t1", 1, false)}
		}}, orders.Shipped, 0, 0, []orders.ReturnStatus{orders.ReturnReceived}, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			dbtest.Engines(t, func(t *testing.T, store *db.DB) {
				p := newPlatform(t, store, 1)
				o, _ := p.receive(t, p.order("completed", orders.Shipped))
				onHand, _ := p.level(t, 0)
				if test.here != nil {
					test.here(t, p, o)
				}
				var said connector.Order
				for _, say := range test.there {
					said = p.order("completed", orders.Shipped)
					say(&said)
					p.receive(t, said)
				}
				told := len(p.events(t))
				for range 2 { // the same again, told of by a notification and by a pull
					said.UpdatedAt = said.UpdatedAt.Add(time.Second)
					o, _ = p.receive(t, said)
				}
				if again := p.events(t)[told:]; len(again) != 0 {
					t.Errorf("the same again: %v", again)
				}
				var states []orders.ReturnStatus
				for _, r := range o.Returns {
					states = append(states, r.Status)
				}
				if o.Status != test.status || o.RefundedAmount != test.refunded || len(o.Refunds) != test.refunds || !slices.Equal(states, test.returns) {
					t.Errorf("%s, refunded %s by %d refunds, returns %v: %+v", o.Status, o.RefundedAmount, len(o.Refunds), states, o.Refunds)
				}
				_, units := p.back(t)
				if now, _ := p.level(t, 0); units != test.units || now != onHand+test.units {
					t.Errorf("%d units came back, %d are on hand of %d", units, now, onHand)
				}
				over := slices.ContainsFunc(o.Issues, func(i orders.Issue) bool { return i.Path == "refunds" && i.Code == orders.AmountsDiffer })
				if over != test.issue {
					t.Errorf("issues %+v", o.Issues)
				}
				if n := p.waiting(t); n != 0 && test.here == nil {
					t.Errorf("%d jobs push back what came from there", n)
				}
				p.agrees(t)
			})
		})
	}
}

// refund records a refund here.
func (p *platform) refund(t *testing.T, o *orders.Order, amount money.Amount) {
	t.Helper()
	if err := p.write(t, func(tx *db.Tx) error {
		_, _, err := p.do.RefundOrder(tx, p.who, o.ID, commerce.Expected{}, orders.RefundDraft{Amount: amount, Reason: "late"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// An order all of whose units have come back to the platform is RETURNED, also if not all of the money was given back, and stays so while
// the platform still calls it shipped.
func TestAllUnitsComeBackToThePlatform(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPlatform(t, store, 1)
		in := p.order("completed", orders.Shipped)
		p.receive(t, in)
		back := connector.Return{ExternalID: "t1", Refund: "r1"}
		for _, l := range in.Lines[:3] {
			back.Lines = append(back.Lines, connector.ReturnLine{ExternalLine: l.ExternalID, Quantity: l.Quantity, Restocked: true})
		}
		for _, theirs := range []string{"completed", "completed", "completed, too"} {
			next := p.order(theirs, orders.Shipped)
			next.Refunds, next.Returns = []connector.Refund{{ExternalID: "r1", Amount: 200000, CreatedAt: next.UpdatedAt}}, []connector.Return{back}
			o, _ := p.receive(t, next)
			if _, units := p.back(t); o.Status != orders.Returned || len(o.Returns) != 1 || units != 2 || o.RefundedAmount != 200000 {
				t.Errorf("%s with %+v: %d units came back", o.Status, o.Returns, units)
			}
			p.holds(t, o, orders.Returned, 0, orders.UnknownSKU)
		}
		p.agrees(t)
	})
}

// Units that had left are not taken off what remains to be shipped when they come back.
func TestUnitsThatHadLeftComeBack(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPlatform(t, store, 1)
		p.receive(t, p.order("paid", orders.Processing))
		next := func(change func(in *connector.Order)) *orders.Order {
			in := p.order("in part", orders.PartiallyShipped)
			in.Parcels = []connector.Parcel{{Key: "p1", Number: "N1", ShippedAt: in.UpdatedAt,
				Lines: []connector.ParcelLine{{ExternalLine: "a", Quantity: 1}}}}
			change(&in)
			o, _ := p.receive(t, in)
			return o
		}
		next(func(*connector.Order) {})
		o := next(func(in *connector.Order) {
			in.Refunds = []connector.Refund{{ExternalID: "r1", Amount: 50000, CreatedAt: in.UpdatedAt,
				Lines: []connector.RefundLine{{ExternalLine: "a", Quantity: 1, Amount: 50000}}}}
			in.Returns = []connector.Return{{ExternalID: "r1", Refund: "r1", Lines: []connector.ReturnLine{{ExternalLine: "a", Quantity: 1}}}}
		})
		if l := o.Lines[0]; l.Refunded != 0 || l.Shipped != 1 || o.Status != orders.PartiallyShipped || len(o.Returns) != 1 {
			t.Errorf("%s %+v: %+v", o.Status, l, o.Returns)
		}
		p.holds(t, o, orders.PartiallyShipped, 1, orders.UnknownSKU)
		p.agrees(t)
	})
}

// refunding is a scripted session that records refunds.
type refunding struct {
	*scripted
}

func (r refunding) PushRefund(_ context.Context, order connector.OrderRef, refund connector.Refund) (string, error) {
	p := r.scripted
	at := slices.IndexFunc(p.orders, func(o connector.Order) bool { return o.ExternalID == order.ExternalID })
	for _, known := range p.orders[at].Refunds {
		if known.Ours == refund.Ours || !slices.Contains(order.Refunds, known.ExternalID) && known.Echoes(refund) {
			return known.ExternalID, nil
		}
	}
	if p.refusedRefund != nil {
		return "", p.refusedRefund
	}
	refund.ExternalID, refund.CreatedAt = fmt.Sprint("their ", len(p.orders[at].Refunds)+1), p.now()
	if p.markless {
		refund.Ours = ""
	}
	p.orders[at].Refunds = append(slices.Clone(p.orders[at].Refunds), refund)
	p.orders[at].UpdatedAt = p.now()
	if p.lostRefunds > 0 {
		p.lostRefunds--
		return "", connector.Failf(connector.Temporary, "no answer")
	}
	return refund.ExternalID, nil
}

// A refund that is recorded here is told to the platform once, if the channel's setting says so; a platform that cannot record it leaves
// a reason. Read back, it is the same refund.
func TestRefundsAreTold(t *testing.T) {
	for _, test := range []struct {
		name     string
		settings string
		prepare  func(p *scripted)
		told     int // refunds that the platform has
		linked   bool
		state    orders.SyncState
		reason   string
	}{
		{"off", `{}`, func(p *scripted) { p.refunds = true }, 0, false, orders.Synced, ""},
		{"on", `{"pushRefunds":true}`, func(p *scripted) { p.refunds = true }, 1, true, orders.Synced, ""},
		{"lost answer", `{"pushRefunds":true}`, func(p *scripted) { p.refunds, p.lostRefunds = true, 1 }, 1, true, orders.Synced, ""},
		{"lost answer, no mark", `{"pushRefunds":true}`, func(p *scripted) { p.refunds, p.lostRefunds, p.markless = true, 1, true }, 1, true,
			orders.Synced, ""},
		{"cannot", `{"pushRefunds":true}`, func(p *scripted) { p.does.NoRefunds = "make it there" }, 0, false, orders.SyncSkipped, "make it there"},
		{"refused", `{"pushRefunds":true}`, func(p *scripted) {
			p.refunds, p.refusedRefund = true, connector.Failf(connector.Rejected, "Invalid refund amount.")
		}, 0, false, orders.SyncSkipped, "the refund of 0.40 was not recorded there: Invalid refund amount."},
	} {
		t.Run(test.name, func(t *testing.T) {
			syncedEngines(t, 1, func(t *testing.T, s *synced) {
				p := s.platform
				p.does.Statuses = []orders.Status{orders.Processing, orders.Shipped}
				test.prepare(p)
				s.set(test.settings, "active")
				s.place("a")
				pass := func() { *s.clock = s.clock.Add(10 * time.Minute); s.work() }
				pass()
				var order id.Order
				s.must(s.store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) (err error) {
					order, err = orders.ByPlatformID(tx, s.channel.ID, "a")
					return err
				}))
				s.must(s.write(t, func(tx *db.Tx) error {
					_, _, err := s.do.RefundOrder(tx, s.who, order, commerce.Expected{}, orders.RefundDraft{Amount: 4000, Reason: "late"})
					return err
				}))
				for range 3 {
					pass()
				}
				o := s.read(t, order)
				there := p.find("a")[0].Refunds
				if len(there) != test.told || len(o.Refunds) != 1 || o.RefundedAmount != 4000 || (o.Refunds[0].ExternalID != "") != test.linked ||
					o.Refunds[0].Unsent {
					t.Errorf("there %+v, here %+v", there, o.Refunds)
				}
				if o.Sync.State != test.state || o.Sync.Error != test.reason {
					t.Errorf("%+v", o.Sync)
				}
			})
		})
	}
}
