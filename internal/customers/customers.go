// Package customers holds the people and companies that order (interface §2.5, §2.6, §4.4).
//
//	customers.go  a record, found and linked by orders
//	change.go     the fields that a caller may change; address.go the address book: pure
//	store.go      lock, load, save; list.go filters and pages
//	segment.go    saved filters: one rule in Go and in SQL; a test compares the two
//	segment_lists.go who is in each segment, a little outdated; segment_follow.go brings the lists up to date
//	merge.go      several records of one person or company
//	erase.go      erasure of a person's data
package customers

import (
	"errors"
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
	"entrepot/internal/search"
)

// Status is the state of a customer: active, secondary after a merge, or erased (interface §3.2).
type Status string

// The states.
const (
	Active    Status = "active"
	Secondary Status = "secondary"
	Erased    Status = "erased"
)

// Customer is one record.
type Customer struct {
	ID           id.Customer
	Email        string
	FirstName    string
	LastName     string
	Phone        string
	Company      string
	Siret        string
	VAT          string
	Metadata     string // free JSON, "{}" when none
	Status       Status
	MergedInto   id.Customer
	OrdersCount  int64
	TotalSpent   money.Amount
	OrderCountry OrderCountry
	CreatedAt    int64
	UpdatedAt    int64
	ErasedAt     int64
	ErasedOrders int64 // how many orders the erasure anonymised

	// In tables of their own; see load.
	Tags      []string
	Addresses []Address
}

// Name returns the full name, or the company's when there is none.
func (c Customer) Name() string {
	if name := strings.TrimSpace(c.FirstName + " " + c.LastName); name != "" {
		return name
	}
	return c.Company
}

// EmailKey folds an address for comparison.
func EmailKey(email string) string { return search.Fold(strings.TrimSpace(email)) }

// search returns the text that the search of a list matches.
func (c Customer) search() string {
	text := strings.TrimSpace(strings.Join([]string{c.Email, c.FirstName, c.LastName, c.Company, c.Phone}, " "))
	if form := phoneForm(c.Phone); form != "" {
		text += " " + form
	}
	return search.Fold(text)
}

// isSecondary marks records merged into another, erased ones too, in the index of searches; others have 0.
const isSecondary = 1

// document returns the record's entry in the index of searches.
func (c *Customer) document() search.Document {
	d := search.Document{ID: string(c.ID), Text: c.search()}
	if c.MergedInto != "" {
		d.Sort = isSecondary
	}
	return d
}

// byEmail is a record's columns after the key to which the row belongs.
var byEmail = db.KeyedBy("SELECT email_key, "+table.Columns("")+" FROM customers", "email_key", "")

// Missing is the error for a customer that the account does not have: NotFound.
func Missing() error { return table.Missing() }

// ByEmail finds the record of an address in any case; nil when there is none. Tags and addresses are not read.
func ByEmail(r db.Reader, email string) (*Customer, error) {
	found, err := PrefetchByEmails(r, []string{email}).Wait()
	return found[EmailKey(email)], err
}

// PrefetchByEmails finds the records of some addresses, by EmailKey. Tags and addresses are not read.
func PrefetchByEmails(r db.Reader, emails []string) *db.Pending[map[string]*Customer] {
	p := &db.Pending[map[string]*Customer]{Value: map[string]*Customer{}}
	keys := make([]string, len(emails))
	for i, email := range emails {
		keys[i] = EmailKey(email)
	}
	return p.Await(db.PrefetchOf(r, byEmail, keys, func(row db.Rows) error {
		c, key := new(Customer), ""
		err := row.Scan(append([]any{&key}, table.Places(c)...)...)
		p.Value[key] = c
		return err
	})...)
}

// ByID finds a record; nil when there is none. Tags and addresses are not read.
func ByID(r db.Reader, customer id.Customer) (*Customer, error) {
	found, err := PrefetchByIDs(r, []id.Customer{customer}).Wait()
	return found[customer], err
}

