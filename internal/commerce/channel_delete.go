package commerce

import (
	"context"
	"maps"
	"slices"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/idempotency"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// DeleteChannel deletes a channel (interface §1). A custom one is deleted with its keys, orders and publications:
// reservations are released, totals corrected, references freed, and no order event is emitted; products stay. A
// platform's channel is only deactivated and keeps its orders, unless force is set. If much belongs to the channel,
// this transaction deletes only the channel and its keys, and FinishChannelDeletion must follow. found is the result
// of FindChannelAnswers, or nil. gone says whether the channel was deleted. Errors: NotFound; those of Expected.
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
	much, err := s.hasMuch(tx, channel)
	if err != nil {
		return false, err
	}
	if much {
		jobs.Begin(tx, jobs.ChannelDeletion, string(channel), "{}")
		endJobs(tx, channel)
	} else if err := emptyChannel(tx, channel, found); err != nil {
		return false, err
	}
	accounts.RevokeOfChannel(tx, channel)
	channels.Delete(tx, channel)
	audit.Record(tx, who.Actor(), "channel.deleted", "channel", string(c.ID), map[string]string{"platform": c.Platform})
	return true, nil
}

// hasMuch reports whether more belongs to a channel than one transaction can delete without delaying others.
func (s *Service) hasMuch(tx *db.Tx, channel id.Channel) (much bool, err error) {
	n := s.atOnce()
	for _, more := range []func() (bool, error){
		func() (bool, error) { return orders.AnyOfChannel(tx, channel, n) },
		func() (bool, error) { return catalog.AnyOnChannel(tx, channel, n*textsAtOnce) },
		func() (bool, error) { return channelsync.AnyItems(tx, channel, n*textsAtOnce) },
		func() (bool, error) { return channels.AnyNotifications(tx, channel, n*textsAtOnce) },
	} {
		if much || err != nil {
			break
		}
		much, err = more()
	}
	return much, err
}

// FinishChannelDeletion deletes in short transactions what belongs to a channel with much that DeleteChannel has
// deleted; it does nothing if that is done. Several processes may do it at once, and each returns when all is done.
func (s *Service) FinishChannelDeletion(ctx context.Context, store *db.DB, tenant id.Tenant, channel id.Channel) error {
	answers := &ChannelAnswers{since: store.OldestWrite()} // before the snapshot
	var left []id.Order
	err := store.Read(ctx, tenant, func(tx *db.Tx) error {
		begun, err := jobs.Operation(tx, jobs.ChannelDeletion, string(channel))
		if err == nil && begun == nil {
			err = errEnded
		}
		if err == nil {
			left, err = orders.OfChannel(tx, channel)
		}
		if err == nil {
			err = answers.find(tx, channel)
		}
		return err
	})
	if err != nil {
		return orEnded(err)
	}
	searched := time.Now()
	do := s.operation(store, tenant, jobs.ChannelDeletion, string(channel))
	err = do.orders(ctx, left, func() error {
		if time.Since(searched) < searchAgain {
			return nil
		}
		searched = time.Now()
		return answers.findNewer(ctx, store, tenant)
	}, func(tx *db.Tx, some []id.Order) error { return removeOrders(tx, channel, some, answers) })
	for _, some := range []func(tx *db.Tx, limit int) (int64, error){
		func(tx *db.Tx, limit int) (int64, error) { return catalog.UnpublishSome(tx, channel, limit) },
		func(tx *db.Tx, limit int) (int64, error) { return channelsync.DeleteSome(tx, channel, limit) },
		func(tx *db.Tx, limit int) (int64, error) { return channels.ForgetSome(tx, channel, limit) },
	} {
		if err == nil {
			err = do.each(ctx, func(tx *db.Tx) (bool, error) {
				n, err := some(tx, do.batch.Size*textsAtOnce)
				return n > 0, err
			})
		}
	}
	if err == nil {
		err = do.end(ctx, func(tx *db.Tx) error {
			orders.ForgetChannel(tx, channel)
			return emptyChannel(tx, channel, answers)
		})
	}
	return orEnded(err)
}

// searchAgain is after how long a deletion searches a snapshot for newer answers, so that its transactions need not
// read many.
const searchAgain = time.Second

// endJobs ends every job of a deleted channel. Jobs are locked after customers and before the account's clock, which
// the first read after a change of stock takes (decision 5).
func endJobs(tx db.Writer, channel id.Channel) {
	jobs.EndOfChannel(tx, channel, records.JobErrors(records.JobError("the channel was deleted", "")))
}

