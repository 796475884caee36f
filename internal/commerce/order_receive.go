package commerce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/base/postal"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/connector"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// ReceivedOrder is the outcome for an order from a platform.
type ReceivedOrder struct {
	ID      id.Order
	Created bool
	Updated bool // the order changed visibly
}

// ReceiveOrder stores an order as its platform has it (interface §2.1, §3.1): a new one exactly once by channel and
// platform id, of a known one what changed. One that the platform reopens after it cancelled it becomes a new order
// that names the cancelled one. The platform's amounts are stored unchanged. Differences that cannot be applied
// become issues of the order and refuse nothing, because the order is sold already. Nothing of it is sent back to the
// platform. An order that another channel of the same shop has is not stored again. unless, if it is not nil, may
// refuse the order at the end of the transaction. Errors: NotFound when the channel was deleted; those of unless.
func (s *Service) ReceiveOrder(ctx context.Context, store *db.DB, c channels.Channel, in connector.Order, unless func(tx *db.Tx) error,
	twins ...id.Channel) (out ReceivedOrder, err error) {
	take := func(tx *db.Tx, number int64) error {
		if err := lockShop(tx, c, twins); err != nil {
			return err
		}
		out = ReceivedOrder{}
		known, err := lockNewest(tx, c.ID, in.ExternalID)
		switch {
		case err != nil:
			return err
		case known != nil && !reopens(known, in):
			out.ID = known.ID
			out.Updated, err = s.followOrder(tx, known, in)
			return err
		case number == 0:
			return errUnnumbered
		}
		if known == nil {
			if elsewhere, err := anyHas(tx, twins, in.ExternalID); elsewhere || err != nil {
				return err
			}
		}
		out.ID, err = s.insertReceived(tx, c, in, number, known)
		out.Created = true
		return err
	}
	receive := func(number int64) error {
		return store.Write(ctx, c.Tenant, func(tx *db.Tx) error {
			if err := take(tx, number); err != nil || unless == nil {
				return err
			}
			return unless(tx)
		})
	}
	var known id.Order
	err = store.Read(ctx, c.Tenant, func(tx *db.Tx) (err error) {
		known, err = orders.ByPlatformID(tx, c.ID, in.ExternalID)
		return err
	})
	if err == nil && known != "" {
		err = receive(0)
	}
	if err == nil && known == "" || errors.Is(err, errUnnumbered) { // it is new, is reopened, or was deleted meanwhile
		err = s.NumberOrder(ctx, store, c.Tenant, receive)
	}
	return out, err
}

// lockShop makes the other channels of the same shop wait, which may be storing the same order.
func lockShop(tx *db.Tx, c channels.Channel, twins []id.Channel) error {
	if len(twins) == 0 {
		return nil
	}
	return tx.LockName("orders of the shop of " + string(min(c.ID, slices.Min(twins))))
}

// errUnnumbered ends the transaction of a new order, which needs a number first.
var errUnnumbered = errors.New("commerce: the order has no number")

