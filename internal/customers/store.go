package customers

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/search"
)

// Read reads a whole record. Errors: NotFound.
func Read(tx *db.Tx, customer id.Customer) (*Customer, error) {
	row := PrefetchByIDs(tx, []id.Customer{customer})
	parts := make([]Customer, 1) // the tags and addresses come with the row, in one message
	parts[0].ID = customer
	loading := prefetchParts(tx, parts)
	found, err := row.Wait()
	c := found[customer]
	if err == nil && c == nil {
		err = Missing()
	}
	if err == nil {
		err = db.WaitAll(loading)
	}
	if err != nil {
		return nil, err
	}
	c.Tags, c.Addresses = parts[0].Tags, parts[0].Addresses
	return c, nil
}

// Lock reads a whole record and locks it until the transaction ends. Errors: NotFound.
func Lock(tx *db.Tx, customer id.Customer) (*Customer, error) {
	c, err := table.One(tx, db.ForUpdate, "id = $2::UUID", customer)
	if err != nil {
		return nil, err
	}
	list := []Customer{c}
	err = load(tx, list)
	return &list[0], err
}

// load reads the tags and addresses of records.
func load(tx *db.Tx, list []Customer) error { return db.WaitAll(prefetchParts(tx, list)) }

// prefetchParts is load as pending reads.
func prefetchParts(r db.Reader, list []Customer) (pending []*db.PendingRead) {
	at := make(map[id.Customer]*Customer, len(list))
	ids := make([]id.Customer, len(list))
	for i := range list {
		list[i].Tags, list[i].Addresses = []string{}, []Address{}
		at[list[i].ID], ids[i] = &list[i], list[i].ID
	}
	scanTag, scanAddress := tagTable.Scanner(), addressTable.Scanner()
	return append(db.PrefetchOf(r, tagsOf, ids, func(row db.Rows) error {
		t, err := scanTag(row)
		at[t.customer].Tags = append(at[t.customer].Tags, t.tag)
		return err
	}), db.PrefetchOf(r, addressesOf, ids, func(row db.Rows) error {
		a, err := scanAddress(row)
		at[a.customer].Addresses = append(at[a.customer].Addresses, a.Address)
		return err
	})...)
}

// The reads of what belongs to customers, in its order.
var (
	tagsOf      = db.KeyedBy(tagTable.Select(""), "customer_id", " ORDER BY customer_id, position")
	addressesOf = db.KeyedBy(addressTable.Select(""), "customer_id", " ORDER BY customer_id, position")
)

// Copy copies a record before an operation changes it.
func (c *Customer) Copy() *Customer {
	before := *c
	before.Tags, before.Addresses = slices.Clone(c.Tags), slices.Clone(c.Addresses)
	return &before
}

// Save writes a locked record. If another record took the e-mail meanwhile, the operation runs again.
func Save(tx db.Writer, before, c *Customer) {
	table.Update(tx, c, "id = $2::UUID", c.ID).Rows(1, nil)
	if before.search() != c.search() {
		search.Put(tx, search.Customers, c.document())
	}
	if before.OrderCountry != c.OrderCountry || !slices.Equal(before.Tags, c.Tags) || !slices.Equal(before.Addresses, c.Addresses) {
		NoteChange(tx, c.ID)
	}
	if !slices.Equal(before.Tags, c.Tags) {
		deleteTags(tx, c.ID)
		insertTags(tx, c.ID, c.Tags)
	}
	if !slices.Equal(before.Addresses, c.Addresses) {
		deleteAddresses(tx, c.ID)
		insertAddresses(tx, c.ID, c.Addresses)
	}
}

func deleteTags(tx db.Writer, customer id.Customer) {
	tx.Queue("DELETE FROM customer_tags WHERE tenant_id = $1 AND customer_id = $2::UUID", tx.TenantID(), customer)
}

func deleteAddresses(tx db.Writer, customer id.Customer) {
	tx.Queue("DELETE FROM customer_addresses WHERE tenant_id = $1 AND customer_id = $2::UUID", tx.TenantID(), customer)
}

func insertTags(w db.Writer, customer id.Customer, tags []string) {
	rows := make([]tagRow, len(tags))
	for i, tag := range tags {
		rows[i] = tagRow{customer, int64(i), tag}
	}
	tagTable.Insert(w, rows...)
}

func insertAddresses(w db.Writer, customer id.Customer, book []Address) {
	rows := make([]addressRow, len(book))
	for i, a := range book {
		rows[i] = addressRow{customer, int64(i), a}
	}
	addressTable.Insert(w, rows...)
}
