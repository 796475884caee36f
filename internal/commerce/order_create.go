package commerce

import (
	"context"
	"errors"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/postal"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/orders"
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
	CreatedAt       int64 // of imported history, in microseconds and not in the future; 0: now
}

// CreateOrder stores an order, links or creates its customer, reserves its stock and emits order.received (interface
// §4.1). Errors: Conflict for a taken external reference, an erased customer, or too little stock if the channel
// rejects; NotFound for another account's channel or customer; Invalid for unknown SKUs and totals out of bounds;
// orders.ErrNumberTaken.
func (s *Service) CreateOrder(tx *db.Tx, who accounts.Caller, draft OrderDraft) (*orders.Order, error) {
	one := &intake{OrderIntake: OrderIntake{Draft: draft, Who: who}}
	if err := storeOrders(tx, []*intake{one}); err != nil {
		return nil, err
	}
	return one.taken.Order, one.err
}

// NumberOrder takes a number for an order and runs create with it. If create returns orders.ErrNumberTaken, because a
// block of numbers was leased twice, it tries again with another number. Call it outside of a transaction. Errors:
// those of create.
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
