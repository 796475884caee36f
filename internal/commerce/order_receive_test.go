package commerce_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/orders"
	"entrepot/internal/verify"
)

// platform is a shop with a channel of a platform.
type platform struct {
	*shop
	channel channels.Channel
	minute  int // of the platform's clock, which moves with every version of an order
}

func newPlatform(t *testing.T, store *db.DB, products int) *platform {
	t.Helper()
	p := &platform{shop: newShop(t, store, products)}
	p.channel = channels.Channel{Tenant: p.who.Tenant, ID: id.New[id.Channel](), Name: "Shop", Platform: "WOOCOMMERCE", Status: "active",
		Settings: "{}", Oversell: "allow"}
	if err := p.write(t, func(tx *db.Tx) error { p.channel.Insert(tx); return nil }); err != nil {
		t.Fatal(err)
	}
	return p
}

// order is a version of order 77 as the platform has it: two of SKU-0 and one of a SKU that nothing has here.
func (p *platform) order(theirs string, status orders.Status) connector.Order {
	p.minute++
	at := time.Date(2026, 1, 2, 3, p.minute, 0, 0, time.UTC)
	return connector.Order{ExternalID: "77", Number: "1077", Theirs: theirs, Status: status, CreatedAt: at, UpdatedAt: at, Currency: "EUR",
		Name: "Ada Lovelace", Email: "ada@example.com", Phone: "+33 1",
		ShipTo: &connector.Place{Line1: "1 rue", City: "Paris", PostalCode: "75002", Country: "FR"},
		Lines: []connector.OrderLine{{ExternalID: "a", SKU: "SKU-0", Name: "Mug", Quantity: 2, Amount: 100000},
			{ExternalID: "b", SKU: "LATER", Name: "Pen", Quantity: 3, Amount: 100000},
			{ExternalID: "f", Name: "Gift wrap", Quantity: 1, Amount: 20000},
			{ExternalID: "g", Name: "Voucher", Quantity: 1, Amount: -10000}},
		Discount: 5000, Shipping: 49000, Tax: 51000, Total: 305000}
}