// insertReceived stores a new order. cancelled is the locked one that it reopens, nil for none.
func (s *Service) insertReceived(tx *db.Tx, c channels.Channel, in connector.Order, number int64, cancelled *orders.Order) (id.Order, error) {
	channels.Keep(tx, c.ID)
	if cancelled != nil && forgotten(cancelled) {
		in = withoutBuyer(in)
	}
	var taken *db.Pending[int64]
	if tx.Try() > 0 {
		taken = orders.PrefetchNumberTaken(tx, number)
	}
	o := &orders.Order{Given: orders.Given{Notes: in.Note},
		ID: id.New[id.Order](), Number: number, Status: orders.Pending, Channel: c.ID, ChannelName: c.Name, ChannelPlatform: c.Platform,
		PlatformID: in.ExternalID, ExternalNumber: in.Number, PlatformStatus: in.Theirs, PlatformUpdatedAt: micros(in.UpdatedAt),
		PlatformBuyer: in.Buyer, CustomerName: in.Name, CustomerEmail: in.Email, CustomerPhone: in.Phone, Currency: in.Currency,
		CreatedAt: orders.Shown(min(micros(in.CreatedAt), tx.Micros())), RecordedAt: tx.Micros(), UpdatedAt: tx.Micros(),
		Sync: orders.Sync{State: orders.Synced, UpdatedAt: tx.Micros()}}
	if o.CreatedAt == 0 {
		o.CreatedAt = orders.Shown(tx.Micros())
	}
	if cancelled != nil {
		reopen(tx, cancelled, o, in)
	}
	takeFacts(o, in)
	takeAddresses(o, in)
	takeAmounts(o, in)
	buyers := readBuyers(tx, []orderPerson{{email: in.Email}})
	if err := takeLines(tx, o, in); err != nil {
		return "", err
	}
	if n, err := taken.Wait(); err != nil || n > 0 {
		return "", cmp.Or(err, orders.ErrNumberTaken)
	}
	begin := beginning(in)
	o.Status = begin
	if in.Email == "" { // the customer of the order that it reopens, perhaps erased
		customers.Spend(tx, o.Customer, 1, spent(o))
	} else {
		buyer, err := buyers.find(o, "")
		if err != nil {
			return "", err
		}
		buyers.take(buyer, o, nil)
	}
	events := buyers.store(tx)
	if begin == orders.Shipped || begin == orders.Delivered {
		o.Status = orders.Processing
		o.ShipRest(orders.ShipmentDraft{}, tx.Micros())
		o.Status, o.ShippedNotified = begin, true
	}
	o.Reserve()
	why := stock.Why{Cause: stock.Shipment, ReferenceType: "order", ReferenceID: string(o.ID), Actor: accounts.Caller{}.Actor()}
	changes, err := holdStock(tx, nil, o, why, false)
	if err != nil {
		return "", err
	}
	flagContent(tx, o)
	flagUnclear(tx, o, in)
	o.History = []orders.Entry{{ID: id.History(o.ID), Status: o.Status, Source: orders.FromChannel, Actor: accounts.Caller{}.Actor(),
		At: tx.Micros()}}
	orders.Insert(tx, o)
	received := records.NewEvent(webhooks.OrderReceived, string(o.ID), func(w *apijson.Writer) { records.WriteOrderReceivedData(w, o) })
	webhooks.Record(tx, append(append(events, received), stockEvents(tx, changes, "shipment")...)...)
	_, err = s.followChanges(tx, o, in, true)
	return o.ID, err
}

// beginning is the first status of a received order: the platform's, unless parcels or refunds lead to it from an
// earlier one and are applied afterwards.
func beginning(in connector.Order) orders.Status {
	switch {
	case len(in.Parcels) > 0 && (in.Status == orders.Shipped || in.Status == orders.Delivered || in.Status == orders.PartiallyShipped):
		return orders.Processing
	case !in.ShippedAt.IsZero() && slices.ContainsFunc(in.Refunds, func(r connector.Refund) bool { return !r.CreatedAt.After(in.ShippedAt) }):
		return orders.Processing
	case in.Status == orders.PartiallyShipped && len(in.Parcels)+len(in.Sent) == 0: // what has left is not known
		return in.Status
	case in.Status == orders.PartiallyShipped, in.Refunded && in.Status != orders.Shipped && in.Status != orders.Delivered:
		return orders.Processing
	case in.Status == "":
		return orders.Pending
	}
	return in.Status
}