// emptyChannel deletes everything that belongs to a deleted channel, or what earlier steps left of it, and ends its
// jobs.
func emptyChannel(tx *db.Tx, channel id.Channel, found *ChannelAnswers) error {
	if _, err := channelsync.Lock(tx, channel); err != nil { // before the jobs, as a job that fails or pauses does
		return err
	}
	left, err := orders.OfChannel(tx, channel)
	if err != nil {
		return err
	}
	parting, err := partWith(tx, left)
	if err != nil {
		return err
	}
	endJobs(tx, channel)
	if err := parting.remove(tx, channel, found); err != nil {
		return err
	}
	channelsync.Delete(tx, channel)
	catalog.UnpublishAll(tx, channel)
	channels.Forget(tx, channel)
	return nil
}

// removeOrders deletes some orders of a channel that are still there, with the answers about them: it releases their
// reservations and corrects their customers' totals.
func removeOrders(tx *db.Tx, channel id.Channel, some []id.Order, found *ChannelAnswers) error {
	parting, err := partWith(tx, some)
	if err != nil {
		return err
	}
	return parting.remove(tx, channel, found)
}

// parting are orders that are about to be deleted. They and their customers are locked, so that none of them changes
// any more.
type parting struct {
	list      []orders.Order
	about     []string // their ids and those of their shipments
	customers []withdrawal
}

// withdrawal is what deleted orders take from a customer's record.
type withdrawal struct {
	customer id.Customer
	orders   int64
	spent    money.Amount
	at       []int64                // when they were created
	outdated bool                   // one of them gave the record its country
	country  customers.OrderCountry // replaces it
}

func partWith(tx *db.Tx, some []id.Order) (p parting, err error) {
	some, err = orders.LockSome(tx, some)
	if err != nil || len(some) == 0 {
		return p, err
	}
	if p.list, err = orders.ByIDs(tx, some); err != nil {
		return p, err
	}
	shipments, err := orders.ShipmentsOf(tx, some)
	p.about = slices.Concat(texts(some), shipments)
	if err == nil {
		p.customers, err = withdrawals(tx, p.list)
	}
	return p, err
}

// remove deletes the orders with the answers about them, corrects the totals of their customers and releases what
// they reserve. Customers and stock come last: the first read after a change of them takes the account's clock, and
// the search blocks that contain the orders are locked before it (decision 5).
func (p parting) remove(tx *db.Tx, channel id.Channel, found *ChannelAnswers) error {
	if len(p.list) == 0 {
		return nil
	}
	answers, err := found.about(tx, p.about)
	if err != nil {
		return err
	}
	if err := orders.Remove(tx, p.list); err != nil {
		return err
	}
	for _, of := range p.customers {
		if of.outdated {
			customers.Withdraw(tx, of.customer, of.orders, of.spent, of.country)
		} else {
			customers.Spend(tx, of.customer, -of.orders, -of.spent)
		}
	}
	var shifts []stock.Shift
	for _, o := range p.list {
		for _, l := range o.Lines {
			if l.Reserved > 0 {
				shifts = append(shifts,
					stock.Shift{SKU: l.SKU, Warehouse: l.Warehouse, Product: l.Product, Variant: l.Variant, Reserve: -l.Reserved})
			}
		}
	}
	changes, err := shiftStock(tx, shifts, stock.Why{Cause: stock.Adjustment, ReferenceType: "channel", ReferenceID: string(channel)})
	idempotency.Delete(tx, answers)
	webhooks.Record(tx, stockEvents(tx, changes, "adjustment")...)
	return err
}

// withdrawals locks the customers of orders and computes what the deletion takes from them.
func withdrawals(tx *db.Tx, list []orders.Order) ([]withdrawal, error) {
	by := map[id.Customer]*withdrawal{}
	for i := range list {
		o := &list[i]
		if o.Customer == "" {
			continue
		}
		if by[o.Customer] == nil {
			by[o.Customer] = &withdrawal{customer: o.Customer}
		}
		of := by[o.Customer]
		of.orders, of.spent, of.at = of.orders+1, of.spent+spent(o), append(of.at, o.CreatedAt)
	}
	people := slices.Sorted(maps.Keys(by))
	countries, err := customers.LockCountries(tx, people)
	if err != nil {
		return nil, err
	}
	var outdated []id.Customer
	for _, customer := range people {
		if of := by[customer]; slices.Contains(of.at, countries[customer]) {
			of.outdated, outdated = true, append(outdated, customer)
		}
	}
	left, err := orders.ShippedBeside(tx, idsOf(list), outdated)
	if err != nil {
		return nil, err
	}
	beside := map[id.Customer][]customers.OrderCountry{}
	for _, l := range left {
		beside[l.Customer] = append(beside[l.Customer], customers.OrderCountry{Code: l.Country, At: l.CreatedAt})
	}
	all := make([]withdrawal, len(people))
	for i, customer := range people {
		all[i] = *by[customer]
		all[i].country = customers.NewestCountry(beside[customer])
	}
	return all, nil
}

func idsOf(list []orders.Order) []id.Order {
	ids := make([]id.Order, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	return ids
}