func (p *platform) receive(t *testing.T, in connector.Order) (*orders.Order, commerce.ReceivedOrder) {
	t.Helper()
	out, err := p.do.ReceiveOrder(t.Context(), p.store, p.channel, in, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p.read(t, out.ID), out
}

// holds fails when the order and the store around it are not what they should be.
func (p *platform) holds(t *testing.T, o *orders.Order, status orders.Status, reserved int64, issues ...orders.IssueCode) {
	t.Helper()
	if _, held := p.level(t, 0); o.Status != status || held != reserved {
		t.Errorf("%s with %d reserved, want %s with %d", o.Status, held, status, reserved)
	}
	var codes []orders.IssueCode
	for _, i := range o.Issues {
		codes = append(codes, i.Code)
	}
	if !slices.Equal(codes, issues) {
		t.Errorf("issues %v, want %v: %+v", codes, issues, o.Issues)
	}
	results, err := verify.Run(t.Context(), p.store, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if slices.Contains([]string{"ledger", "levels", "reservations", "open lines", "shipped lines", "order status", "order totals",
			"order history",
			"shipments", "reopened orders", "order counts", "customer totals", "order events"}, r.Name) && r.Wrong > 0 {
			t.Errorf("%s: %v", r.Name, r.Examples)
		}
	}
}

func TestReceiveOrder(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPlatform(t, store, 1)
		var wait sync.WaitGroup
		first := p.order("processing", orders.Processing)
		for range 4 {
			wait.Go(func() {
				if _, err := p.do.ReceiveOrder(t.Context(), p.store, p.channel, first, nil); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		o, out := p.receive(t, first)
		if out.Created || out.Updated {
			t.Errorf("the fifth time: %+v", out)
		}
		if got := slices.DeleteFunc(p.events(t), func(name string) bool { return name != "order.received" }); len(got) != 1 {
			t.Errorf("%d times order.received", len(got))
		}
		p.holds(t, o, orders.Processing, 2, orders.UnknownSKU)
		if o.ExternalID() != "77" || o.ExternalNumber != "1077" || o.Customer == "" || o.CustomerPhone != "+33 1" ||
			o.Sync.State != orders.Synced {
			t.Errorf("%+v", o)
		}
		if want := `{"line1":"1 rue","city":"Paris","postalCode":"75002","zip":"75002","country":"FR","line2":null}`; o.ShippingAddress != want {
			t.Errorf("the address: %s", o.ShippingAddress)
		}
		if o.Subtotal != 220000 || o.DiscountAmount != 15000 || o.Tax() != 51000 || o.Total != 305000 || len(o.Lines) != 3 {
			t.Errorf("amounts %+v of %d lines", o.Totals, len(o.Lines))
		}
		if pen := o.Lines[1]; pen.UnitPrice != 33333 || pen.Total != 100000 || pen.Product != "" || pen.Reserved != 0 {
			t.Errorf("%+v", pen)
		}
	})
}

func TestReceivedOrderFollowsItsChannel(t *testing.T) {
	at := time.Date(2026, 1, 2, 4, 0, 0, 0, time.UTC)
	refund := func(quantity int64, amount money.Amount) connector.Refund {
		return connector.Refund{ExternalID: "r1", Amount: amount, Reason: "torn", CreatedAt: at,
			Lines: []connector.RefundLine{{ExternalLine: "a", Quantity: quantity, Amount: amount}}}
	}
	for _, test := range []struct {
		name     string
		from     orders.Status
		change   func(in *connector.Order)
		status   orders.Status
		reserved int64
		issues   []orders.IssueCode
		events   []string // after order.received and customer.created
	}{
		{"two moves at once", orders.Pending, func(in *connector.Order) { in.Theirs, in.Status = "completed", orders.Shipped },
			orders.Shipped, 0, []orders.IssueCode{orders.UnknownSKU},
			[]string{"order.status_changed", "order.shipment_created", "order.status_changed", "order.shipped", "stock.updated"}},
		{"cancelled", orders.Processing, func(in *connector.Order) { in.Theirs, in.Status = "cancelled", orders.Cancelled },
			orders.Cancelled, 0, []orders.IssueCode{orders.UnknownSKU}, []string{"order.status_changed", "order.cancelled"}},
		{"no way back", orders.Shipped, func(in *connector.Order) { in.Theirs, in.Status = "on-hold", orders.Pending },
			orders.Shipped, 0, []orders.IssueCode{orders.UnknownSKU, orders.IllegalTransition}, []string{"order.updated"}},
		{"waiting for its carrier", orders.Shipped,
			func(in *connector.Order) { in.Theirs, in.Status, in.Trails = "packed", orders.Processing, true },
			orders.Shipped, 0, []orders.IssueCode{orders.UnknownSKU}, nil},
		{"waiting again after it was delivered", orders.Delivered,
			func(in *connector.Order) { in.Theirs, in.Status, in.Trails = "packed", orders.Processing, true },
			orders.Delivered, 0, []orders.IssueCode{orders.UnknownSKU, orders.IllegalTransition}, []string{"order.updated"}},
		{"a parcel that was taken back there", orders.Shipped,
			func(in *connector.Order) { in.Theirs, in.Status = "partially fulfilled", orders.PartiallyShipped },
			orders.Shipped, 0, []orders.IssueCode{orders.UnknownSKU, orders.IllegalTransition}, []string{"order.updated"}},
		{"a word of its own", orders.Processing, func(in *connector.Order) { in.Theirs, in.Status = "packing", "" },
			orders.Processing, 2, []orders.IssueCode{orders.UnknownSKU, orders.IllegalTransition}, []string{"order.updated"}},
		{"another quantity", orders.Processing, func(in *connector.Order) { in.Lines[0].Quantity = 5 },
			orders.Processing, 5, []orders.IssueCode{orders.UnknownSKU}, []string{"order.updated"}},
		{"another quantity, too late", orders.Shipped, func(in *connector.Order) { in.Lines[0].Quantity = 5 },
			orders.Shipped, 0, []orders.IssueCode{orders.UnknownSKU, orders.SyncConflict}, []string{"order.updated"}},
		{"amounts that do not add up", orders.Processing, func(in *connector.Order) { in.Total++ },
			orders.Processing, 2, []orders.IssueCode{orders.UnknownSKU, orders.AmountsDiffer}, []string{"order.updated"}},
		{"one of two refunded before it was shipped", orders.Processing,
			func(in *connector.Order) { in.Refunds = append(in.Refunds, refund(1, 50000)) },
			orders.Processing, 1, []orders.IssueCode{orders.UnknownSKU}, []string{"order.updated"}},
		{"a line refunded in two parts", orders.Processing, func(in *connector.Order) {
			in.Refunds = append(in.Refunds, refund(1, 50000))
			in.Refunds[0].Lines = append(in.Refunds[0].Lines, in.Refunds[0].Lines...)
		}, orders.Processing, 0, []orders.IssueCode{orders.UnknownSKU}, []string{"order.updated"}},
		{"refunded wholly", orders.Processing, func(in *connector.Order) { in.Refunds = append(in.Refunds, refund(2, 305000)) },
			orders.Cancelled, 0, []orders.IssueCode{orders.UnknownSKU}, []string{"order.updated", "order.status_changed", "order.cancelled"}},
		{"refunded after it was shipped", orders.Shipped, func(in *connector.Order) { in.Refunds = append(in.Refunds, refund(2, 305000)) },
			orders.Returned, 0, []orders.IssueCode{orders.UnknownSKU}, []string{"order.updated", "order.status_changed", "order.returned"}},
		{"a part has left", orders.Pending, func(in *connector.Order) {
			in.Parcels = []connector.Parcel{{Key: "p1", Carrier: "DHL", Number: "JD1",
				Lines: []connector.ParcelLine{{ExternalLine: "a", Quantity: 1}}}}
		}, orders.PartiallyShipped, 1, []orders.IssueCode{orders.UnknownSKU},
			[]string{"order.status_changed", "order.shipment_created", "order.status_changed", "stock.updated"}},
		{"a part has left by the count alone", orders.Processing,
			func(in *connector.Order) { in.Status, in.Sent = orders.PartiallyShipped, map[string]int64{"a": 1} },
			orders.PartiallyShipped, 1, []orders.IssueCode{orders.UnknownSKU},
			[]string{"order.shipment_created", "order.status_changed", "stock.updated"}},
		{"shipped and refunded wholly at once", orders.Processing,
			func(in *connector.Order) {
				in.Theirs, in.Status, in.Refunded = "refunded shipped", orders.Shipped, true
			},
			orders.Returned, 0, []orders.IssueCode{orders.UnknownSKU}, []string{"order.shipment_created", "order.status_changed", "order.shipped",
				"stock.updated", "order.status_changed", "order.returned"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dbtest.Engines(t, func(t *testing.T, store *db.DB) {
				p := newPlatform(t, store, 1)
				p.receive(t, p.order("first", test.from))
				before := len(p.events(t))
				next := p.order("first", test.from)
				test.change(&next)
				o, _ := p.receive(t, next)
				p.holds(t, o, test.status, test.reserved, test.issues...)
				if got := p.events(t)[before:]; !slices.Equal(got, test.events) {
					t.Errorf("events %v, want %v", got, test.events)
				}
				for _, e := range o.History {
					if e.Source != orders.FromChannel {
						t.Errorf("%+v", e)
					}
				}
				if n := p.waiting(t); n != 0 {
					t.Errorf("%d jobs push back what came from there", n)
				}
				again := len(p.events(t))
				next.UpdatedAt = next.UpdatedAt.Add(time.Second)
				p.receive(t, next)
				if got := p.events(t)[again:]; len(got) != 0 {
					t.Errorf("the same once more: %v", got)
				}
			})
		})
	}
}

// What has left by the platform's count alone is not shipped again when the platform names its parcels, in whatever pieces, nor is it sent
// to the platform. An order that comes in shipped in part, without a word of what has left, has that status.
func TestPartsThatLeftByCount(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPlatform(t, store, 1)
		next := func(sent map[string]int64, parcels ...connector.Parcel) *orders.Order {
			in := p.order("in part", orders.PartiallyShipped)
			in.Lines[0].Quantity = 5
			in.Sent, in.Parcels = sent, parcels
			o, _ := p.receive(t, in)
			return o
		}
		named := func(key string, n int64) connector.Parcel {
			return connector.Parcel{Key: key, Number: key, Lines: []connector.ParcelLine{{ExternalLine: "a", Quantity: n}}}
		}
		p.holds(t, next(nil), orders.PartiallyShipped, 5, orders.UnknownSKU)
		p.holds(t, next(map[string]int64{"a": 2}), orders.PartiallyShipped, 3, orders.UnknownSKU)
		p.holds(t, next(map[string]int64{"a": 2}, named("T1", 1), named("T2", 1)), orders.PartiallyShipped, 3, orders.UnknownSKU)
		for range 2 {
			o := next(map[string]int64{"a": 4}, named("T1", 1), named("T2", 1), named("T3", 2))
			p.holds(t, o, orders.PartiallyShipped, 1, orders.UnknownSKU)
			if n := p.waiting(t); o.Lines[0].Shipped != 4 || n != 0 {
				t.Errorf("%+v, %d jobs", o.Shipments, n)
			}
		}
	})
}