// PrefetchByIDs finds records by their ids. Tags and addresses are not read.
func PrefetchByIDs(r db.Reader, ids []id.Customer) *db.Pending[map[id.Customer]*Customer] {
	p, scan := &db.Pending[map[id.Customer]*Customer]{Value: map[id.Customer]*Customer{}}, table.Scanner()
	return p.Await(db.PrefetchOf(r, byIDs, ids, func(row db.Rows) error {
		c, err := scan(row)
		p.Value[c.ID] = &c
		return err
	})...)
}

var byIDs = db.KeyedBy(table.Select(""), "id", "")

// Primary follows merges to the record into which this one was merged. Errors: ErrRetry if that record was erased since
// this one was read, because this one was erased with it.
func Primary(r db.Reader, c *Customer) (*Customer, error) {
	for range 100 {
		if c == nil || c.Status != Secondary {
			return c, nil
		}
		next, err := ByID(r, c.MergedInto)
		if err != nil {
			return nil, err
		}
		if next != nil && next.Status == Erased {
			return nil, db.ErrRetry
		}
		c = next
	}
	return nil, errors.New("customers: a ring of merges")
}

// Insert writes new records with their tags and addresses; if another record has one of the e-mails, the operation runs again.
// Searches find a record by its event customer.created, which the operation records.
func Insert(w db.Writer, list ...Customer) {
	table.Insert(w, list...)
	for i := range list {
		c := &list[i]
		insertTags(w, c.ID, c.Tags)
		insertAddresses(w, c.ID, c.Addresses)
		w.Tally(counted, c.countedAs(), 1)
	}
}

// InsertUnreported is Insert for a record without an event.
func InsertUnreported(w db.Writer, c Customer) {
	Insert(w, c)
	NoteChange(w, c.ID)
	search.Put(w, search.Customers, c.document())
}

// counted is the name of the maintained counts of customers, by status. Records that were erased with the one into
// which they were merged are counted separately, because lists leave them out as they do secondaries.
const (
	counted      = "customers"
	erasedMerged = "erased secondary"
)

// countedAs returns the key of the count that includes a record.
func (c *Customer) countedAs() string {
	if c.Status == Erased && c.MergedInto != "" {
		return erasedMerged
	}
	return string(c.Status)
}

// countListed reads how many customers lists show, without a filter.
func countListed(r db.Reader, includeInactive bool) (total int64, err error) {
	counts, err := db.Tallies[string](r, counted)
	for key, n := range counts {
		if includeInactive || key != string(Secondary) && key != erasedMerged {
			total += n
		}
	}
	return total, err
}

// Ordered counts n new orders, which the event log announces, in their customer's totals. email is the key of the
// customer's address if one of the orders has the same, "" if all have others; country is the country of the newest
// order. If the customer was merged or erased meanwhile, or has another address now, the operation runs again.
func Ordered(w db.Writer, customer id.Customer, n int64, email string, spent money.Amount, country OrderCountry) {
	w.Queue("UPDATE customers SET orders_count = orders_count + $7::BIGINT, total_spent = total_spent + $3, "+newestCountry+
		" WHERE tenant_id = $1 AND id = $2::UUID AND status = 'active' AND ($6 = '' OR email_key = $6)",
		w.TenantID(), customer, spent, db.Null(country.Code), country.At, email, n).Rows(1, nil)
}

// newestCountry sets an order's country $4, which may be NULL, unless the present value comes from an order newer than
// the time $5.
const newestCountry = `order_country = CASE WHEN order_country_at > $5 THEN order_country ELSE coalesce($4::TEXT, order_country) END,
	order_country_at = CASE WHEN order_country_at > $5 OR $4::TEXT IS NULL THEN order_country_at ELSE $5::BIGINT END`

// Spend adds a difference to a record's totals, without reading it, so that orders of one customer need not wait for
// each other.
func Spend(tx db.Writer, customer id.Customer, orders int64, spent money.Amount) {
	if customer == "" || orders == 0 && spent == 0 {
		return
	}
	NoteChange(tx, customer)
	tx.Queue("UPDATE customers SET orders_count = orders_count + $3, total_spent = total_spent + $4 WHERE tenant_id = $1 AND id = $2::UUID",
		tx.TenantID(), customer, orders, spent).Rows(1, nil)
}
