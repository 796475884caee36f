package commerce

import (
	"context"
	"errors"
	"slices"
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/apijson"
	"entrepot/internal/apperr"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/money"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// OrderDraft is an order as a caller writes it (interface §4.1).
type OrderDraft struct {
	Number            int64 // see NumberOrder
	CustomerName      string
	CustomerID        id.Customer
	CustomerEmail     string
	Lines             []orders.LineDraft
	Channel           id.Channel
	ExternalReference string
	PlatformID        string
	Status            orders.Status
	Currency          string
	ShippingAddress   string // free JSON, "" for none
	BillingAddress    string
	PaymentMetadata   string
	Notes             string
	ShippingAmount    money.Amount
	DiscountAmount    money.Amount
	TaxAmount         *money.Amount
	TaxRate           *money.Amount
	Source            orders.Source
	CreatedAt         int64 // of history that is moved in, in microseconds and not in the future; 0: now
}

// CreateOrder stores an order, links or makes its customer, reserves its stock and reports order.received (interface §4.1).
// Errors: Conflict for a taken external reference, an erased customer, or too little stock where the channel rejects; NotFound
// for another account's channel or customer; Invalid for unknown SKUs and totals out of bounds; orders.ErrNumberTaken.
func (s *Service) CreateOrder(tx *db.Tx, who accounts.Caller, draft OrderDraft) (*orders.Order, error) {
	return s.PrefetchOrder(tx, draft).Create(tx, who)
}

// NumberOrder takes a number for an order and runs create with it, again with another one for as long as create meets
// orders.ErrNumberTaken: a block of numbers that was leased twice. It must be called outside of a transaction. Errors: those of create.
func (s *Service) NumberOrder(ctx context.Context, store *db.DB, tenant id.Tenant, create func(number int64) error) error {
	for {
		number, err := s.Numbers.Take(ctx, store, tenant)
		if err != nil {
			return err
		}
		if err = create(number); !errors.Is(err, orders.ErrNumberTaken) {
			return err
		}
		s.log().Warn("an order's number is taken: taking others, beyond all there are", "number", orders.Number(number))
		s.Numbers.Drop(tenant, number)
	}
}

// PendingOrder is a drafted order with the questions it has to the store.
type PendingOrder struct {
	draft    OrderDraft
	taken    func() (id.Order, error) // nil without an external reference
	channel  func() (channels.Ref, error)
	known    func() (map[string]catalog.Sellable, error)
	customer func() (*customers.Customer, error) // nil without one
	segments func() ([]customers.Segment, error) // for the record of a new customer
	levels   stock.Levels
	number   func() error // nil before a race was lost: nearly always the number is free
}

// PrefetchOrder asks for all that an order needs to know, so that it comes in one message; nothing is judged yet.
func (s *Service) PrefetchOrder(tx *db.Tx, draft OrderDraft) PendingOrder {
	draft.Lines = slices.Clone(draft.Lines) // the operation may run again
	a := PendingOrder{draft: draft}
	if tx.Try() > 0 {
		a.number = orders.AskNumber(tx, draft.Number)
	}
	if draft.ExternalReference != "" {
		a.taken = orders.PrefetchByReference(tx, draft.ExternalReference)
	}
	if draft.Channel == "" {
		a.channel = channels.PrefetchFirst(tx)
	} else {
		a.channel = channels.PrefetchByRef(tx, draft.Channel)
	}
	skus := skusOf(draft.Lines)
	a.known = catalog.PrefetchResolve(tx, skus)
	switch {
	case draft.CustomerID != "":
		a.customer = customers.PrefetchByID(tx, draft.CustomerID)
	case draft.CustomerEmail != "":
		a.customer = customers.PrefetchByEmail(tx, draft.CustomerEmail)
		a.segments = customers.PrefetchSegments(tx)
	}
	a.levels = stock.PrefetchLevels(tx, skus)
	return a
}

// Create is CreateOrder on the answers.
func (a PendingOrder) Create(tx *db.Tx, who accounts.Caller) (*orders.Order, error) {
	draft := a.draft
	if err := a.freeReference(); err != nil {
		return nil, err
	}
	if a.number != nil {
		if err := a.number(); err != nil {
			return nil, err
		}
	}
	channel, err := a.channel()
	if errors.Is(err, db.ErrNoRow) {
		err = apperr.Missing("channel")
	}
	if err != nil {
		return nil, err
	}
	if channel.ID != "" {
		var gone error
		if draft.Channel != "" {
			gone = apperr.Missing("channel")
		}
		channels.Keep(tx, channel.ID, gone)
	}
	o := &orders.Order{ID: id.New[id.Order](), Number: draft.Number, Status: draft.Status, Channel: channel.ID, ChannelName: channel.Name,
		ChannelPlatform: channel.Platform, CustomerName: draft.CustomerName, CustomerEmail: draft.CustomerEmail, ExternalReference: draft.ExternalReference,
		PlatformID: draft.PlatformID, Currency: draft.Currency, ShippingAddress: NormalAddress(draft.ShippingAddress), BillingAddress: draft.BillingAddress,
		PaymentMetadata: draft.PaymentMetadata, Notes: draft.Notes, CreatedAt: tx.Micros(), RecordedAt: tx.Micros(), UpdatedAt: tx.Micros()}
	if draft.CreatedAt != 0 {
		o.CreatedAt = draft.CreatedAt
	}
	if o.BillingAddress == "" {
		o.BillingAddress = draft.ShippingAddress
	}
	o.ShippingAmount, o.DiscountAmount, o.TaxRate = draft.ShippingAmount, draft.DiscountAmount, draft.TaxRate
	if err := resolveLines(a.known, draft.Lines, nil); err != nil {
		return nil, err
	}
	for _, d := range draft.Lines {
		o.Lines = append(o.Lines, d.Line())
	}
	if err := o.Price(draft.TaxAmount); err != nil {
		return nil, err
	}
	events, err := a.linkCustomer(tx, o)
	if err != nil {
		return nil, err
	}
	if o.Status == orders.Shipped || o.Status == orders.Delivered { // so that shipped quantities are true; nothing learns of it
		o.Status = orders.Processing
		o.ShipRest(orders.ShipmentDraft{}, tx.Micros())
		o.Status, o.ShippedNotified = draft.Status, true
	}
	o.Reserve()
	changes, err := holdStock(tx, a.levels, nil, o, stock.Why{Cause: stock.Shipment, ReferenceType: "order", ReferenceID: string(o.ID), Actor: who.Actor()}, channel.Oversell == "reject")
	if err != nil {
		return nil, err
	}
	o.History = []orders.Entry{{ID: id.History(o.ID), Status: o.Status, Source: draft.Source, Actor: who.Actor(), At: tx.Micros()}}
	orders.Insert(tx, o)
	received := webhooks.New(webhooks.OrderReceived, string(o.ID), func(w *apijson.Writer) { records.WriteOrderReceivedData(w, o) })
	webhooks.Record(tx, append(append(events, received), StockEvents(tx, changes, "shipment")...)...)
	return o, nil
}

func (a PendingOrder) freeReference() error {
	if a.taken == nil {
		return nil
	}
	taken, err := a.taken()
	if err != nil || taken == "" {
		return err
	}
	return apperr.New(apperr.Conflict, "duplicate_external_reference", "an order with the externalReference %s exists already", a.draft.ExternalReference).With("orderId", taken)
}

// linkCustomer finds or makes the order's customer and moves its totals. customerId wins over customerEmail; a merged record
// stands for its primary.
func (a PendingOrder) linkCustomer(tx *db.Tx, o *orders.Order) ([]webhooks.Event, error) {
	if a.customer == nil {
		return nil, nil
	}
	c, err := a.customer()
	if err == nil && c == nil && a.draft.CustomerID != "" {
		err = apperr.Missing("customer")
	}
	if err != nil {
		return nil, err
	}
	if c, err = customers.Primary(tx, c); err != nil {
		return nil, err
	}
	if c == nil {
		segments, err := a.segments()
		if err != nil {
			return nil, err
		}
		created := records.Customer{Customer: newCustomer(tx, o)}
		chooseSegments(&created, segments, tx.Micros())
		customers.Insert(tx, created.Customer)
		o.Customer = created.ID
		return []webhooks.Event{customerEvent(webhooks.CustomerCreated, created)}, nil
	}
	if c.Status == customers.Erased {
		return nil, apperr.New(apperr.Conflict, "customer_erased", "the customer was erased").With("customerId", c.ID)
	}
	o.Customer, o.CustomerPhone = c.ID, c.Phone
	if a.draft.CustomerID != "" {
		o.CustomerEmail = c.Email
	}
	customers.Ordered(tx, c.ID, spent(o), customers.CountryOfOrder(o.ShippingAddress, o.CreatedAt))
	return nil, nil
}

// newCustomer is the record made from an order with an unknown e-mail address.
func newCustomer(tx *db.Tx, o *orders.Order) customers.Customer {
	given, family, _ := strings.Cut(o.CustomerName, " ")
	return customers.Customer{ID: id.New[id.Customer](), Email: o.CustomerEmail, FirstName: given, LastName: strings.TrimSpace(family), Phone: o.CustomerPhone, Metadata: "{}", Tags: []string{},
		Status: customers.Active, OrdersCount: 1, TotalSpent: spent(o),
		OrderCountry: customers.CountryOfOrder(o.ShippingAddress, o.CreatedAt), CreatedAt: tx.Micros(), UpdatedAt: tx.Micros()}
}