// Lines of an order of which something was refunded are not edited: the refund names them.
func TestRefundedOrderIsNotEdited(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPlatform(t, store, 1)
		first := p.order("processing", orders.Processing)
		p.receive(t, first)
		next := p.order("processing", orders.Processing)
		next.Refunds = []connector.Refund{{ExternalID: "r1", Amount: 100000, Lines: []connector.RefundLine{{ExternalLine: "a", Quantity: 2}}}}
		o, _ := p.receive(t, next)
		line := o.Lines[0]
		err := p.write(t, func(tx *db.Tx) error {
			_, err := p.do.EditOrder(tx, p.who, o.ID, commerce.Expected{}, commerce.Edit{
				Lines: []orders.LineDraft{{ID: line.ID, SKU: line.SKU, Quantity: 1, UnitPrice: line.UnitPrice}}})
			return err
		})
		if f, ok := apperr.As(err); !ok || f.Code != "order_not_editable" {
			t.Errorf("an edit below the refunded quantity: %v", err)
		}
		p.holds(t, p.read(t, o.ID), orders.Processing, 0, orders.UnknownSKU)
	})
}

// An order of which a part was shipped is SHIPPED when the rest is refunded. A platform that calls both the same is asked to complete it.
func TestRestOfAnOrderIsRefunded(t *testing.T) {
	for _, undivided := range []bool{false, true} {
		dbtest.Engines(t, func(t *testing.T, store *db.DB) {
			p := newPlatform(t, store, 1)
			next := p.order("processing", orders.Processing)
			if next.Undivided = undivided; !undivided {
				next.Theirs, next.Status = "partially shipped", orders.PartiallyShipped
			}
			next.Parcels = []connector.Parcel{{Key: "p1", Number: "JD1", ShippedAt: next.UpdatedAt, Lines: []connector.ParcelLine{
				{ExternalLine: "a", Quantity: 1}, {ExternalLine: "b", Quantity: 3}, {ExternalLine: "f", Quantity: 1}}}}
			o, _ := p.receive(t, next)
			p.holds(t, o, orders.PartiallyShipped, 1, orders.UnknownSKU)
			before := len(p.events(t))
			next.UpdatedAt = next.UpdatedAt.Add(time.Minute)
			next.Refunds = []connector.Refund{{ExternalID: "r1", Amount: 50000, CreatedAt: next.UpdatedAt,
				Lines: []connector.RefundLine{{ExternalLine: "a", Quantity: 1}}}}
			o, _ = p.receive(t, next)
			p.holds(t, o, orders.Shipped, 0, orders.UnknownSKU)
			if got := p.events(t)[before:]; !slices.Equal(got, []string{"order.updated", "order.status_changed", "order.shipped"}) {
				t.Errorf("events %v", got)
			}
			if n := p.waiting(t); (n == 1) != undivided {
				t.Errorf("undivided %t: %d pushes", undivided, n)
			}
		})
	}
}

