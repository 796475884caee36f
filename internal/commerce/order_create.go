package commerce

import (
	"context"
	"errors"
	"slices"

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
	"entrepot/internal/postal"
	"entrepot/internal/records"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// OrderDraft is a caller's input for an order (interface §4.1).
type OrderDraft struct {
	orders.Given
	Number          int64 // see NumberOrder
	CustomerName    string
	CustomerID      id.Customer
	CustomerEmail   string
	Lines           []orders.LineDraft
	Channel         id.Channel
	PlatformID      string
	Status          orders.Status
	Currency        string
	ShippingAddress string // free JSON, "" for none
	BillingAddress  string
	ShippingAmount  money.Amount
	DiscountAmount  money.Amount
	TaxAmount       *money.Amount
	TaxRate         *money.Amount
	RefundedAmount  money.Amount // of imported history: what was paid back before
	Source          orders.Source
	CreatedAt       int64 // for imported history, in microseconds and not in the future; 0: now
}

// CreateOrder stores an order, links or creates its customer, reserves its stock and emits order.received (interface
// §4.1). Errors: Conflict for a taken external reference, an erased customer, or too little stock if the channel
// rejects; NotFound for another account's channel or customer; Invalid for unknown SKUs and totals out of bounds;
// orders.ErrNumberTaken.
func (s *Service) CreateOrder(tx *db.Tx, who accounts.Caller, draft OrderDraft) (*orders.Order, error) {
	plan, err := s.PrefetchOrder(tx, draft).Plan(tx, who)
	if err != nil {
		return nil, err
	}
	plan.Store(tx)
	return plan.Order, nil
}

// NumberOrder takes a number for an order and runs create with it; as long as create returns orders.ErrNumberTaken,
// because a block of numbers was leased twice, it tries again with another number. Call it outside of a transaction.
// Errors: those of create.
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

// PendingOrder is a drafted order with pending reads of what it depends on.
type PendingOrder struct {
	draft       OrderDraft
	taken       *db.Pending[id.Order] // nil without an external reference
	channel     *db.Pending[channels.Ref]
	sellable    *db.Pending[map[string]catalog.Sellable]
	customer    *db.Pending[*customers.Customer] // nil without one
	segments    *db.Pending[[]customers.Segment] // to build the record of a new customer
	levels      *db.Pending[stock.Levels]
	numberTaken *db.Pending[int64] // nil in the first run: a number is nearly always free
}

// PrefetchOrder prefetches everything that an order depends on, so that it takes one message; nothing is decided yet.
func (s *Service) PrefetchOrder(r db.Reader, draft OrderDraft) PendingOrder {
	draft.Lines = slices.Clone(draft.Lines) // the operation may run again
	p := PendingOrder{draft: draft}
	if r.Try() > 0 {
		p.numberTaken = orders.PrefetchNumberTaken(r, draft.Number)
	}
	if draft.ExternalReference != "" {
		p.taken = orders.PrefetchByReference(r, draft.ExternalReference)
	}
	if draft.Channel == "" {
		p.channel = channels.PrefetchFirst(r)
	} else {
		p.channel = channels.PrefetchByRef(r, draft.Channel)
	}
	skus := skusOf(draft.Lines)
	p.sellable = catalog.PrefetchResolve(r, skus)
	switch {
	case draft.CustomerID != "":
		p.customer = customers.PrefetchByID(r, draft.CustomerID)
	case draft.CustomerEmail != "":
		p.customer = customers.PrefetchByEmail(r, draft.CustomerEmail)
		p.segments = customers.PrefetchSegments(r)
	}
	p.levels = stock.PrefetchLevels(r, skus)
	return p
}

// OrderPlan is an order after all decisions, and the other writes of its creation.
type OrderPlan struct {
	Order    *orders.Order
	named    bool              // the caller named the channel
	customer *records.Customer // created with the order; nil for an existing one, and for none
	shifts   *stock.ShiftPlan
	why      stock.Why
}

// Plan decides on the prefetched data. Errors: those of CreateOrder.
func (p PendingOrder) Plan(r db.Reader, who accounts.Caller) (*OrderPlan, error) {
	draft := p.draft
	if err := p.free(); err != nil {
		return nil, err
	}
	channel, err := p.channel.Wait()
	if err != nil {
		return nil, err
	}
	plan := &OrderPlan{named: draft.Channel != ""}
	if plan.named && channel.ID == "" {
		return nil, channels.Missing()
	}
	o := draft.order(r.Micros(), channel)
	plan.Order = o
	if err := resolveLines(p.sellable, draft.Lines, nil); err != nil {
		return nil, err
	}
	for _, d := range draft.Lines {
		o.Lines = append(o.Lines, d.Line())
	}
	if err := o.Price(draft.TaxAmount); err != nil {
		return nil, err
	}
	if err := o.RefundBefore(draft.RefundedAmount); err != nil {
		return nil, err
	}
	if plan.customer, err = p.linkCustomer(r, o); err != nil {
		return nil, err
	}
	if o.Status == orders.Shipped || o.Status == orders.Delivered { // so that shipped quantities are correct; no event is emitted
		o.Status = orders.Processing
		o.ShipRest(orders.ShipmentDraft{}, o.RecordedAt)
		o.Status, o.ShippedNotified = draft.Status, true
	}
	o.Reserve()
	plan.why = stock.Why{Cause: stock.Shipment, ReferenceType: "order", ReferenceID: string(o.ID), Actor: who.Actor()}
	plan.shifts, err = planStock(r, p.levels, nil, o, channel.Oversell == "reject")
	o.History = []orders.Entry{{ID: id.History(o.ID), Status: o.Status, Source: draft.Source, Actor: who.Actor(), At: o.RecordedAt}}
	return plan, err
}

// order is the drafted order without its lines and customer.
func (d *OrderDraft) order(now int64, channel channels.Ref) *orders.Order {
	now = orders.Shown(now)
	o := &orders.Order{Given: d.Given, ID: id.New[id.Order](), Number: d.Number, Status: d.Status, Channel: channel.ID,
		ChannelName:     channel.Name,
		ChannelPlatform: channel.Platform, CustomerName: d.CustomerName, CustomerEmail: d.CustomerEmail,
		PlatformID: d.PlatformID, Currency: d.Currency, ShippingAddress: postal.Normal(d.ShippingAddress), BillingAddress: d.BillingAddress,
		CreatedAt: now, RecordedAt: now, UpdatedAt: now}
	if d.CreatedAt != 0 {
		o.CreatedAt = orders.Shown(d.CreatedAt)
	}
	if o.BillingAddress == "" {
		o.BillingAddress = d.ShippingAddress
	}
	o.ShippingAmount, o.DiscountAmount, o.TaxRate = d.ShippingAmount, d.DiscountAmount, d.TaxRate
	return o
}

// Store queues the order and everything that belongs to it.
func (p *OrderPlan) Store(w db.GuardedWriter) {
	o := p.Order
	switch {
	case p.named:
		channels.Keep(w, o.Channel)
	case o.Channel != "":
		channels.KeepChosen(w, o.Channel)
	}
	events := countCustomer(w, p.customer, o)
	p.shifts.Store(w, p.why)
	orders.Insert(w, o)
	events = append(events, records.NewEvent(webhooks.OrderReceived, string(o.ID),
		func(w *apijson.Writer) { records.WriteOrderReceivedData(w, o) }))
	webhooks.Record(w, append(events, stockEvents(w, p.shifts.Changed(), "shipment")...)...)
}

// free is an error unless the order's external reference and number are free.
func (p PendingOrder) free() error {
	taken, err := p.taken.Wait()
	if err != nil {
		return err
	}
	if taken != "" {
		return apperr.New(apperr.Conflict, "duplicate_external_reference", "an order with the externalReference %s exists already",
			p.draft.ExternalReference).With("orderId", taken)
	}
	n, err := p.numberTaken.Wait()
	if err == nil && n > 0 {
		err = orders.ErrNumberTaken
	}
	return err
}
