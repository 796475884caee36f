package verify

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// The statements of this file serve every tenant: the proof is about the whole store.

// key identifies a record of any account.
type key struct {
	tenant id.Tenant
	id     string
}

// erasedRecords is one check of the records of erased customers.
type erasedRecords struct {
	tx    *db.Tx
	proof *Proof
	where string // the condition that selects one customer
	args  []any
	about map[key]mark // customers, orders and shipments that events and stored answers may be about
}

// mark is when a record was anonymised, and whether it changed since: a caller may have written new data afterwards.
type mark struct {
	at      int64
	changed bool
}

// inFlight bounds how long before an erasure an operation may have started that waited for the erasure: its writes have
// an earlier time.
const inFlight = 60_000_000

// before reports whether a text written at a time existed when the record was anonymised.
func (m mark) before(at int64) bool {
	if m.changed {
		return at <= m.at-inFlight
	}
	return at <= m.at
}

// CheckRecords checks every stored record of all erased customers, or of one: the records must contain no personal
// data.
func CheckRecords(ctx context.Context, store *db.DB, p *Proof, customer id.Customer) error {
	pending, err := store.PendingScrubs(ctx)
	if err != nil {
		return err
	}
	p.Pending = pending
	return store.Read(ctx, db.Across, func(tx *db.Tx) error {
		if err := tx.Row("SELECT count(*) FROM jobs WHERE type = $1 AND subject IS NOT NULL", []any{string(jobs.CustomerErasure)}, &p.Underway); err != nil {
			return err
		}
		r := &erasedRecords{tx: tx, proof: p, where: " WHERE c.status = 'erased' AND " + ended, about: map[key]mark{}}
		if customer != "" {
			if err := r.only(customer); err != nil {
				return err
			}
		}
		return errors.Join(r.customers(), r.orders(), r.notes(), r.events(), r.answers())
	})
}

// only limits the check to one customer, with the records merged into it.
func (r *erasedRecords) only(customer id.Customer) error {
	var status customers.Status
	err := r.tx.Row("SELECT status FROM customers WHERE id = $1::UUID", []any{customer}, &status)
	if errors.Is(err, db.ErrNoRow) {
		return customers.Missing()
	}
	if err != nil {
		return err
	}
	if status != customers.Erased {
		r.found("customer "+string(customer), "the record is %s, not erased", status)
	}
	r.where += " AND (c.id = $1::UUID OR c.merged_into = $1::UUID)"
	r.args = []any{customer}
	return nil
}

// ended leaves out customers whose erasure is under way: data about them is still stored.
const ended = `NOT EXISTS (SELECT 1 FROM jobs e WHERE e.tenant_id = c.tenant_id AND e.type = '` + string(jobs.CustomerErasure) + `' AND
	(e.subject = c.id OR e.subject = c.merged_into))`

func (r *erasedRecords) found(where, format string, args ...any) {
	r.proof.Findings = append(r.proof.Findings, Finding{where, fmt.Sprintf(format, args...)})
}

func (r *erasedRecords) customers() error {
	return r.tx.Each(func(row db.Rows) error {
		var tenant id.Tenant
		var customer id.Customer
		var email, key1, search, metadata, rest string
		var tags, addresses, at int64
		if err := row.Scan(&tenant, &customer, &email, &key1, &search, &metadata, &rest, &tags, &addresses, db.Opt(&at)); err != nil {
			return err
		}
		r.proof.Customers++
		r.about[key{tenant, string(customer)}] = mark{at: at}
		placeholder := customers.ErasedEmail(customer)
		if email != placeholder || key1 != placeholder || search != placeholder || metadata != "{}" || rest != "" || tags+addresses > 0 {
			r.found("customer "+string(customer), "the record is not empty")
		}
		return nil
	}, `SELECT c.tenant_id, c.id, c.email, c.email_key, c.search, c.metadata,
			coalesce(c.first_name, '') || coalesce(c.last_name, '') || coalesce(c.phone, '') || coalesce(c.company, '') ||
			coalesce(c.siret, '') || coalesce(c.vat, '') || coalesce(c.order_country, ''),
			(SELECT count(*) FROM customer_tags t WHERE t.tenant_id = c.tenant_id AND t.customer_id = c.id),
			(SELECT count(*) FROM customer_addresses a WHERE a.tenant_id = c.tenant_id AND a.customer_id = c.id), c.erased_at
		FROM customers c`+r.where, r.args...)
}

