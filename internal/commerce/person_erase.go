package commerce

import (
	"context"
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/channels"
	"entrepot/internal/connector"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/money"
	"entrepot/internal/orders"
)

// erasePerson erases whom a platform reports to have asked for it: the customer with the e-mail address, and those of
// orders whose buyer has the person's name on the platform, of all its channels, because an application is notified once.
// Orders without a customer get one, so that all of the person is erased in one way and nothing comes back with the next
// pull. If there is nobody, there is nothing to erase.
func (s *Service) erasePerson(ctx context.Context, store *db.DB, c channels.Channel, person connector.Person) error {
	var names []string
	for _, name := range []string{person.Username, person.ID} { // some platforms give one in place of the other
		if name != "" {
			names = append(names, name)
		}
	}
	var people []id.Customer
	var nobodys bool
	err := store.Read(ctx, c.Tenant, func(tx *db.Tx) (err error) {
		people, nobodys, err = peopleOf(tx, c.Platform, person.Email, names)
		return err
	})
	if err == nil && nobodys {
		var made id.Customer
		err = store.Write(ctx, c.Tenant, func(tx *db.Tx) (err error) {
			made, err = adoptOrders(tx, c.Platform, names)
			return err
		})
		if made != "" {
			people = append(people, made)
		}
	}
	for _, one := range people {
		if err == nil {
			err = s.EraseCustomer(ctx, store, accounts.Caller{Tenant: c.Tenant}, one, nil)
		}
	}
	return err
}

// peopleOf finds a person's customers by e-mail address and by names on a platform; nobodys says that some orders of the person
// have no customer.
func peopleOf(tx *db.Tx, platform, email string, names []string) (people []id.Customer, nobodys bool, err error) {
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
			return nil, false, err
		}
	}
	theirs, err := orders.OfPlatformBuyer(tx, platform, names)
	if err != nil {
		return nil, false, err
	}
	list, err := orders.ByIDs(tx, theirs)
	if err != nil {
		return nil, false, err
	}
	for _, o := range list {
		if o.Customer == "" {
			nobodys = true
			continue
		}
		if err := add(customers.ByID(tx, o.Customer)); err != nil {
			return nil, false, err
		}
	}
	return people, nobodys, nil
}

// adoptOrders gives a buyer's orders without a customer one that has nothing but them; "" if there are none any more.
func adoptOrders(tx *db.Tx, platform string, names []string) (id.Customer, error) {
	theirs, err := orders.OfPlatformBuyer(tx, platform, names)
	if err != nil {
		return "", err
	}
	slices.Sort(theirs)
	made := customers.Customer{ID: id.New[id.Customer](), Metadata: "{}", Tags: []string{}, Status: customers.Active,
		CreatedAt: tx.Micros(), UpdatedAt: tx.Micros()}
	made.Email = customers.ErasedEmail(made.ID)
	var total money.Amount
	for _, order := range theirs {
		o, err := orders.Lock(tx, order)
		if err != nil {
			return "", err
		}
		if o.Customer != "" {
			continue
		}
		o.Customer, o.CustomerEmail = made.ID, ""
		orders.SaveBuyer(tx, o)
		made.OrdersCount, total = made.OrdersCount+1, total+spent(o)
	}
	if made.OrdersCount == 0 {
		return "", nil
	}
	made.TotalSpent = total
	customers.Insert(tx, made)
	return made.ID, nil
}
