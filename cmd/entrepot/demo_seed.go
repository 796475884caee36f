package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/server"
)

// demoEmail is the sample shop's login. Each start sets a new password.
const demoEmail = "owner@demo.example"

// demoDays is how many days of orders the sample shop has.
const demoDays = 60

// seeding fills a store with two months of a sample shop's data, by the operations that serve requests, with a clock
// of its own.
type seeding struct {
	ctx   context.Context
	store *server.Store
	now   time.Time
	who   accounts.Caller
	dice  *rand.Rand
	shops []id.Channel
}

// seedDemo fills the configured store, unless it has the sample shop already. A store with other data is refused.
func seedDemo(ctx context.Context, c server.StoreConfig) error {
	end := time.Now()
	s := &seeding{ctx: ctx, now: end.AddDate(0, 0, -demoDays-2), dice: rand.New(rand.NewPCG(7, 11))}
	c.Now = func() time.Time { return s.now }
	store, err := server.OpenStore(ctx, c)
	if err != nil {
		return err
	}
	s.store = store
	if err := s.fill(end, c.Dir); err != nil {
		return errors.Join(err, store.Close())
	}
	return store.Close()
}

func (s *seeding) fill(end time.Time, dir string) error {
	var owner *accounts.User
	empty := true
	err := s.store.DB.Read(s.ctx, db.Across, func(tx *db.Tx) error {
		any, err := accounts.Any(tx)
		if err != nil {
			return err
		}
		empty = !any
		owner, _, err = accounts.Login(tx, demoEmail)
		return err
	})
	switch {
	case err != nil:
		return err
	case !empty && owner == nil:
		return fmt.Errorf("the store in %s is not the sample shop: choose another folder with --data", dir)
	case !empty:
		return nil
	}
	err = s.store.DB.Write(s.ctx, db.Across, func(tx *db.Tx) error {
		account, owner, err := s.store.Commerce.CreateAccount(tx, accounts.Caller{},
			commerce.AccountDraft{Name: "Demo shop", Plan: accounts.Enterprise,
				Owner: &commerce.UserDraft{Email: demoEmail, Name: "Olga Owner"}})
		if err == nil {
			s.who = accounts.Caller{Tenant: account.Tenant, Account: account.ID, Plan: account.Plan, Currency: account.Currency, User: owner.ID,
				Role: owner.Role, Name: owner.Name}
		}
		return err
	})
	if err == nil {
		err = errors.Join(s.makeChannels(), s.makeProducts())
	}
	if err == nil {
		err = s.live(end)
	}
	return err
}

// write runs one operation of the sample account.
func (s *seeding) write(run func(tx *db.Tx) error) error {
	return s.store.DB.By(s.who.Author("", "")).Write(s.ctx, s.who.Tenant, run)
}

func (s *seeding) makeChannels() error {
	for _, name := range []string{"Own shop", "Market stall"} {
		err := s.write(func(tx *db.Tx) error {
			c, _, _, err := s.store.Commerce.CreateChannel(tx, s.who, commerce.ChannelDraft{Name: &name, Platform: channels.Custom})
			s.shops = append(s.shops, c.ID)
			return err
		})
		if err != nil {
			return err
		}
		s.now = s.now.Add(time.Second)
	}
	return nil
}