func (r *erasedRecords) orders() error {
	return r.tx.Each(func(row db.Rows) error {
		var tenant id.Tenant
		var order id.Order
		var name, rest, shipping, billing string
		var m mark
		if err := row.Scan(&tenant, &order, &name, &rest, &shipping, &billing, db.Opt(&m.at), &m.changed); err != nil {
			return err
		}
		r.proof.Orders++
		r.about[key{tenant, string(order)}] = m
		if name != "" || rest != "" || !commerce.OnlyCountry(shipping) || !commerce.OnlyCountry(billing) {
			r.found("order "+string(order), "it still names its customer")
		}
		return nil
	}, `SELECT o.tenant_id, o.id, o.customer_name,
			coalesce(o.customer_email, '') || coalesce(o.email_key, '') || coalesce(o.notes, '') || coalesce(o.payment_metadata, '') ||
				coalesce(o.platform_buyer, '') || coalesce(o.tags, ''),
			coalesce(o.shipping_address, ''), coalesce(o.billing_address, ''), c.erased_at, o.updated_at <> c.erased_at
		FROM customers c JOIN orders o ON o.tenant_id = c.tenant_id AND o.customer_id = c.id`+r.where, r.args...)
}

// notes checks texts outside of orders; texts written since the erasure are not about the person.
func (r *erasedRecords) notes() error {
	const joined = " FROM customers c JOIN orders o ON o.tenant_id = c.tenant_id AND o.customer_id = c.id "
	each := func(what string) func(db.Rows) error {
		return func(row db.Rows) error {
			var order id.Order
			err := row.Scan(&order)
			r.found("order "+string(order), "a note is left in its %s", what)
			return err
		}
	}
	shipments := func(row db.Rows) error {
		var tenant id.Tenant
		var shipment id.Shipment
		var m mark
		err := row.Scan(&tenant, &shipment, db.Opt(&m.at), &m.changed)
		r.about[key{tenant, string(shipment)}] = m
		return err
	}
	written := func(at string) string {
		return fmt.Sprintf(" AND (%[1]s <= c.erased_at - %[2]d OR %[1]s <= c.erased_at AND o.updated_at = c.erased_at)", at, inFlight)
	}
	const ofShipment = "JOIN shipments s ON s.tenant_id = o.tenant_id AND s.order_id = o.id "
	return errors.Join(
		r.tx.Each(shipments, "SELECT o.tenant_id, s.id, c.erased_at, o.updated_at <> c.erased_at"+joined+ofShipment+r.where, r.args...),
		r.tx.Each(each("shipments"), "SELECT o.id"+joined+ofShipment+r.where+" AND s.notes IS NOT NULL"+written("s.created_at"), r.args...),
		r.tx.Each(each("history"), "SELECT o.id"+joined+"JOIN order_history h ON h.tenant_id = o.tenant_id AND h.order_id = o.id"+r.where+
			" AND h.note IS NOT NULL"+written("h.created_at"), r.args...),
		r.tx.Each(each("movements"), "SELECT o.id"+joined+"JOIN movements m ON m.tenant_id = o.tenant_id AND m.reference_id = o.id::TEXT"+r.where+
			" AND m.note <> ''"+written("m.created_at"), r.args...),
		r.tx.Each(each("shipments' movements"), "SELECT o.id"+joined+ofShipment+
			"JOIN movements m ON m.tenant_id = s.tenant_id AND m.reference_id = s.id::TEXT"+r.where+
			" AND m.note <> ''"+written("m.created_at"), r.args...),
	)
}

// events searches the log for events about the records found so far.
func (r *erasedRecords) events() error {
	return r.tx.Each(func(row db.Rows) error {
		var k key
		var event id.Event
		var name, payload string
		var at int64
		if err := row.Scan(&k.tenant, &event, &name, &k.id, &payload, &at); err != nil {
			return err
		}
		if m, known := r.about[k]; !known || !m.before(at) {
			return nil
		}
		r.proof.Events++
		if !commerce.AnonymousEvent(name, payload) {
			r.found("event "+string(event)+" ("+name+")", "its payload still names the customer")
		}
		return nil
	}, "SELECT tenant_id, id, event, resource_id, payload, created_at FROM events WHERE event LIKE 'customer.%' OR event LIKE 'order.%'")
}

func (r *erasedRecords) answers() error {
	return r.tx.Each(func(row db.Rows) error {
		var tenant id.Tenant
		var space, resource, answer string
		var at int64
		if err := row.Scan(&tenant, &space, &resource, &answer, &at); err != nil {
			return err
		}
		if m, known := r.about[key{tenant, resource}]; known && m.before(at) && !commerce.AnonymousAnswer(space, answer) {
			r.found("kept answer of "+strings.TrimSpace(space), "it still names the customer")
		}
		return nil
	}, "SELECT tenant_id, space, resource_id, answer, created_at FROM idempotency_keys")
}
