package customers

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// table is a customer's own row. Update does not write the totals: orders add differences to them, without reading the row.
var table = db.NewTable("customers",
	db.Col("id", func(c *Customer) any { return &c.ID }).Fixed(),
	db.Col("email", func(c *Customer) any { return &c.Email }),
	db.Derived("email_key", func(c *Customer) any { return EmailKey(c.Email) }),
	db.Col("first_name", func(c *Customer) any { return &c.FirstName }).Null(),
	db.Col("last_name", func(c *Customer) any { return &c.LastName }).Null(),
	db.Col("phone", func(c *Customer) any { return &c.Phone }).Null(),
	db.Col("company", func(c *Customer) any { return &c.Company }).Null(),
	db.Col("siret", func(c *Customer) any { return &c.Siret }).Null(),
	db.Col("vat", func(c *Customer) any { return &c.VAT }).Null(),
	db.Col("metadata", func(c *Customer) any { return &c.Metadata }),
	db.Derived("search", func(c *Customer) any { return c.search() }),
	db.Col("status", func(c *Customer) any { return &c.Status }),
	db.Col("merged_into", func(c *Customer) any { return &c.MergedInto }).Null(),
	db.Col("orders_count", func(c *Customer) any { return &c.OrdersCount }).Fixed(),
	db.Col("total_spent", func(c *Customer) any { return &c.TotalSpent }).Fixed(),
	db.Col("order_country", func(c *Customer) any { return &c.OrderCountry.Code }).Null(),
	db.Col("order_country_at", func(c *Customer) any { return &c.OrderCountry.At }).Null(),
	db.Col("created_at", func(c *Customer) any { return &c.CreatedAt }).Fixed(),
	db.Col("updated_at", func(c *Customer) any { return &c.UpdatedAt }),
	db.Col("erased_at", func(c *Customer) any { return &c.ErasedAt }).Null(),
	db.Col("erased_orders", func(c *Customer) any { return &c.ErasedOrders }).Null(),
).Of("customer")

type tagRow struct {
	customer id.Customer
	position int64
	tag      string
}

var tagTable = db.NewTable("customer_tags",
	db.Col("customer_id", func(t *tagRow) any { return &t.customer }),
	db.Col("position", func(t *tagRow) any { return &t.position }),
	db.Col("tag", func(t *tagRow) any { return &t.tag }),
)

type addressRow struct {
	customer id.Customer
	position int64 // in the book, from 0
	Address
}

var addressTable = db.NewTable("customer_addresses",
	db.Col("customer_id", func(a *addressRow) any { return &a.customer }),
	db.Col("id", func(a *addressRow) any { return &a.ID }),
	db.Col("position", func(a *addressRow) any { return &a.position }),
	db.Col("type", func(a *addressRow) any { return &a.Type }).Null(),
	db.Col("name", func(a *addressRow) any { return &a.Name }).Null(),
	db.Col("company", func(a *addressRow) any { return &a.Company }).Null(),
	db.Col("line1", func(a *addressRow) any { return &a.Line1 }),
	db.Col("line2", func(a *addressRow) any { return &a.Line2 }).Null(),
	db.Col("city", func(a *addressRow) any { return &a.City }),
	db.Col("state", func(a *addressRow) any { return &a.State }).Null(),
	db.Col("zip", func(a *addressRow) any { return &a.Zip }),
	db.Col("country", func(a *addressRow) any { return &a.Country }),
	db.Col("phone", func(a *addressRow) any { return &a.Phone }).Null(),
	db.Col("is_default", func(a *addressRow) any { return &a.IsDefault }),
).Of("address")

var segmentTable = db.NewTable("segments",
	db.Col("id", func(s *Segment) any { return &s.ID }).Fixed(),
	db.Col("name", func(s *Segment) any { return &s.Name }),
	db.Coded("rules", func(s *Segment) string { return s.Rules.text() },
		func(s *Segment, text string) (err error) { s.Rules, err = parseRules(text); return err }),
	db.Derived("rules_digest", func(s *Segment) any { return s.Rules.digest() }),
	db.Col("created_at", func(s *Segment) any { return &s.CreatedAt }).Fixed(),
	db.Col("updated_at", func(s *Segment) any { return &s.UpdatedAt }),
).Of("segment")
