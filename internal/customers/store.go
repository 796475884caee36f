package customers

import (
	"slices"

	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/search"
)

// Read reads a whole record. Errors: NotFound.
func Read(tx *db.Tx, customer id.Customer) (*Customer, error) { return whole(tx, db.NoLock, customer) }

// Lock reads a whole record and locks it until the transaction ends. Errors: NotFound.
func Lock(tx *db.Tx, customer id.Customer) (*Customer, error) {
	return whole(tx, db.ForUpdate, customer)
}

func whole(tx *db.Tx, lock db.Lock, customer id.Customer) (*Customer, error) {
	c, err := table.One(tx, lock, "id = $2::UUID", customer)
	if err != nil {
		return nil, err
	}
	list := []Customer{c}
	err = load(tx, list)
	return &list[0], err
}

// load reads the tags and addresses of records.
func load(tx *db.Tx, list []Customer) error {
	at := make(map[id.Customer]*Customer, len(list))
	ids := make([]id.Customer, len(list))
	for i := range list {
		list[i].Tags, list[i].Addresses = []string{}, []Address{}
		at[list[i].ID], ids[i] = &list[i], list[i].ID
	}
	for piece := range slices.Chunk(ids, 256) {
		args := append([]any{tx.Tenant}, db.Padded(piece)...)
		scanTag, scanAddress := tagTable.Scanner(), addressTable.Scanner()
		tags := tx.Prefetch(func(r db.Rows) error {
			t, err := scanTag(r)
			at[t.customer].Tags = append(at[t.customer].Tags, t.tag)
			return err
		}, readTags.For(len(args)-1, partsOf(tagTable.Select(""))), args...)
		addresses := tx.Prefetch(func(r db.Rows) error {
			a, err := scanAddress(r)
			at[a.customer].Addresses = append(at[a.customer].Addresses, a.Address)
			return err
		}, readAddresses.For(len(args)-1, partsOf(addressTable.Select(""))), args...)
		if err := db.WaitAll([]*db.PendingRead{tags, addresses}); err != nil {
			return err
		}
	}
	return nil
}

var readTags, readAddresses db.Text

// partsOf completes a query for the rows of n customers in another table.
func partsOf(query string) func(n int) string {
	return func(n int) string {
		return query + " WHERE tenant_id = $1 AND customer_id IN " + db.In(n, 2) + " ORDER BY customer_id, position"
	}
}

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

func insertTags(w db.GuardedWriter, customer id.Customer, tags []string) {
	rows := make([]tagRow, len(tags))
	for i, tag := range tags {
		rows[i] = tagRow{customer, int64(i), tag}
	}
	tagTable.Insert(w, rows...)
}

func insertAddresses(w db.GuardedWriter, customer id.Customer, book []Address) {
	rows := make([]addressRow, len(book))
	for i, a := range book {
		rows[i] = addressRow{customer, int64(i), a}
	}
	addressTable.Insert(w, rows...)
}
