package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/base/secretbox"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
	"entrepot/internal/verify"
	"entrepot/internal/webhooks"
)

// shop is a store with one account at work.
type shop struct {
	*testing.T
	store *db.DB
	do    *commerce.Service
	who   accounts.Caller
	wrote func() // after each operation that was stored; nil for none
}

// newShop has products SKU-0 to SKU-11, each with a variant SKU-n-V, with stock, and an endpoint for everything.
func newShop(t *testing.T, store *db.DB) *shop {
	t.Helper()
	key, err := secretbox.Parse(strings.Repeat("5e", 32))
	if err != nil {
		t.Fatal(err)
	}
	s := &shop{t, store, &commerce.Service{Numbers: orders.NewNumbers(), Key: key, Dev: true},
		accounts.Caller{Tenant: dbtest.Account(t, store), Currency: "EUR"}, nil}
	url := "http://127.0.0.1:9/"
	s.must(func(tx *db.Tx) error {
		_, _, err := s.do.CreateEndpoint(tx, s.who, commerce.EndpointDraft{URL: &url, Events: []string{"*"}})
		return err
	})
	s.must(func(tx *db.Tx) error {
		var in commerce.Import
		for i := range skus {
			sku, some := fmt.Sprintf("SKU-%d", i), []catalog.StockDraft{{Quantity: 50}}
			in.Drafts = append(in.Drafts, catalog.Draft{Index: i, SKU: sku, Name: patch.To("Product"), Price: patch.To(money.Amount(100_000)),
				Stock:       some,
				VariantsSet: true, Variants: []catalog.VariantDraft{{SKU: sku + "-V", Name: patch.To("V"), Stock: some}},
				Categories: patch.To([]string{"shoes"})})
		}
		plan, err := s.do.PlanImport(tx, s.who, in)
		if err == nil {
			_, err = plan.Apply(tx, s.who)
		}
		return err
	})
	return s
}

func (s *shop) write(operation func(tx *db.Tx) error) error {
	err := s.store.Write(s.Context(), s.who.Tenant, operation)
	if err == nil && s.wrote != nil {
		s.wrote()
	}
	return err
}

func (s *shop) must(operation func(tx *db.Tx) error) {
	s.Helper()
	if err := s.write(operation); err != nil {
		s.Fatal(err)
	}
}

// order creates one; try says that an error is no failure.
func (s *shop) order(draft commerce.OrderDraft) (order id.Order, err error) {
	err = s.do.NumberOrder(s.Context(), s.store, s.who.Tenant, func(number int64) error {
		draft.Number = number
		return s.write(func(tx *db.Tx) error {
			o, err := s.do.CreateOrder(tx, s.who, draft)
			if err == nil {
				order = o.ID
			}
			return err
		})
	})
	return order, err
}

// change locks an order and runs an operation on it.
func (s *shop) change(order id.Order, operation func(tx *db.Tx, o *orders.Order) error) error {
	return s.write(func(tx *db.Tx) error {
		o, err := orders.Lock(tx, order)
		if err != nil {
			return err
		}
		return operation(tx, o)
	})
}

func draft(email string, status orders.Status, skus ...string) commerce.OrderDraft {
	d := commerce.OrderDraft{CustomerName: "Ada Lovelace", CustomerEmail: email, Status: status, Currency: "EUR", Source: orders.FromAPI}
	for i, sku := range skus {
		d.Lines = append(d.Lines, orders.LineDraft{SKU: sku, Quantity: int64(2 + i), UnitPrice: money.Amount(19_990 + i)})
	}
	return d
}

// dispatch turns the events so far into deliveries.
func (s *shop) dispatch() {
	s.Helper()
	for {
		var step *webhooks.Step
		err := s.store.Read(s.Context(), s.who.Tenant, func(tx *db.Tx) (err error) {
			step, err = webhooks.ReadStep(tx)
			return err
		})
		if err != nil {
			s.Fatal(err)
		}
		s.must(func(tx *db.Tx) error {
			step.Write(tx)
			return nil
		})
		if !step.More {
			return
		}
	}
}

