package amazon_test

import (
	"testing"
	"time"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
	"entrepot/internal/connector/amazon/fakeshop"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/orders"
)

func wish(sku string, quantity, cents int64) fakeshop.Wish {
	return fakeshop.Wish{Lines: []fakeshop.Bought{{SKU: sku, Quantity: quantity, Cents: cents}}, Shipping: 490}
}

// pull reads all pages from a time on.
func (a *account) pull(t *testing.T, since time.Time) (list []connector.Order, until time.Time) {
	t.Helper()
	cursor := connector.Cursor{Since: since}
	for {
		var page connector.OrderPage
		a.again(t, func() (err error) {
			page, err = a.session.PullOrders(t.Context(), cursor)
			return err
		})
		list = append(list, page.Orders...)
		for _, u := range page.Unreadable {
			t.Errorf("%+v", u)
		}
		if cursor.Page = page.Next; page.Next == "" {
			return list, page.Until
		}
	}
}

func TestOrdersArePulled(t *testing.T) {
	for name, faults := range map[string]fakeshop.Faults{
		"a good day": {}, "in a bad way": {Duplicate: true, Reorder: true, LoseAnswer: 3, Broken: 5, Page: 7, TooMany: 11},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t)
			a.Faults = faults
			began := a.Now()
			ids := map[string]bool{}
			for range 230 {
				ids[a.Place(wish("MUG", 2, 1580))] = true
				a.Pass(time.Second)
			}
			placed := a.Now()
			a.Pass(3 * time.Minute)
			list, until := a.pull(t, began)
			for _, o := range list {
				delete(ids, o.ExternalID)
			}
			if len(ids) != 0 || until.After(a.Now()) || until.Before(placed) {
				t.Fatalf("%d orders are missing; until %s", len(ids), until)
			}
			a.Pass(time.Hour)
			changed := list[3].ExternalID
			a.Cancel(changed)
			a.Pass(time.Minute) // too early for a search
			if now, _ := a.pull(t, until); len(now) != 0 && faults.Broken == 0 {
				t.Errorf("%+v", now)
			}
			a.Pass(2 * time.Minute)
			now, _ := a.pull(t, until)
			if len(now) == 0 || now[0].ExternalID != changed || now[0].Status != orders.Cancelled || len(now[0].Lines) != 0 {
				t.Errorf("%+v", now)
			}
		})
	}
}

func TestASpanThatHasNotBegun(t *testing.T) {
	a := newAccount(t)
	page := connectortest.Must(a.session.PullOrders(t.Context(), connector.Cursor{Since: a.Now()}))(t)
	if page.Until.After(a.Now()) || page.Next != "" {
		t.Errorf("%+v", page)
	}
	if page := connectortest.Must(a.session.PullOrders(t.Context(), connector.Cursor{}))(t); page.Next != "" {
		t.Errorf("%+v", page)
	}
}

// A pull whose page token has ended is read in two halves, and in quarters if a half has too many pages for a token, too.
func TestATokenEnds(t *testing.T) {
	a := newAccount(t)
	began := a.Now()
	ids := map[string]bool{}
	place := func(n int) {
		for range n {
			ids[a.Place(wish("MUG", 1, 790))] = true
			a.Pass(time.Second)
		}
	}
	place(101)
	placed := a.Now()
	a.Pass(time.Hour)
	page := connectortest.Must(a.session.PullOrders(t.Context(), connector.Cursor{Since: began}))(t)
	a.Pass(time.Hour)
	last := connectortest.Must(a.session.PullOrders(t.Context(), connector.Cursor{Since: began, Page: page.Next}))(t)
	if !last.Until.Equal(page.Until) ||
		len(last.Orders) != 1 { // what changed after the first page was read is in none of them
		t.Errorf("%d orders until %s", len(last.Orders), last.Until)
	}
	a.Pass(25 * time.Hour)
	place(101)
	rest := connector.Cursor{Since: began, Page: page.Next}
	half := connectortest.Must(a.session.PullOrders(t.Context(), rest))(t)
	if len(half.Orders) != 100 || half.Next == "" {
		t.Fatalf("%d orders until %s", len(half.Orders), half.Until)
	}
	a.Pass(25 * time.Hour) // the half has two pages, too
	searches := 0
	for rest.Page = half.Next; rest.Page != ""; searches++ {
		page := connectortest.Must(a.session.PullOrders(t.Context(), rest))(t)
		for _, o := range page.Orders {
			delete(ids, o.ExternalID)
		}
		if rest.Page = page.Next; rest.Page == "" && page.Until.Before(placed.Add(26*time.Hour)) {
			t.Errorf("until %s", page.Until)
		}
	}
	if len(ids) != 0 || searches > 12 {
		t.Errorf("%d orders are missing after %d searches", len(ids), searches)
	}
}

