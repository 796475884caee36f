package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/idempotency"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// DeleteChannel deletes a channel (interface §1). A custom one is deleted with its keys, orders and publications:
// reservations are released, totals corrected, references freed, and no order event is emitted; products stay. A
// platform's channel is only deactivated and keeps its orders, unless force is set. found is what FindChannelAnswers found,
// or nil. gone says whether it was deleted. Errors: NotFound; those of Expected.
func (s *Service) DeleteChannel(tx *db.Tx, who accounts.Caller, channel id.Channel, expected Expected, force bool,
	found *ChannelAnswers) (gone bool, err error) {
	c, err := channels.ByID(tx, channel)
	if err != nil {
		return false, err
	}
	if c.Platform != channels.Custom && !force {
		if c, err = holdChannel(tx, channel, expected); err != nil {
			return false, err
		}
		c.Status = channels.Inactive
		c.Save(tx)
		audit.Record(tx, who.Actor(), "channel.deactivated", "channel", string(c.ID), nil)
		return false, nil
	}
	if c, err = channels.LockToDelete(tx, channel); err != nil { // from here on no order can be added to it
		return false, err
	}
	if err := expectChannel(tx, c, expected); err != nil {
		return false, err
	}
	if err := orders.LockOfChannel(tx, channel); err != nil { // and none of its orders changes
		return false, err
	}
	held, err := orders.HeldBy(tx, channel)
	if err != nil {
		return false, err
	}
	if err := withdrawOrders(tx, channel); err != nil {
		return false, err
	}
	if err := orders.ForgetSearched(tx, channel); err != nil {
		return false, err
	}
	var shifts []stock.Shift
	for _, h := range held {
		shifts = append(
			shifts,
			stock.Shift{SKU: h.SKU, Warehouse: h.Warehouse, Product: h.Product, Variant: h.Variant, Reserve: -h.Reserved},
		)
	}
	changes, err := shiftStock(
		tx,
		shifts,
		stock.Why{Cause: stock.Adjustment, ReferenceType: "channel", ReferenceID: string(c.ID), Actor: who.Actor()},
	)
	if err != nil {
		return false, err
	}
	answers, known, err := found.now(tx, channel)
	if err != nil {
		return false, err
	}
	if known {
		idempotency.Delete(tx, answers)
	} else {
		orders.PurgeAnswers(tx, channel)
	}
	orders.Purge(tx, channel)
	accounts.RevokeOfChannel(tx, channel)
	jobs.EndOfChannel(tx, channel, records.JobErrors(records.JobError("the channel was deleted", "")))
	channelsync.Delete(tx, channel)
	catalog.UnpublishAll(tx, channel)
	channels.Delete(tx, channel)
	webhooks.Record(tx, stockEvents(tx, changes, "adjustment")...)
	audit.Record(tx, who.Actor(), "channel.deleted", "channel", string(c.ID), map[string]string{"platform": c.Platform})
	return true, nil
}

// withdrawOrders takes the orders of a channel, which are about to be purged, out of their customers' records.
func withdrawOrders(tx *db.Tx, channel id.Channel) error {
	counted, err := orders.SpentOn(tx, channel)
	if err != nil {
		return err
	}
	theirs := make([]id.Customer, len(counted))
	for i, spent := range counted {
		theirs[i] = spent.Customer
	}
	if err := customers.LockRows(tx, theirs); err != nil {
		return err
	}
	left, err := orders.ShippedBeside(tx, channel, theirs)
	if err != nil {
		return err
	}
	countries := map[id.Customer][]customers.OrderCountry{}
	for _, l := range left {
		countries[l.Customer] = append(countries[l.Customer], customers.OrderCountry{Code: l.Country, At: l.CreatedAt})
	}
	for _, spent := range counted {
		customers.Withdraw(tx, spent.Customer, spent.Orders, spent.Total, customers.NewestCountry(countries[spent.Customer]))
	}
	return nil
}