// A tracking number that was changed on the platform follows; one that it no longer gives stays.
func TestTrackingFollowsItsChannel(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPlatform(t, store, 1)
		next := p.order("shipped", orders.Shipped)
		parcel := func(key, number, line string) connector.Parcel {
			return connector.Parcel{Key: key, Carrier: "DHL", Number: number, ShippedAt: next.UpdatedAt,
				Lines: []connector.ParcelLine{{ExternalLine: line, Quantity: 5}}}
		}
		next.Parcels = []connector.Parcel{parcel("p1", "JD1", "a"), parcel("p2", "JD2", "b"), parcel("p3", "JD3", "f")}
		o, _ := p.receive(t, next)
		p.holds(t, o, orders.Shipped, 0, orders.UnknownSKU)
		before := len(p.events(t))
		for _, number := range []string{"UPS1", "UPS1", ""} {
			next.UpdatedAt = next.UpdatedAt.Add(time.Minute)
			next.Parcels = []connector.Parcel{parcel("p1", "JD1", "a"), parcel("p2", "JD9", "b"), parcel("p3", number, "f")}
			o, _ = p.receive(t, next)
			p.holds(t, o, orders.Shipped, 0, orders.UnknownSKU)
			if s := o.Shipments; len(s) != 3 || s[0].TrackingNumber != "JD1" || s[1].TrackingNumber != "JD9" || s[2].TrackingNumber != "UPS1" ||
				o.TrackingNumber != "UPS1" {
				t.Errorf("%+v, %q", s, o.TrackingNumber)
			}
		}
		if got := p.events(t)[before:]; !slices.Equal(got, []string{"order.updated"}) {
			t.Errorf("events %v", got)
		}
	})
}