func (s *seeding) makeProducts() error {
	in := commerce.Import{Channel: s.shops[0]}
	for i, p := range demoProducts {
		stock := 2 * p.stock
		d := catalog.Draft{Index: i, SKU: p.sku, Name: patch.To(p.name), Description: patch.To(p.about),
			Price:      patch.To(money.Amount(p.cents * money.Scale / 100)),
			Categories: patch.To([]string{p.category}), Stock: []catalog.StockDraft{{Quantity: stock}}}
		for _, size := range p.sizes {
			d.Variants = append(d.Variants, catalog.VariantDraft{SKU: p.sku + "-" + size, Name: patch.To(p.name + ", " + size),
				Attributes: patch.To(`{"Size":"` + size + `"}`),
				Stock:      []catalog.StockDraft{{Quantity: stock}}})
		}
		d.VariantsSet = len(p.sizes) > 0
		in.Drafts = append(in.Drafts, d)
	}
	var categories commerce.CategoryImport
	for i, c := range demoCategories {
		categories.Drafts = append(categories.Drafts, catalog.CategoryDraft{Index: i, ExternalID: patch.To(c[0]), Name: patch.To(c[1])})
	}
	low := commerce.StockUpdate{Drafts: []commerce.StockDraft{{SKU: "DSK-LAMP", Quantity: 10}, {Index: 1, SKU: "DSK-PEN", Quantity: 8},
		{Index: 2, SKU: "GRD-CAN-5", Quantity: 8}}}
	for _, run := range []func(tx *db.Tx) ([]records.ItemError, error){
		func(tx *db.Tx) ([]records.ItemError, error) {
			out, err := s.store.Commerce.ImportCategories(tx, categories)
			return out.Errors, err
		},
		func(tx *db.Tx) ([]records.ItemError, error) {
			plan, err := s.store.Commerce.PlanImport(tx, s.who, in)
			if err != nil {
				return nil, err
			}
			out, err := plan.Apply(tx, s.who)
			return out.Errors, err
		},
		func(tx *db.Tx) ([]records.ItemError, error) {
			out, err := s.store.Commerce.SetThresholds(tx, s.who, low)
			return out.Errors, err
		},
	} {
		err := s.write(func(tx *db.Tx) error {
			errs, err := run(tx)
			if err == nil && len(errs) > 0 {
				err = fmt.Errorf("sample data was refused: %v", errs)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// moment is one operation at one time.
type moment struct {
	at time.Time
	do func() error
}

// lateDays are the days, counted back from today, of which one order still waits to be shipped.
var lateDays = []int{2, 3, 6}

// live simulates two months: orders come in, are prepared, shipped, delivered, sometimes cancelled, and some units come back.
func (s *seeding) live(end time.Time) error {
	var diary []moment
	for day := demoDays; day >= 0; day-- {
		for i := range 1 + s.dice.IntN(4) {
			at := end.AddDate(0, 0, -day).Truncate(24 * time.Hour).Add(time.Duration(8*60+s.dice.IntN(12*60)) * time.Minute)
			diary = append(diary, s.orderAt(at, i == 0 && slices.Contains(lateDays, day))...)
		}
	}
	slices.SortStableFunc(diary, func(a, b moment) int { return cmp.Compare(a.at.UnixMicro(), b.at.UnixMicro()) })
	for _, m := range diary {
		if m.at.After(end) {
			break
		}
		s.now = m.at
		if err := m.do(); err != nil {
			return err
		}
	}
	return nil
}

// orderAt is the sequence of operations of one order; a late one was not shipped.
func (s *seeding) orderAt(at time.Time, late bool) []moment {
	person := demoPeople[s.dice.IntN(len(demoPeople))]
	draft := commerce.OrderDraft{CustomerName: person.name, CustomerEmail: person.email, Channel: s.shops[s.dice.IntN(4)/3],
		Status: orders.Pending, Currency: "EUR",
		ShippingAmount: 490 * money.Scale / 100, Source: orders.FromAPI,
		ShippingAddress: fmt.Sprintf(`{"line1":%q,"city":%q,"zip":%q,"country":%q}`, person.street, person.city, person.zip, person.country)}
	for _, place := range s.dice.Perm(len(demoProducts))[:1+s.dice.IntN(3)] {
		p := demoProducts[place]
		sku := p.sku
		if len(p.sizes) > 0 {
			sku += "-" + p.sizes[s.dice.IntN(len(p.sizes))]
		}
		draft.Lines = append(draft.Lines, orders.LineDraft{SKU: sku, Quantity: 1 + s.dice.Int64N(3),
			UnitPrice: money.Amount(p.cents * money.Scale / 100)})
	}
	var order id.Order
	hours := func(n int) time.Time { return at.Add(time.Duration(n) * time.Hour) }
	move := func(to orders.Status) func() error {
		return func() error {
			return s.write(func(tx *db.Tx) error {
				_, err := s.store.Commerce.MoveOrder(tx, s.who, order, commerce.Expected{}, commerce.Move{To: to, Source: orders.FromAPI})
				return err
			})
		}
	}
	life := []moment{{at, func() error { return s.place(&order, draft) }}, {hours(2), move(orders.Processing)}}
	if late { // nobody has packed it
		return life
	}
	switch fate := s.dice.IntN(20); {
	case fate == 0:
		return append(life, moment{hours(5), move(orders.Cancelled)})
	case fate < 4 && len(draft.Lines) > 1: // in two parcels
		life = append(life, moment{hours(20), func() error { return s.ship(order, 1) }},
			moment{hours(44), func() error { return s.ship(order, len(draft.Lines)) }})
	default:
		life = append(life, moment{hours(22), func() error { return s.ship(order, len(draft.Lines)) }})
	}
	life = append(life, moment{hours(70), move(orders.Delivered)})
	if s.dice.IntN(8) == 0 {
		life = append(life, moment{hours(100), func() error { return s.announce(order) }},
			moment{hours(240), func() error { return s.settle(order, orders.ReturnReceived) }},
			moment{hours(245), func() error { return s.settle(order, orders.ReturnRefunded) }})
	}
	return life
}

// announce makes a return of a unit of the order's first line.
func (s *seeding) announce(order id.Order) error {
	return s.write(func(tx *db.Tx) error {
		o, err := orders.ByID(tx, order)
		if err == nil {
			_, _, err = s.store.Commerce.CreateReturn(tx, o.ID, commerce.Expected{}, orders.ReturnDraft{
				Reason: demoReasons[s.dice.IntN(len(demoReasons))], Lines: []orders.ReturnLine{{Line: o.Lines[0].ID, Quantity: 1, Restock: true}}})
		}
		return err
	})
}

// settle moves the order's return.
func (s *seeding) settle(order id.Order, to orders.ReturnStatus) error {
	return s.write(func(tx *db.Tx) error {
		o, err := orders.ByID(tx, order)
		if err == nil {
			_, _, err = s.store.Commerce.UpdateReturn(tx, s.who, o.ID, commerce.Expected{}, o.Returns[0].ID,
				commerce.ReturnUpdate{Status: patch.Field[orders.ReturnStatus]{Value: to, Set: true}})
		}
		return err
	})
}

func (s *seeding) place(order *id.Order, draft commerce.OrderDraft) (err error) {
	return s.store.Commerce.NumberOrder(s.ctx, s.store.DB, s.who.Tenant, func(number int64) error {
		// not WEB-1001, which the samples at /docs create
		draft.Number, draft.ExternalReference = number, fmt.Sprintf("S-%d", 1000+number)
		return s.write(func(tx *db.Tx) error {
			made, err := s.store.Commerce.CreateOrder(tx, s.who, draft)
			if err == nil {
				*order = made.ID
			}
			return err
		})
	})
}

// ship ships what remains of the first lines of an order.
func (s *seeding) ship(order id.Order, lines int) error {
	return s.write(func(tx *db.Tx) error {
		o, err := orders.ByID(tx, order)
		if err != nil {
			return err
		}
		draft := orders.ShipmentDraft{Carrier: "Colissimo", TrackingNumber: "6A" + strings.ToUpper(string(order)[24:])}
		for _, line := range o.Lines[:min(lines, len(o.Lines))] {
			if rest := line.Quantity - line.Shipped; rest > 0 {
				draft.Lines = append(draft.Lines, orders.DraftLine{Line: line.ID, Quantity: rest})
			}
		}
		_, _, err = s.store.Commerce.ShipOrder(tx, s.who, o.ID, commerce.Expected{}, draft)
		return err
	})
}
