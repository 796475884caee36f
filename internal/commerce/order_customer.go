package commerce

import (
	"strings"

	"entrepot/internal/apperr"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// linkCustomer finds or creates the order's customer. customerId wins over customerEmail; a merged record leads to its
// primary.
func (p PendingOrder) linkCustomer(r db.Reader, o *orders.Order) (made *records.Customer, err error) {
	if p.customer == nil {
		return nil, nil
	}
	c, err := p.customer.Wait()
	if err == nil && c == nil && p.draft.CustomerID != "" {
		err = customers.Missing()
	}
	if err != nil {
		return nil, err
	}
	if c, err = customers.Primary(r, c); err != nil {
		return nil, err
	}
	if c == nil {
		segments, err := p.segments.Wait()
		if err != nil {
			return nil, err
		}
		made = &records.Customer{Customer: newCustomer(r.Micros(), o)}
		chooseSegments(made, segments, r.Micros())
		o.Customer, o.EmailOfCustomer = made.ID, true
		return made, nil
	}
	if c.Status == customers.Erased {
		return nil, apperr.New(apperr.Conflict, "customer_erased", "the customer was erased").With("customerId", c.ID)
	}
	o.Customer, o.CustomerPhone = c.ID, c.Phone
	if p.draft.CustomerID != "" {
		o.CustomerEmail = c.Email
	}
	o.EmailOfCustomer = customers.EmailKey(c.Email) == orders.EmailKey(o.CustomerEmail)
	return nil, nil
}

// countCustomer stores a customer that was created with the order, or counts the order in the totals of an existing one.
func countCustomer(w db.GuardedWriter, made *records.Customer, o *orders.Order) []webhooks.Event {
	if made != nil {
		customers.Insert(w, made.Customer)
		return []webhooks.Event{customerEvent(webhooks.CustomerCreated, *made)}
	}
	if o.Customer != "" {
		email := ""
		if o.EmailOfCustomer {
			email = customers.EmailKey(o.CustomerEmail)
		}
		customers.Ordered(w, o.Customer, email, spent(o), customers.CountryOfOrder(o.ShippingAddress, o.CreatedAt))
	}
	return nil
}

// newCustomer is the record for an order with an unknown e-mail address.
func newCustomer(now int64, o *orders.Order) customers.Customer {
	given, family, _ := strings.Cut(o.CustomerName, " ")
	return customers.Customer{ID: id.New[id.Customer](), Email: o.CustomerEmail, FirstName: given, LastName: strings.TrimSpace(family),
		Phone: o.CustomerPhone, Metadata: "{}", Tags: []string{},
		Status: customers.Active, OrdersCount: 1, TotalSpent: spent(o),
		OrderCountry: customers.CountryOfOrder(o.ShippingAddress, o.CreatedAt), CreatedAt: now, UpdatedAt: now}
}