// An order that is ahead of what its platform can say of it has no issue.
func TestPlatformWithoutAWordForIt(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPlatform(t, store, 1)
		o, _ := p.receive(t, p.order("completed", orders.Shipped))
		err := p.write(t, func(tx *db.Tx) error {
			o, err := p.do.MoveOrder(tx, p.who, o.ID, commerce.Expected{}, commerce.Move{To: orders.Delivered, Source: orders.FromAPI})
			if err == nil {
				o.Sync.State = orders.SyncSkipped
				orders.SaveSync(tx, o)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		o, _ = p.receive(t, p.order("completed again", orders.Shipped))
		p.holds(t, o, orders.Delivered, 0, orders.UnknownSKU)
		o, _ = p.receive(t, p.order("processing", orders.Processing))
		p.holds(t, o, orders.Delivered, 0, orders.UnknownSKU, orders.IllegalTransition)
	})
}

// waiting counts the jobs that push states to the channel.
func (p *platform) waiting(t *testing.T) (n int64) {
	t.Helper()
	err := p.store.Read(t.Context(), p.who.Tenant, func(tx *db.Tx) error {
		return tx.Row("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND type = 'status_push' AND channel_id = $2::UUID",
			[]any{tx.Tenant, p.channel.ID}, &n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestOwnMovesGoToTheChannelOnce(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPlatform(t, store, 1)
		o, _ := p.receive(t, p.order("processing", orders.Processing))
		var shipment orders.Shipment
		if err := p.change(t, o.ID, func(tx *db.Tx, o *orders.Order) (err error) {
			_, shipment, err = p.do.ShipOrder(tx, p.who, o.ID, commerce.Expected{},
				orders.ShipmentDraft{TrackingNumber: "JD2", Lines: []orders.DraftLine{{Line: o.Lines[0].ID, Quantity: 1}}})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if err := p.change(t, o.ID, func(tx *db.Tx, o *orders.Order) error {
			_, err := p.do.MoveOrder(tx, p.who, o.ID, commerce.Expected{}, commerce.Move{To: orders.Shipped, Source: orders.FromAPI})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if o = p.read(t, o.ID); o.Sync.State != orders.SyncPending || p.waiting(t) != 1 {
			t.Errorf("%+v, %d jobs wait", o.Sync, p.waiting(t))
		}
		before := len(p.events(t))
		echo := p.order("on-hold", orders.Processing) // the platform has not heard of it, but of a parcel
		echo.Parcels = []connector.Parcel{{Key: "theirs", Number: shipment.TrackingNumber,
			Lines: []connector.ParcelLine{{ExternalLine: "a", Quantity: 1}}}}
		o, _ = p.receive(t, echo)
		p.holds(t, o, orders.Shipped, 0, orders.UnknownSKU)
		if got := p.events(t)[before:]; len(got) != 0 || o.Sync.State != orders.SyncPending || len(o.Shipments) != 2 {
			t.Errorf("an echo gave %v, %+v, %d shipments", got, o.Sync, len(o.Shipments))
		}
	})
}

func TestLinesGetTheirProduct(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPlatform(t, store, 1)
		o, _ := p.receive(t, p.order("processing", orders.Processing))
		product := id.New[id.Product]()
		waiting := func() (list []orders.Waiting) {
			err := store.Read(t.Context(), db.Across, func(tx *db.Tx) (err error) {
				list, err = orders.WaitingAnywhere(tx, 10)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		if list := waiting(); len(list) != 0 {
			t.Fatalf("%+v wait for nothing", list)
		}
		if err := p.write(t, func(tx *db.Tx) error {
			tx.Change(`INSERT INTO products (tenant_id, id, sku, name, slug, description, status, price, media, attributes, search, variant_count,
				category_count, created_at, updated_at, changed_at)
				VALUES ($1,$2,'LATER','Pen','pen','','ACTIVE',100000,'[]','{}','',0,0,0,0,`+db.Clock+` + $3::BIGINT)`, tx.Tenant, product, tx.Stamps(1))
			tx.Queue("INSERT INTO skus (tenant_id, sku, product_id) VALUES ($1,'LATER',$2)", tx.Tenant, product)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		list := waiting()
		if len(list) != 1 || list[0].Order != o.ID || list[0].Tenant != p.who.Tenant {
			t.Fatalf("%+v", list)
		}
		if err := p.write(t, func(tx *db.Tx) error { return p.do.LinkOrder(tx, o.ID) }); err != nil {
			t.Fatal(err)
		}
		o = p.read(t, o.ID)
		p.holds(t, o, orders.Processing, 2)
		if pen := o.Lines[1]; pen.Product != product || pen.Reserved != 3 || len(waiting()) != 0 {
			t.Errorf("%+v", pen)
		}
	})
}

// What the platform says of an order beside its amounts is taken whenever it comes, and stays beside what others have noted; what it no
// longer says of a wish of the buyer's goes.
func TestFactsOfThePlatformFollow(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPlatform(t, store, 1)
		in := p.order("pending", orders.Pending)
		in.Payment = map[string]any{"gateways": []string{}, "cancellationRequested": nil}
		step := func(status orders.Status, change func(), want string, updated bool) {
			t.Helper()
			in.UpdatedAt, in.Status, in.Theirs = in.UpdatedAt.Add(time.Second), status, string(status)
			change()
			o, out := p.receive(t, in)
			if !jsonvalue.Same(o.PaymentMetadata, want) || out.Updated != updated {
				t.Errorf("%s: %s, updated %v", status, o.PaymentMetadata, out.Updated)
			}
		}
		o, _ := p.receive(t, in)
		if !jsonvalue.Same(o.PaymentMetadata, `{"gateways":[]}`) {
			t.Errorf("%s", o.PaymentMetadata)
		}
		if err := p.write(t, func(tx *db.Tx) error {
			_, err := p.do.UpdateOrder(tx, p.who, o.ID, commerce.Expected{}, commerce.OrderUpdate{
				PaymentMetadata: patch.Field[string]{Set: true, Value: `{"gateways":[],"invoice":12}`}})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		step(orders.Processing, func() { in.Payment["gateways"], in.Payment["taxKept"] = []string{"card"}, "1.20" },
			`{"gateways":["card"],"invoice":12,"taxKept":"1.20"}`, true)
		step(orders.Shipped, func() {}, `{"gateways":["card"],"invoice":12,"taxKept":"1.20"}`, true)
		step(orders.Shipped, func() { in.Payment["cancellationRequested"] = true },
			`{"gateways":["card"],"invoice":12,"taxKept":"1.20","cancellationRequested":true}`, true)
		step(orders.Shipped, func() { in.Payment["cancellationRequested"] = nil },
			`{"gateways":["card"],"invoice":12,"taxKept":"1.20"}`, true)
		step(orders.Shipped, func() {}, `{"gateways":["card"],"invoice":12,"taxKept":"1.20"}`, false)
		o, _ = p.receive(t, in)
		p.holds(t, o, orders.Shipped, 0, orders.UnknownSKU)
	})
}

// A line of which the platform's SKU does not say what was sold reserves nothing, and an issue says why.
func TestLinesThatAreUnclear(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPlatform(t, store, 1)
		in := p.order("processing", orders.Processing)
		in.Lines[0].SKU, in.Lines[0].Unclear = "", "the shop has 2 products with the reference SKU-0"
		o, _ := p.receive(t, in)
		if o.Lines[0].Product != "" || !slices.ContainsFunc(o.Issues, func(i orders.Issue) bool {
			return i.Code == orders.UnknownSKU && i.Message == in.Lines[0].Unclear && i.Path == "items[0].sku"
		}) {
			t.Errorf("%+v, %+v", o.Lines, o.Issues)
		}
		if _, held := p.level(t, 0); held != 0 {
			t.Errorf("%d are reserved", held)
		}
	})
}