// takeLines copies the lines of a platform's order. An existing line keeps its id and history. A SKU that no product
// has, or none at all, gives a line without product.
func takeLines(tx *db.Tx, o *orders.Order, in connector.Order) error {
	var skus []string
	for _, l := range in.Lines {
		if l.SKU != "" {
			skus = append(skus, l.SKU)
		}
	}
	known, err := catalog.Resolve(tx, skus)
	if err != nil {
		return err
	}
	var lines []orders.Line
	taken := map[id.Line]bool{}
	for _, l := range in.Lines {
		if l.Amount < 0 { // it is part of the discount
			continue
		}
		line := orders.Line{ID: id.New[id.Line](), ExternalID: l.ExternalID}
		if old := o.LineOf(l.ExternalID); old != nil && !taken[old.ID] { // two may have one id
			taken[old.ID] = true
			line = *old
		} else {
			line.Metadata = freeJSON(l.Options)
		}
		if line.SKU != l.SKU || line.Product == "" {
			found := known[l.SKU]
			line.Product, line.Variant, line.Warehouse = found.Product, found.Variant, ""
		}
		line.SKU, line.Name, line.Quantity, line.Total, line.Fee = l.SKU, l.Name, max(l.Quantity, 1), l.Amount, l.Fee
		line.Refunded = min(line.Refunded, line.Quantity-line.Shipped)
		line.UnitPrice = l.Amount.Per(line.Quantity)
		lines = append(lines, line)
	}
	o.Lines = lines
	return nil
}

// flagContent adds issues for lines without product and for amounts that do not add up.
func flagContent(tx db.Writer, o *orders.Order) {
	for i, l := range o.Lines {
		if l.Product == "" && l.SKU != "" {
			orders.Flag(tx, o, orders.UnknownSKU, fmt.Sprintf("items[%d].sku", i), "no product has the SKU "+l.SKU)
		}
	}
	if !o.AddsUp() {
		orders.Flag(tx, o, orders.AmountsDiffer, "total", "the platform's total is not what its lines, discount, shipping and tax add up to")
	}
}

// flagUnclear adds issues for lines whose SKU on the platform does not say what was sold.
func flagUnclear(tx db.Writer, o *orders.Order, in connector.Order) {
	for _, l := range in.Lines {
		at := slices.IndexFunc(o.Lines, func(own orders.Line) bool { return own.ExternalID == l.ExternalID && own.Product == "" })
		if l.Unclear != "" && l.SKU == "" && at >= 0 {
			orders.Flag(tx, o, orders.UnknownSKU, fmt.Sprintf("items[%d].sku", at), l.Unclear)
		}
	}
}

// takeAmounts copies a platform's amounts. A negative line adds to the discount.
func takeAmounts(o *orders.Order, in connector.Order) {
	tax := in.Tax
	o.Totals = orders.Totals{ShippingAmount: in.Shipping, DiscountAmount: in.Discount, TaxAmount: &tax, Total: in.Total}
	for _, l := range in.Lines {
		if l.Amount < 0 {
			o.DiscountAmount -= l.Amount
		} else {
			o.Subtotal += l.Amount
		}
	}
}

// takeAddresses copies a platform's addresses; a missing one leaves the stored one, because platforms delete them
// after a while.
func takeAddresses(o *orders.Order, in connector.Order) {
	if in.ShipTo != nil {
		o.ShippingAddress = postal.Normal(placeJSON(*in.ShipTo))
	}
	switch {
	case in.BillTo != nil:
		o.BillingAddress = placeJSON(*in.BillTo)
	case o.BillingAddress == "" && in.ShipTo != nil:
		o.BillingAddress = placeJSON(*in.ShipTo)
	}
}

// placeJSON encodes the known parts of an address as free JSON.
func placeJSON(p connector.Place) string {
	w := apijson.NewWriter(256)
	w.Object("")
	for _, member := range []struct{ name, value string }{
		{"name", p.Name}, {"company", p.Company}, {"line1", p.Line1}, {"line2", p.Line2}, {"city", p.City}, {"state", p.State},
		{"postalCode", p.PostalCode}, {"zip", p.PostalCode}, {"country", p.Country}, {"phone", p.Phone},
	} {
		if member.value != "" {
			w.Text(member.name, member.value)
		}
	}
	w.End()
	return string(w.Bytes())
}
