package commerce

import (
	"maps"
	"slices"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// buyers finds and creates the customers of the orders that one transaction stores.
type buyers struct {
	tx       *db.Tx
	byID     *db.Pending[map[id.Customer]*customers.Customer]
	byEmail  *db.Pending[map[string]*customers.Customer]
	segments *db.Pending[[]customers.Segment] // to build the record of a new customer

	known   map[id.Customer]*buyer
	created map[string]*buyer // by their e-mail addresses, see customers.EmailKey
}

// orderPerson is how an order names its customer: by an id, which wins, or by an e-mail address, or not at all.
type orderPerson struct {
	id    id.Customer
	email string
}

// buyer is a customer with orders of this transaction.
type buyer struct {
	customer id.Customer
	phone    string
	made     *records.Customer

	orders  int64
	spent   money.Amount
	country customers.OrderCountry // of the newest
	email   string                 // the key of the customer's address if an order has it
	created webhooks.Event         // of one that was made
}

// readBuyers prefetches the records of the persons.
func readBuyers(tx *db.Tx, people []orderPerson) *buyers {
	b := &buyers{tx: tx, known: map[id.Customer]*buyer{}, created: map[string]*buyer{}}
	var ids []id.Customer
	var emails []string
	for _, p := range people {
		switch {
		case p.id != "":
			ids = append(ids, p.id)
		case p.email != "":
			emails = append(emails, p.email)
		}
	}
	b.byID, b.byEmail = customers.PrefetchByIDs(tx, ids), customers.PrefetchByEmails(tx, emails)
	if len(emails) > 0 {
		b.segments = customers.PrefetchSegments(tx)
	}
	return b
}

// find finds or makes the order's customer, by the id given or else by the order's e-mail address, and sets it in the
// order; nil if the order names none. A merged record leads to its primary. Errors: NotFound; Conflict for an erased
// customer.
func (b *buyers) find(o *orders.Order, given id.Customer) (*buyer, error) {
	if given == "" && o.CustomerEmail == "" {
		return nil, nil
	}
	c, err := b.record(o, given)
	if err != nil {
		return nil, err
	}
	if c != nil {
		return b.link(o, c, given != "")
	}
	if found := b.created[customers.EmailKey(o.CustomerEmail)]; found != nil {
		o.Customer, o.CustomerPhone, o.EmailOfCustomer = found.customer, found.phone, true
		return found, nil
	}
	segments, err := b.segments.Wait()
	if err != nil {
		return nil, err
	}
	made := &records.Customer{Customer: newCustomer(b.tx.Micros(), o)}
	chooseSegments(made, segments, b.tx.Micros())
	o.Customer, o.EmailOfCustomer = made.ID, true
	return &buyer{customer: made.ID, phone: made.Phone, made: made}, nil
}

// record is the stored record to which the order's person leads, nil if there is none.
func (b *buyers) record(o *orders.Order, given id.Customer) (c *customers.Customer, err error) {
	if given != "" {
		byID, err := b.byID.Wait()
		if err != nil {
			return nil, err
		}
		if c = byID[given]; c == nil {
			return nil, customers.Missing()
		}
	} else {
		byEmail, err := b.byEmail.Wait()
		if err != nil {
			return nil, err
		}
		c = byEmail[customers.EmailKey(o.CustomerEmail)]
	}
	return customers.Primary(b.tx, c)
}

// link makes a stored customer the order's.
func (b *buyers) link(o *orders.Order, c *customers.Customer, given bool) (*buyer, error) {
	if c.Status == customers.Erased {
		return nil, apperr.New(apperr.Conflict, "customer_erased", "the customer was erased").With("customerId", c.ID)
	}
	o.Customer, o.CustomerPhone = c.ID, c.Phone
	if given {
		o.CustomerEmail = c.Email
	}
	o.EmailOfCustomer = customers.EmailKey(c.Email) == orders.EmailKey(o.CustomerEmail)
	if found := b.known[c.ID]; found != nil {
		return found, nil
	}
	return &buyer{customer: c.ID, phone: c.Phone}, nil
}

// take adds an accepted order to its customer's counts; nil for none. author causes its events, nil for the author of
// the transaction.
func (b *buyers) take(of *buyer, o *orders.Order, author *db.Author) {
	if of == nil {
		return
	}
	country := customers.CountryOfOrder(o.ShippingAddress, o.CreatedAt)
	switch {
	case of.made == nil:
		b.known[of.customer] = of
	case of.orders == 0: // newCustomer has counted the order
		b.created[customers.EmailKey(of.made.Email)] = of
		of.created = customerEvent(webhooks.CustomerCreated, *of.made)
		of.created.Author = author
	default:
		of.made.OrdersCount++
		of.made.TotalSpent += spent(o)
		if country.Code != "" && country.At >= of.made.OrderCountry.At {
			of.made.OrderCountry = country
		}
	}
	of.orders++
	of.spent += spent(o)
	if country.Code != "" && country.At >= of.country.At {
		of.country = country
	}
	if o.EmailOfCustomer {
		of.email = customers.EmailKey(o.CustomerEmail)
	}
}

// store queues the new customers and the totals of the others, and returns the events of the former.
func (b *buyers) store(w db.Writer) (events []webhooks.Event) {
	var made []customers.Customer
	// in the order in which every transaction inserts addresses
	for _, email := range slices.Sorted(maps.Keys(b.created)) {
		made = append(made, b.created[email].made.Customer)
		events = append(events, b.created[email].created)
	}
	customers.Insert(w, made...)
	for _, customer := range slices.Sorted(maps.Keys(b.known)) {
		of := b.known[customer]
		customers.Ordered(w, customer, of.orders, of.email, of.spent, of.country)
	}
	return events
}

// newCustomer is the record for an order with an unknown e-mail address.
func newCustomer(now int64, o *orders.Order) customers.Customer {
	given, family, _ := strings.Cut(o.CustomerName, " ")
	return customers.Customer{ID: id.New[id.Customer](), Email: o.CustomerEmail, FirstName: given, LastName: strings.TrimSpace(family),
		Phone: o.CustomerPhone, Metadata: "{}", Tags: []string{},
		Status: customers.Active, OrdersCount: 1, TotalSpent: spent(o),
		OrderCountry: customers.CountryOfOrder(o.ShippingAddress, o.CreatedAt), CreatedAt: now, UpdatedAt: now}
}
