package customers

import (
	"slices"

	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Read reads a whole record. Errors: NotFound.
func Read(tx *db.Tx, customer id.Customer) (*Customer, error) {
	return whole(tx, "id = $2::UUID", customer)
}

// Lock reads a whole record for changing it: no other act changes it until this one ends. Errors: NotFound.
func Lock(tx *db.Tx, customer id.Customer) (*Customer, error) {
	return whole(tx, "id = $2::UUID FOR UPDATE", customer)
}

func whole(tx *db.Tx, where string, customer id.Customer) (*Customer, error) {
	c, err := find(tx, where, customer)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, apperr.Missing("customer")
	}
	list := []Customer{*c}
	err = Load(tx, list)
	return &list[0], err
}

// Load reads the tags and addresses of records.
func Load(tx *db.Tx, list []Customer) error {
	at := make(map[id.Customer]*Customer, len(list))
	ids := make([]id.Customer, len(list))
	for i := range list {
		list[i].Tags, list[i].Addresses = []string{}, []Address{}
		at[list[i].ID], ids[i] = &list[i], list[i].ID
	}
	return db.Chunks(ids, func(piece []id.Customer) error {
		args := append([]any{tx.Tenant}, db.Padded(piece)...)
		err := tx.Each(func(r db.Rows) error {
			var customer id.Customer
			var tag string
			err := r.Scan(&customer, &tag)
			at[customer].Tags = append(at[customer].Tags, tag)
			return err
		}, readTags.For(len(args)-1, func(n int) string {
			return "SELECT customer_id, tag FROM customer_tags WHERE tenant_id = $1 AND customer_id IN " + db.In(n, 2) + " ORDER BY customer_id, position"
		}), args...)
		if err != nil {
			return err
		}
		return tx.Each(func(r db.Rows) error {
			var customer id.Customer
			var a Address
			err := r.Scan(&customer, &a.ID, db.Opt(&a.Type), db.Opt(&a.Name), db.Opt(&a.Company), &a.Line1, db.Opt(&a.Line2), &a.City, db.Opt(&a.State), &a.Zip, &a.Country, db.Opt(&a.Phone), &a.IsDefault)
			at[customer].Addresses = append(at[customer].Addresses, a)
			return err
		}, readAddresses.For(len(args)-1, func(n int) string {
			return `SELECT customer_id, id, type, name, company, line1, line2, city, state, zip, country, phone, is_default FROM customer_addresses
				WHERE tenant_id = $1 AND customer_id IN ` + db.In(n, 2) + " ORDER BY customer_id, position"
		}), args...)
	})
}

var readTags, readAddresses db.Text

// Copy keeps how a record stands before an operation changes it.
func (c *Customer) Copy() *Customer {
	before := *c
	before.Tags, before.Addresses = slices.Clone(c.Tags), slices.Clone(c.Addresses)
	return &before
}

// Save writes a locked record as it is now. An e-mail that another record took meanwhile makes the operation run again.
func Save(tx *db.Tx, before, c *Customer) {
	tx.Queue(`UPDATE customers SET email = $3, email_key = $4, first_name = $5, last_name = $6, phone = $7, company = $8, siret = $9, vat = $10, metadata = $11,
			search = $12, order_country = $13, order_country_at = $14, updated_at = $15 WHERE tenant_id = $1 AND id = $2::UUID`,
		tx.Tenant, c.ID, c.Email, EmailKey(c.Email), db.Null(c.FirstName), db.Null(c.LastName), db.Null(c.Phone), db.Null(c.Company), db.Null(c.Siret),
		db.Null(c.VAT), c.Metadata, c.search(), db.Null(c.OrderCountry.Code), db.Null(c.OrderCountry.At), c.UpdatedAt).Rows(1, nil)
	if !slices.Equal(before.Tags, c.Tags) {
		tx.Queue("DELETE FROM customer_tags WHERE tenant_id = $1 AND customer_id = $2::UUID", tx.Tenant, c.ID)
		insertTags(tx, c.ID, c.Tags)
	}
	if !slices.Equal(before.Addresses, c.Addresses) {
		tx.Queue("DELETE FROM customer_addresses WHERE tenant_id = $1 AND customer_id = $2::UUID", tx.Tenant, c.ID)
		insertAddresses(tx, c.ID, c.Addresses)
	}
}

func insertTags(tx *db.Tx, customer id.Customer, tags []string) {
	position := 0
	db.Chunks(tags, func(piece []string) error {
		args := append(make([]any, 0, 2+2*len(piece)), tx.Tenant, customer)
		for _, tag := range piece {
			args = append(args, position, tag)
			position++
		}
		tx.Queue("INSERT INTO customer_tags (tenant_id, customer_id, position, tag) VALUES "+db.Repeat(len(piece), 3, "($1,$2,$,$)"), args...)
		return nil
	})
}

func insertAddresses(tx *db.Tx, customer id.Customer, book []Address) {
	position := 0
	db.Chunks(book, func(piece []Address) error {
		args := append(make([]any, 0, 2+13*len(piece)), tx.Tenant, customer)
		for _, a := range piece {
			args = append(args, a.ID, position, db.Null(a.Type), db.Null(a.Name), db.Null(a.Company), a.Line1, db.Null(a.Line2), a.City, db.Null(a.State), a.Zip,
				a.Country, db.Null(a.Phone), a.IsDefault)
			position++
		}
		tx.Queue(`INSERT INTO customer_addresses (tenant_id, customer_id, id, position, type, name, company, line1, line2, city, state, zip, country, phone, is_default) VALUES `+
			db.Repeat(len(piece), 3, "($1,$2,$,$,$,$,$,$,$,$,$,$,$,$,$)"), args...)
		return nil
	})
}
