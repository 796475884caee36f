// Package filler fills an account with products, customers and orders of two years, so that lists, searches and
// figures can be measured at the size of a large merchant. It writes through the nouns, many rows in a statement, with
// a clock of its own; the resulting store passes every check of "entrepot verify". No events are recorded: the store
// is as if they were past their retention.
package filler

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/catalog"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
	"entrepot/internal/view/all"
)

// Size is how many records to create.
type Size struct{ Orders, SKUs, Customers int }

// Clock is the time of the store that is filled.
type Clock struct{ at time.Time }

// NewClock starts before everything that is filled in.
func NewClock(end time.Time) *Clock { return &Clock{end.AddDate(-2, 0, -2)} }

// Now is the time of the store.
func (c *Clock) Now() time.Time { return c.at }

// Rows in one transaction.
const (
	productRows  = 5000
	customerRows = 2000
	orderRows    = 1000
)

type filling struct {
	ctx      context.Context
	store    *db.DB
	tenant   id.Tenant
	channels []id.Channel
	clock    *Clock
	size     Size
	dice     *rand.Rand
	progress io.Writer
	begun    time.Time

	products  []id.Product
	customers []customers.Customer
}

// Fill fills an account that is empty. The store's clock must be clock, and channels are those of the orders.
func Fill(ctx context.Context, store *db.DB, clock *Clock, tenant id.Tenant, channels []id.Channel, size Size, progress io.Writer) error {
	f := &filling{ctx: ctx, store: store, tenant: tenant, channels: channels, clock: clock, size: size, dice: rand.New(rand.NewPCG(1, 2)),
		progress: progress, begun: time.Now()}
	for _, step := range []func() error{f.fillProducts, f.fillCustomers, f.fillOrders} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// write runs one transaction and reports the progress.
func (f *filling) write(what string, done, of int, run func(tx *db.Tx) error) error {
	if err := f.store.Write(f.ctx, f.tenant, run); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if done%100_000 == 0 || done == of {
		fmt.Fprintf(f.progress, "%s %d of %d, %s\n", what, done, of, time.Since(f.begun).Round(time.Second))
	}
	return nil
}

// each calls run for pieces of n rows, from included, to excluded.
func each(n, rows int, run func(from, to int) error) error {
	for from := 0; from < n; from += rows {
		if err := run(from, min(n, from+rows)); err != nil {
			return err
		}
	}
	return nil
}

func sku(i int) string { return fmt.Sprintf("SKU-%07d", i) }

// categories is how many there are; the products are spread over them.
const categories = 100

// fillCategories creates the categories.
func (f *filling) fillCategories() ([]catalog.Link, error) {
	links, changes := make([]catalog.Link, categories), make([]catalog.CategoryChange, categories)
	for i := range changes {
		c := catalog.Category{ID: id.New[id.Category](), ExternalID: fmt.Sprintf("C-%02d", i), Name: f.word(),
			Slug: fmt.Sprintf("category-%d", i)}
		links[i], changes[i].After = catalog.Link{Reference: c.ExternalID, Category: c.ID}, c
	}
	return links, f.write("categories", categories, categories, func(tx *db.Tx) error {
		catalog.SaveCategories(tx, changes)
		return nil
	})
}

// fillProducts creates products with a stock of a thousand each; one in a hundred is archived, one in three hundred a draft. All of
// them are published on the first channel.
func (f *filling) fillProducts() error {
	f.products = make([]id.Product, f.size.SKUs)
	links, err := f.fillCategories()
	if err != nil {
		return err
	}
	return each(f.size.SKUs, productRows, func(from, to int) error {
		changes := make([]catalog.Change, 0, to-from)
		input := make([]stock.StockInput, 0, to-from)
		for i := from; i < to; i++ {
			p := catalog.Product{ID: id.New[id.Product](), SKU: sku(i), Name: f.word() + " " + f.word(), Slug: fmt.Sprintf("product-%d", i),
				Status:      catalog.Active,
				Description: "Made to last, packed in paper.", Price: money.Amount(1+f.dice.IntN(20_000)) * 100, Media: "[]", Attributes: "{}",
				Links: links[i%categories : i%categories+1]}
			if i%100 == 0 {
				p.Status = catalog.Archived
			} else if i%300 == 1 {
				p.Status = catalog.DraftStatus
			}
			f.products[i] = p.ID
			changes = append(changes, catalog.Change{After: p})
			input = append(input, stock.StockInput{SKU: p.SKU, Product: p.ID, Quantity: 1000})
		}
		return f.write("products", to, f.size.SKUs, func(tx *db.Tx) error {
			catalog.Save(tx, changes)
			levels, err := stock.ReadSnapshot(tx, input)
			if err == nil {
				levels.Set(tx, input, stock.Why{Cause: stock.Import, Actor: "system"})
			}
			if err == nil && len(f.channels) > 0 {
				var none *catalog.Publications // the products are new
				if none, err = catalog.ReadPublications(tx, f.channels[0]); err == nil {
					none.Publish(tx, catalog.PublicationPublished, f.products[from:to])
				}
			}
			return err
		})
	})
}

// fillCustomers creates the customers; their totals are added with the orders.
func (f *filling) fillCustomers() error {
	f.customers = make([]customers.Customer, f.size.Customers)
	return each(f.size.Customers, customerRows, func(from, to int) error {
		return f.write("customers", to, f.size.Customers, func(tx *db.Tx) error {
			for i := from; i < to; i++ {
				c := customers.Customer{ID: id.New[id.Customer](), FirstName: f.word(), LastName: f.word(), Metadata: "{}", Status: customers.Active,
					Phone: fmt.Sprintf("+33 6 %08d", f.dice.IntN(100_000_000)), CreatedAt: tx.Micros(), UpdatedAt: tx.Micros()}
				c.Email = fmt.Sprintf("%s.%s%d@%s", c.FirstName, c.LastName,
					i, []string{"post.example", "mail.example", "work.example"}[f.dice.IntN(3)])
				if i%50 == 0 {
					c.Tags = []string{"wholesale"}
				}
				customers.InsertUnreported(tx, c)
				f.customers[i] = c
			}
			return nil
		})
	})
}

// fillOrders creates orders evenly over two years; the newest are open.
func (f *filling) fillOrders() error {
	begin := f.clock.at
	step := 2 * 365 * 24 * time.Hour / time.Duration(max(1, f.size.Orders))
	spent := make([]customers.Customer, len(f.customers))
	err := each(f.size.Orders, orderRows, func(from, to int) error {
		list := make([]orders.Order, 0, to-from)
		var shifts []stock.Shift
		for i := from; i < to; i++ {
			o := f.order(i, begin.Add(time.Duration(i)*step))
			list = append(list, o.Order)
			shifts = append(shifts, o.shifts...)
			if at := o.customer; at >= 0 {
				spent[at].OrdersCount++
				if o.Status.Counted() {
					spent[at].TotalSpent += o.Total
				}
			}
		}
		f.clock.at = begin.Add(time.Duration(to) * step)
		return f.write("orders", to, f.size.Orders, func(tx *db.Tx) error {
			orders.InsertUnreported(tx, list)
			plan, err := stock.PlanShifts(tx, shifts, false)
			if err == nil {
				plan.Store(tx, stock.Why{Cause: stock.Shipment, Actor: "system"}) // of several orders together
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	if err := all.FollowTenant(f.ctx, f.store, f.tenant); err != nil {
		return err
	}
	return each(len(spent), customerRows, func(from, to int) error {
		return f.write("totals of customers", to, len(spent), func(tx *db.Tx) error {
			for i := from; i < to; i++ {
				customers.Spend(tx, f.customers[i].ID, spent[i].OrdersCount, spent[i].TotalSpent)
			}
			if to == len(spent) {
				return orders.ReserveNumbers(tx, int64(f.size.Orders))
			}
			return nil
		})
	})
}

// made is an order, the index of its customer (-1 for none) and its effect on the stock.
type made struct {
	orders.Order
	customer int
	shifts   []stock.Shift
}

func (f *filling) order(i int, at time.Time) made {
	o := made{customer: -1, Order: orders.Order{ID: id.New[id.Order](), Number: int64(i + 1), Status: f.status(i), Currency: "EUR",
		ShippingAddress: `{"city":"Paris","country":"FR","line1":"1 rue de la Paix","postalCode":"75002"}`, CreatedAt: at.UnixMicro()}}
	o.RecordedAt, o.UpdatedAt = o.CreatedAt, o.CreatedAt
	if f.dice.IntN(10) > 0 && len(f.channels) > 0 {
		o.Channel = f.channels[min(f.dice.IntN(len(f.channels)), f.dice.IntN(len(f.channels)))]
	}
	if f.dice.IntN(20) > 0 && len(f.customers) > 0 {
		o.customer = f.dice.IntN(len(f.customers))
		c := &f.customers[o.customer]
		o.Customer, o.CustomerName, o.CustomerEmail, o.EmailOfCustomer = c.ID, c.FirstName+" "+c.LastName, c.Email, true
	} else {
		o.CustomerName = f.word() + " " + f.word()
	}
	if i%3 == 0 {
		o.ExternalReference = fmt.Sprintf("WEB-%08d", i*7)
	}
	o.History = []orders.Entry{{ID: id.History(o.ID), Status: o.Status, Source: orders.FromAPI, Actor: "system", At: o.CreatedAt}}
	ships := o.Status == orders.Shipped || o.Status == orders.Delivered
	taken := map[int]bool{}
	for range 1 + f.dice.IntN(3) {
		at := min(f.dice.IntN(f.size.SKUs), f.dice.IntN(f.size.SKUs))
		if taken[at] {
			continue
		}
		taken[at] = true
		l := orders.Line{ID: id.New[id.Line](), Product: f.products[at], SKU: sku(at), Name: "Article " + sku(at), Quantity: 1 + f.dice.Int64N(3),
			UnitPrice: money.Amount(1+f.dice.IntN(20_000)) * 100, Warehouse: stock.MainWarehouse}
		shift := stock.Shift{SKU: l.SKU, Warehouse: l.Warehouse, Product: l.Product}
		switch {
		case ships:
			shift.OnHand, l.Shipped = -l.Quantity, l.Quantity
		case o.Status == orders.Pending || o.Status == orders.Processing:
			shift.Reserve = l.Quantity
		}
		o.Lines = append(o.Lines, l)
		o.shifts = append(o.shifts, shift)
	}
	if err := o.Price(nil); err != nil {
		panic(err) // the amounts are within bounds
	}
	o.Reserve()
	if ships {
		o.ShippedNotified = true
		parcel := orders.Shipment{ID: id.New[id.Shipment](), ShippedAt: o.CreatedAt, CreatedAt: o.CreatedAt, Automatic: true}
		for _, l := range o.Lines {
			parcel.Lines = append(parcel.Lines, orders.ShipmentLine{ID: id.New[string](), Line: l.ID, Quantity: l.Quantity})
		}
		o.Shipments = []orders.Shipment{parcel}
	}
	return o
}

// status is that of the i'th order.
func (f *filling) status(i int) orders.Status {
	dice := f.dice.IntN(100)
	switch old := i < f.size.Orders*98/100; {
	case dice < 6:
		return orders.Cancelled
	case dice < 8:
		return orders.Returned
	case old:
		return orders.Delivered
	case dice < 40:
		return orders.Shipped
	case dice < 70:
		return orders.Processing
	}
	return orders.Pending
}

// word is a random word that sounds like a name; there are some 160,000.
func (f *filling) word() string {
	const first, vowels, middle, last = "BCDFGHJKLMNPRSTVW", "aeiou", "bdglmnrstv", "eaoinrsl"
	return string([]byte{first[f.dice.IntN(len(first))], vowels[f.dice.IntN(5)], middle[f.dice.IntN(len(middle))], vowels[f.dice.IntN(5)],
		middle[f.dice.IntN(len(middle))], vowels[f.dice.IntN(5)], last[f.dice.IntN(len(last))]})
}