// settle makes an attempt of each pending delivery: one in three fails for good, one is to be attempted again.
func (s *shop) settle() {
	s.Helper()
	var outcomes []webhooks.Outcome
	s.must(func(tx *db.Tx) error {
		pending, err := webhooks.Across(tx, webhooks.AcrossFilter{State: webhooks.Pending, Limit: webhooks.MostOutcomes})
		outcomes = nil
		for i, d := range pending.Deliveries {
			o := webhooks.Outcome{Queue: webhooks.Queue{Tenant: tx.Tenant, Endpoint: d.Endpoint}, Position: d.Position, Event: d.EventStamp,
				Name: d.Name, Resource: d.Resource, Ordered: d.Ordered, State: webhooks.Delivered,
				Attempt: webhooks.Attempt{Number: d.Attempts + 1, At: tx.Micros(), StatusCode: 200, Duration: int64(7 + i)}}
			switch i % 3 {
			case 1:
				o.State, o.StatusCode, o.Error = webhooks.Failed, 500, "no"
			case 2:
				o.State, o.DueAt, o.StatusCode, o.Error = webhooks.Pending, tx.Micros()+1, 0, "no answer"
			}
			outcomes = append(outcomes, o)
		}
		return err
	})
	if err := s.store.Write(s.Context(), db.Across, func(tx *db.Tx) error { return webhooks.Settle(tx, outcomes) }); err != nil {
		s.Fatal(err)
	}
	if len(outcomes) < 6 {
		s.Fatalf("%d deliveries were pending", len(outcomes))
	}
}

// wrong runs all checks and gives those that fail, by name.
func (s *shop) wrong() map[string][]string {
	s.Helper()
	results, err := verify.Run(s.Context(), s.store, "")
	if err != nil {
		s.Fatal(err)
	}
	failed := map[string][]string{}
	for _, r := range results {
		if r.Wrong > 0 {
			failed[r.Name] = r.Examples
		}
	}
	return failed
}

