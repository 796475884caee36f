package commerce

import (
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/orders"
	"entrepot/internal/webhooks"
)

// trace is where a customer's data is in the event log, found before the erasure so that the erasure itself need not
// read the whole log.
type trace struct {
	people []id.Customer
	upTo   int64 // a stamp: newer events were not read
	events []webhooks.EventRef
}

// traceCustomer searches the event log on a snapshot, which delays no other work.
func traceCustomer(tx *db.Tx, customer id.Customer) (t trace, err error) {
	if t.people, err = person(tx, customer); err != nil {
		return t, err
	}
	theirs, err := orders.Of(tx, t.people)
	if err != nil {
		return t, err
	}
	if t.upTo, err = webhooks.Newest(tx); err != nil {
		return t, err
	}
	t.events, err = findEvents(tx, 0, t.people, theirs)
	return t, err
}

// person is a customer and all records merged into it.
func person(tx *db.Tx, customer id.Customer) ([]id.Customer, error) {
	merged, err := customers.MergedInto(tx, customer)
	return append([]id.Customer{customer}, merged...), err
}

// findEvents finds the events about people and their orders, including orders deleted since: some events of these have
// the customer's id, and so lead to the rest.
func findEvents(tx *db.Tx, after int64, people []id.Customer, theirs []id.Order) ([]webhooks.EventRef, error) {
	resources := append(texts(people), texts(theirs)...)
	known := map[string]bool{}
	for _, r := range resources {
		known[r] = true
	}
	list, err := webhooks.FindEvents(tx, after, resources, texts(people))
	if err != nil {
		return nil, err
	}
	var more []string
	for _, m := range list {
		if !known[m.Resource] {
			known[m.Resource] = true
			more = append(more, m.Resource)
		}
	}
	if len(more) == 0 {
		return list, nil
	}
	rest, err := webhooks.FindEvents(tx, 0, more, nil)
	return append(list, rest...), err
}

func texts[T ~string](ids []T) []string {
	list := make([]string, len(ids))
	for i, v := range ids {
		list[i] = string(v)
	}
	return list
}