func TestAmounts(t *testing.T) {
	lines := []fakeshop.Bought{{SKU: "MUG", Quantity: 3, Cents: 1000}, {SKU: "PEN", Quantity: 1, Cents: 199}}
	for name, c := range map[string]struct {
		wish                              fakeshop.Wish
		total, shipping, discount, tax, a money.Amount
		lines                             int
	}{
		"plain": {fakeshop.Wish{Lines: lines}, 119900, 0, 0, 0, 100000, 2},
		"all": {fakeshop.Wish{Lines: lines, Shipping: 490, Discount: 100, GiftWrap: 350, Tip: 200, Tax: 77}, 221600, 49000, 10000, 7700, 100000,
			4},
		"tax within": {fakeshop.Wish{Lines: lines, Shipping: 490, Tax: 160, Within: true}, 168900, 49000, 0, 16000, 84000, 2},
		"pending":    {fakeshop.Wish{Lines: lines, Shipping: 490, Pending: true}, 0, 0, 0, 0, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t)
			o := connectortest.Must(a.session.PullOrder(t.Context(), a.Place(c.wish)))(t)
			if o.Total != c.total || o.Shipping != c.shipping || o.Discount != c.discount || o.Tax != c.tax || o.Lines[0].Amount != c.a ||
				len(o.Lines) != c.lines || o.Currency != "EUR" {
				t.Errorf("%+v", o)
			}
			rest := o.Total + o.Discount - o.Shipping - o.Tax
			for _, l := range o.Lines {
				rest -= l.Amount
			}
			if rest != 0 {
				t.Errorf("%s are left over: %+v", rest, o)
			}
		})
	}
}

// One order may come in a member of its own or as it is.
func TestOneOrderInTwoForms(t *testing.T) {
	a := newAccount(t)
	id := a.Place(wish("MUG", 1, 1000))
	for _, bare := range []bool{false, true} {
		a.Faults.Bare = bare
		if o := connectortest.Must(a.session.PullOrder(t.Context(), id))(t); o.ExternalID != id || len(o.Lines) != 1 {
			t.Errorf("bare %v: %+v", bare, o)
		}
		if _, err := a.session.PullOrder(t.Context(), "1"); !connector.Is(err, connector.Missing) {
			t.Errorf("bare %v: %v", bare, err)
		}
	}
}

// A package of an order that was shipped in part is not all that is left, whatever is not said of it; what has left is counted then.
func TestPackagesThatDoNotSayWhatIsInThem(t *testing.T) {
	a := newAccount(t)
	id := a.Place(wish("MUG", 5, 7900))
	a.BuyLabel(id, "JD-1", 2)
	for _, sealed := range []bool{false, true} {
		a.Faults.Sealed = sealed
		o := connectortest.Must(a.session.PullOrder(t.Context(), id))(t)
		parcels := 1
		if sealed {
			parcels = 0
		}
		if o.Status != orders.PartiallyShipped || len(o.Parcels) != parcels || o.Sent[o.Lines[0].ExternalID] != 2 {
			t.Errorf("sealed %v: %+v", sealed, o)
		}
	}
	a.BuyLabel(id, "JD-2", 3)
	if o := connectortest.Must(a.session.PullOrder(t.Context(), id))(t); o.Status != orders.Shipped || len(o.Sent) != 0 {
		t.Errorf("%+v", o)
	}
}

// Where prices are without tax, Amazon keeps the tax: it is no part of what the seller gets.
func TestTaxThatAmazonKeeps(t *testing.T) {
	a := newAccount(t)
	a.Kept["marketplaceId"] = "ATVPDKIKX0DER"
	a.open()
	sold := wish("MUG", 1, 1000)
	sold.Tax, sold.Within = 80, true
	o := connectortest.Must(a.session.PullOrder(t.Context(), a.Place(sold)))(t)
	if o.Total != 149000 || o.Tax != 0 || o.Lines[0].Amount != 100000 || o.Shipping != 49000 || o.Payment["taxKeptByAmazon"] != "0.80" {
		t.Errorf("%+v", o)
	}
}

