package fileimport

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/base/money"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/idempotency"
	"entrepot/internal/importer"
	"entrepot/internal/importer/client"
	"entrepot/internal/imports"
	nouns "entrepot/internal/orders"
	"entrepot/internal/records"
)

// shop stores an import's orders by running the operations in the account's own store.
type shop struct{ *catalog }

// orderSpace is the key space of the stored orders of imports. Their answers are empty, so that they hold no personal
// data.
const orderSpace = "IMPORT order"

// CreateOrder creates the order of a request's body. The same order of the same import is created once: if it is sent
// again after a crash, that counts as its creation, which was not counted.
func (s *shop) CreateOrder(ctx context.Context, body []byte, content string) (replayed bool, err error) {
	draft, err := read(body, func(o *apijson.Object) commerce.OrderDraft { return drafts.ReadOrder(o, s.store.Now()) })
	if err != nil {
		return false, err
	}
	draft.Source = nouns.FromDashboard
	key := "import:" + string(s.of) + ":" + content
	_, err = s.commerce.TakeOrder(ctx, s.store, commerce.OrderIntake{Draft: draft, Who: s.who, Author: s.who.Author("", ""),
		Key: idempotency.Ref{Key: key, Space: orderSpace}, Fingerprint: key, Import: s.of,
		Answer: func(*nouns.Order) idempotency.Answer { return idempotency.Answer{Status: http.StatusCreated} }})
	return false, refused(err)
}

// FindOrder reads the order with an external reference.
func (s *shop) FindOrder(ctx context.Context, externalReference string) (out client.OrderRead, found bool, err error) {
	err = s.store.Read(ctx, s.who.Tenant, func(tx *db.Tx) error {
		which, err := nouns.ByReference(tx, externalReference)
		if err != nil || which == "" {
			return err
		}
		o, err := nouns.ByID(tx, which)
		if err != nil {
			return err
		}
		found, out = true, client.OrderRead{ID: string(o.ID), Status: string(o.Status), ExternalReference: o.ExternalReference}
		for _, l := range o.Lines {
			out.Items = append(out.Items, client.LineRead{SKU: l.SKU, Quantity: int(l.Quantity)})
		}
		return nil
	})
	return out, found, err
}

// MoveOrder changes an order's status.
func (s *shop) MoveOrder(ctx context.Context, order, status, note string) error {
	return refused(s.store.Write(context.WithoutCancel(ctx), s.who.Tenant, func(tx *db.Tx) error {
		_, err := s.commerce.MoveOrder(tx, s.who, id.Order(order), commerce.Expected{},
			commerce.Move{To: nouns.Status(status), Note: note, Source: nouns.FromDashboard})
		imports.Require(tx, s.of)
		return err
	}))
}

// referencesAtOnce is how many references one read returns.
const referencesAtOnce = 10_000

// EachReference reads the external references of all orders of the account, in parts.
func (s *shop) EachReference(ctx context.Context, do func(externalReference string) error) error {
	for after := ""; ; {
		var list []string
		err := s.store.Read(ctx, s.who.Tenant, func(tx *db.Tx) (err error) {
			list, err = nouns.References(tx, after, referencesAtOnce)
			return err
		})
		if err != nil {
			return err
		}
		for _, one := range list {
			if err := do(one); err != nil {
				return err
			}
		}
		if len(list) < referencesAtOnce {
			return nil
		}
		after = list[len(list)-1]
	}
}

// Customer reads one customer.
func (s *shop) Customer(ctx context.Context, customer string) (out client.Customer, err error) {
	err = s.store.Read(ctx, s.who.Tenant, func(tx *db.Tx) error {
		c, err := customers.ByID(tx, id.Customer(customer))
		if err == nil && c == nil {
			err = apperr.Missing("customer")
		}
		if err == nil {
			out = client.Customer{ID: string(c.ID), Email: c.Email, Phone: c.Phone, Company: c.Company, Status: string(c.Status)}
		}
		return err
	})
	return out, refused(err)
}

// CreateCustomer creates a customer.
func (s *shop) CreateCustomer(ctx context.Context, customer client.Customer, _ string) (client.Customer, error) {
	return s.writeCustomer(ctx, customer, drafts.ToCreate, func(tx *db.Tx, change customers.Change) (records.Customer, error) {
		return s.commerce.CreateCustomer(tx, change)
	})
}

// ChangeCustomer sets the fields that are not empty.
func (s *shop) ChangeCustomer(ctx context.Context, customer string, changes client.Customer) (client.Customer, error) {
	return s.writeCustomer(ctx, changes, drafts.ToUpdate, func(tx *db.Tx, change customers.Change) (records.Customer, error) {
		return s.commerce.UpdateCustomer(tx, id.Customer(customer), commerce.Expected{}, change)
	})
}

func (s *shop) writeCustomer(ctx context.Context, in client.Customer, to drafts.Purpose,
	operation func(*db.Tx, customers.Change) (records.Customer, error)) (out client.Customer, err error) {
	body, err := json.Marshal(in)
	if err != nil {
		return out, err
	}
	change, err := read(body, func(o *apijson.Object) customers.Change { return drafts.ReadCustomer(o, to) })
	if err != nil {
		return out, err
	}
	err = s.store.Write(context.WithoutCancel(ctx), s.who.Tenant, func(tx *db.Tx) error {
		made, err := operation(tx, change)
		imports.Require(tx, s.of)
		out = client.Customer{ID: string(made.ID)}
		return err
	})
	return out, refused(err)
}

// noteOrder notes an order that would be created, given as JSON.
func (t *trial) noteOrder(body []byte) {
	if len(t.orders) >= mostDiffs {
		return
	}
	// checked with its row
	draft, _ := read(body, func(o *apijson.Object) commerce.OrderDraft { return drafts.ReadOrder(o, time.Time{}) })
	one := Order{Reference: draft.ExternalReference, Customer: draft.CustomerName, Status: string(draft.Status), Currency: draft.Currency,
		CreatedAt: draft.CreatedAt, Lines: len(draft.Lines)}
	var subtotal money.Amount
	for _, l := range draft.Lines {
		value, _ := l.UnitPrice.Times(l.Quantity) // too large a product is refused when the row is read
		subtotal += value
	}
	one.Subtotal = subtotal.String()
	t.orders = append(t.orders, one)
}

// read reads a body that the importer has made. A wrong one is an error as the API's client returns it.
func read[D any](body []byte, draft func(*apijson.Object) D) (D, error) {
	v, err := jsonvalue.Parse(body)
	if err != nil {
		var none D
		return none, &client.Error{StatusCode: http.StatusBadRequest, Message: err.Error()}
	}
	o := apijson.Read(v)
	in := draft(o)
	return in, refused(o.Err())
}

// refusals are the errors that refuse one record; any other error ends the import.
var refusals = []apperr.Kind{apperr.Invalid, apperr.NotFound, apperr.Conflict, apperr.Refused}

// refused is the error as the API's client returns it, if it refuses one record.
func refused(err error) error {
	e, ok := apperr.As(err)
	if !ok || !slices.Contains(refusals, e.Kind) {
		return err
	}
	out := &client.Error{StatusCode: e.Kind.Status(), Message: e.Message, Code: e.Code}
	for _, d := range e.Details {
		out.Details = append(out.Details, client.Detail(d))
	}
	for _, m := range e.Members {
		switch value := m.Value.(type) {
		case id.Order:
			out.OrderID = string(value)
		case id.Customer:
			out.CustomerID = string(value)
		}
	}
	return out
}

var _ importer.Shop = (*shop)(nil)
