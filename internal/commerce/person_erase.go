package commerce

import (
	"context"
	"slices"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/channels"
	"entrepot/internal/connector"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// erasePerson erases a person for whom a platform has requested it: the customer with the e-mail address, and those
// of orders whose buyer has the person's name on the platform, of all its channels, because an application is
// notified once. Orders without a customer get one, so that all of the person is erased in one way and nothing comes
// back with the next pull. If there is nobody, there is nothing to erase.
func (s *Service) erasePerson(ctx context.Context, store *db.DB, c channels.Channel, person connector.Person) error {
	var names []string
	for _, name := range []string{person.Username, person.ID} { // some platforms give one in the other's member
		if name != "" {
			names = append(names, name)
		}
	}
	// Data of the person that a pull has in memory is not stored any more (decision 12), and data that it has stored
	// is found.
	if err := store.Write(ctx, c.Tenant, jobs.Interrupt); err != nil {
		return err
	}
	var people []id.Customer
	for {
		var free []id.Order
		err := store.Read(ctx, c.Tenant, func(tx *db.Tx) (err error) {
			people, free, err = peopleOf(tx, c.Platform, person.Email, names)
			return err
		})
		if err == nil && len(free) > 0 {
			err = s.adoptOrders(ctx, store, c.Tenant, free)
		} else if err == nil {
			break
		}
		if err != nil {
			return err
		}
	}
	for _, one := range people {
		if err := s.EraseCustomer(ctx, store, accounts.Caller{Tenant: c.Tenant}, one, nil); err != nil {
			return err
		}
	}
	return nil
}

// peopleOf finds a person's customers by e-mail address and by names on a platform, and the orders of the person that
// have no customer, sorted.
func peopleOf(tx *db.Tx, platform, email string, names []string) (people []id.Customer, free []id.Order, err error) {
	add := func(c *customers.Customer, err error) error {
		if err == nil && c != nil {
			c, err = customers.Primary(tx, c)
		}
		if err == nil && c != nil && !slices.Contains(people, c.ID) {
			people = append(people, c.ID)
		}
		return err
	}
	if email != "" {
		if err := add(customers.ByEmail(tx, email)); err != nil {
			return nil, nil, err
		}
	}
	theirs, err := orders.OfPlatformBuyer(tx, platform, names)
	if err != nil {
		return nil, nil, err
	}
	seen := map[id.Customer]bool{}
	for _, o := range theirs {
		if o.Customer == "" {
			free = append(free, o.Order)
		} else if !seen[o.Customer] {
			seen[o.Customer] = true
			if err := add(customers.ByID(tx, o.Customer)); err != nil {
				return nil, nil, err
			}
		}
	}
	slices.Sort(free)
	return people, free, nil
}

// adoptOrders gives a buyer's orders without a customer one that has nothing but them, in short transactions. After a
// crash the finished orders keep theirs, and the rest gets another one.
func (s *Service) adoptOrders(ctx context.Context, store *db.DB, tenant id.Tenant, free []id.Order) error {
	batch, parent := s.newBatchSize(store), id.New[id.Customer]()
	for len(free) > 0 {
		some := free[:min(len(free), batch.Size)]
		var took time.Duration
		if err := store.WriteBulk(ctx, tenant, func(tx *db.Tx) (err error) {
			started := time.Now()
			if parent, err = adopt(tx, parent, some); err == nil {
				err = tx.Flush()
			}
			took = time.Since(started)
			return err
		}); err != nil {
			return err
		}
		free = free[len(some):]
		batch.Next(ctx, took)
	}
	return nil
}

// adopt gives a customer those of some orders that have none. The first step makes the customer; if it was erased
// meanwhile, another one is made.
func adopt(tx *db.Tx, parent id.Customer, some []id.Order) (id.Customer, error) {
	locked, err := orders.LockSome(tx, some)
	if err != nil {
		return parent, err
	}
	list, err := orders.ByIDs(tx, locked)
	if err != nil {
		return parent, err
	}
	list = slices.DeleteFunc(list, func(o orders.Order) bool { return o.Customer != "" })
	if len(list) == 0 {
		return parent, nil
	}
	known, err := customers.LockAll(tx, []id.Customer{parent})
	if err != nil {
		return parent, err
	}
	if len(known) > 0 && known[0].Status != customers.Active {
		parent = id.New[id.Customer]()
		known = nil
	}
	var total money.Amount
	for i := range list {
		o := &list[i]
		total += spent(o)
		o.Customer, o.CustomerEmail = parent, ""
		orders.SaveBuyer(tx, o)
	}
	if len(known) > 0 {
		customers.Spend(tx, parent, int64(len(list)), total)
		return parent, nil
	}
	made := customers.Customer{ID: parent, Email: customers.ErasedEmail(parent), Metadata: "{}", Tags: []string{},
		Status: customers.Active, OrdersCount: int64(len(list)), TotalSpent: total, CreatedAt: tx.Micros(), UpdatedAt: tx.Micros()}
	customers.Insert(tx, made)
	webhooks.Record(tx, customerEvent(webhooks.CustomerCreated, records.Customer{Customer: made}))
	return parent, nil
}