// life lives through every kind of operation once.
func (s *shop) life() {
	s.Helper()
	ship := func(order id.Order, quantity int64) (shipment id.Shipment) {
		err := s.change(order, func(tx *db.Tx, o *orders.Order) error {
			_, made, err := s.do.ShipOrder(tx, s.who, o.ID, commerce.Expected{},
				orders.ShipmentDraft{Lines: []orders.DraftLine{{Line: o.Lines[0].ID, Quantity: quantity}}})
			shipment = made.ID
			return err
		})
		if err != nil {
			s.Fatal(err)
		}
		return shipment
	}
	move := func(order id.Order, to orders.Status, restock bool) {
		if err := s.change(order, func(tx *db.Tx, o *orders.Order) error {
			_, err := s.do.MoveOrder(tx, s.who, o.ID, commerce.Expected{}, commerce.Move{To: to, Restock: restock, Source: orders.FromAPI})
			return err
		}); err != nil {
			s.Fatal(err)
		}
	}
	create := func(d commerce.OrderDraft) id.Order {
		order, err := s.order(d)
		if err != nil {
			s.Fatal(err)
		}
		return order
	}
	for _, status := range orders.Statuses {
		create(draft("ada@example.com", status, "SKU-0", "SKU-1-V"))
	}
	order := create(draft("ada@example.com", orders.Processing, "SKU-2", "SKU-3"))
	first := ship(order, 1)
	move(order, orders.Shipped, false)
	move(order, orders.Delivered, false)
	move(order, orders.Returned, true)
	order = create(draft("bob@example.com", orders.Processing, "SKU-2"))
	first = ship(order, 2)
	for range 2 {
		if err := s.change(order, func(tx *db.Tx, o *orders.Order) error {
			_, err := s.do.UnshipOrder(tx, s.who, o.ID, commerce.Expected{}, first)
			return err
		}); err != nil {
			s.Fatal(err)
		}
		first = ship(order, 2)
	}
	order = create(draft("bob@example.com", orders.Processing, "SKU-4"))
	ship(order, 1)
	move(order, orders.Cancelled, false)
	order = create(draft("", orders.Pending, "SKU-5", "SKU-6"))
	if err := s.change(order, func(tx *db.Tx, o *orders.Order) error {
		_, err := s.do.EditOrder(tx, s.who, o.ID, commerce.Expected{},
			commerce.Edit{Lines: []orders.LineDraft{{ID: o.Lines[0].ID, SKU: "SKU-7", Quantity: 9, UnitPrice: 10_000}}})
		return err
	}); err != nil {
		s.Fatal(err)
	}
	s.must(func(tx *db.Tx) error {
		_, err := s.do.CreateWarehouse(tx, s.who, commerce.WarehouseDraft{Code: patch.To("LYON")})
		return err
	})
	s.must(func(tx *db.Tx) error {
		_, err := s.do.TransferStock(tx, s.who, commerce.Transfer{SKU: "SKU-8", From: "MAIN", To: "LYON", Quantity: 5})
		return err
	})
	s.must(func(tx *db.Tx) error {
		_, err := s.do.MoveStock(tx, s.who, commerce.Movement{SKU: "SKU-8-V", Cause: stock.Adjustment, Quantity: -60})
		return err
	})
	s.must(func(tx *db.Tx) error {
		_, err := s.do.SetThresholds(tx, s.who,
			commerce.StockUpdate{Drafts: []commerce.StockDraft{{SKU: "SKU-9", Quantity: 70}, {SKU: "SKU-9", Warehouse: "OSLO", Quantity: 1}}})
		return err
	})
	create(draft("carol@example.com", orders.Pending, "SKU-10", "SKU-10-V", "SKU-11"))
	s.deleteProduct("SKU-10")
	s.shopThatCloses()
	s.mergeAndErase()
}

func (s *shop) deleteProduct(sku string) {
	s.Helper()
	s.must(func(tx *db.Tx) error {
		found, err := catalog.Resolve(tx, []string{sku})
		if err != nil {
			return err
		}
		return s.do.DeleteProduct(tx, s.who, found[sku].Product, commerce.Expected{})
	})
}

// shopThatCloses is a custom channel with orders that goes again, and its orders with it.
func (s *shop) shopThatCloses() {
	s.Helper()
	name, d := "Pop-up", draft("ada@example.com", orders.Processing, "SKU-3", "SKU-4-V")
	s.must(func(tx *db.Tx) error {
		channel, _, _, err := s.do.CreateChannel(tx, s.who, commerce.ChannelDraft{Name: &name, Platform: channels.Custom})
		d.Channel = channel.ID
		return err
	})
	for range 2 {
		if _, err := s.order(d); err != nil {
			s.Fatal(err)
		}
	}
	d.Status = orders.Shipped
	if _, err := s.order(d); err != nil {
		s.Fatal(err)
	}
	s.must(func(tx *db.Tx) error {
		_, err := s.do.DeleteChannel(tx, s.who, d.Channel, commerce.Expected{}, false, nil)
		return err
	})
}

func (s *shop) mergeAndErase() {
	s.Helper()
	people := map[string]id.Customer{}
	s.must(func(tx *db.Tx) error {
		for _, email := range []string{"ada@example.com", "bob@example.com"} {
			c, err := customers.ByEmail(tx, email)
			if err != nil {
				return err
			}
			people[email] = c.ID
		}
		return nil
	})
	s.must(func(tx *db.Tx) error {
		_, err := s.do.MergeCustomers(tx, s.who, people["ada@example.com"], []id.Customer{people["bob@example.com"]})
		return err
	})
	if err := s.do.EraseCustomer(s.Context(), s.store, s.who, people["ada@example.com"], nil); err != nil {
		s.Fatal(err)
	}
}