func TestStates(t *testing.T) {
	a := newAccount(t)
	pending := wish("MUG", 2, 1580)
	pending.Pending = true
	id := a.Place(pending)
	read := func() connector.Order { return connectortest.Must(a.session.PullOrder(t.Context(), id))(t) }
	if o := read(); o.Status != orders.Pending || o.Name != "" || o.Email != "" || o.ShipTo != nil || o.Lines[0].Quantity != 2 {
		t.Errorf("%+v", o)
	}
	a.Pay(id)
	if o := read(); o.Status != orders.Processing || o.Name != "Ada Lovelace" || o.Email == "" || o.ShipTo.Country != "DE" ||
		o.ShipTo.Line2 != "Hinterhaus" || o.Phone != "+49 1" || o.Payment["shipBy"] == nil {
		t.Errorf("%+v", o)
	}
	ref, parcels := shipments(id, a.Lines(id)[0])
	for i, want := range []orders.Status{orders.PartiallyShipped, orders.Shipped} {
		if err := a.session.PushShipment(t.Context(), ref, parcels[i]); err != nil {
			t.Fatal(err)
		}
		if o := read(); o.Status != want || len(o.Parcels) != i+1 || o.Parcels[i].Number != parcels[i].Number ||
			o.Parcels[i].Lines[0].ExternalLine != a.Lines(id)[0] {
			t.Errorf("%+v", o)
		}
	}
	if o := read(); o.Payment["cancellationRequested"] != nil {
		t.Errorf("%+v", o.Payment)
	}
	if a.AskToCancel(id); read().Payment["cancellationRequested"] != true {
		t.Error("the buyer's request for a cancellation is not there")
	}
	a.Deliver(id)
	if o := read(); o.Status != orders.Delivered || o.Theirs != "DELIVERED" {
		t.Errorf("%+v", o)
	}
	if _, err := a.session.PullOrder(t.Context(), "304-0"); !connector.Is(err, connector.Missing) {
		t.Errorf("%v", err)
	}
}

// Without the role for it there are no names, but orders.
func TestOrdersWithoutPersons(t *testing.T) {
	a := newAccount(t)
	a.NoPersons = true
	id := a.Place(wish("MUG", 1, 790))
	for range 2 {
		if o := connectortest.Must(a.session.PullOrder(t.Context(), id))(t); o.Name != "" || o.ShipTo != nil || o.Total != 128000 {
			t.Errorf("%+v", o)
		}
	}
	if calls := a.Calls()["getOrder"]; calls != 3 { // once with names, once without, then at once without
		t.Errorf("%d requests", calls)
	}
}

// What Amazon ships from its own warehouses is none of ours to ship, and reserves nothing here.
func TestOrdersThatAmazonShips(t *testing.T) {
	a := newAccount(t)
	began := a.Now()
	fba := wish("MUG", 1, 790)
	fba.FBA = true
	id, own := a.Place(fba), a.Place(wish("PEN", 1, 100))
	a.Pass(time.Hour)
	if list, _ := a.pull(t, began); len(list) != 1 || list[0].ExternalID != own {
		t.Errorf("%+v", list)
	}
	if _, err := a.session.PullOrder(t.Context(), id); !connector.Is(err, connector.Rejected) {
		t.Errorf("%v", err)
	}
	a.Settings["fba"] = "take"
	a.open()
	list, _ := a.pull(t, began)
	if len(list) != 2 || list[0].ExternalID != id || list[0].Payment["fulfilledBy"] != "AMAZON" || list[0].Lines[0].SKU != "" ||
		list[0].Lines[0].Name != "Article MUG (MUG)" {
		t.Errorf("%+v", list)
	}
	ref, parcels := shipments(id, a.Lines(id)[0])
	for _, err := range []error{a.session.PushShipment(t.Context(), ref, parcels[0]), a.session.PushCancel(t.Context(), ref, "")} {
		if !connector.Is(err, connector.Cannot) {
			t.Errorf("%v", err)
		}
	}
}
