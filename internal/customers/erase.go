package customers

import (
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/search"
)

// ErasedEmail replaces an erased customer's e-mail; the domain .invalid can never receive mail.
func ErasedEmail(customer id.Customer) string {
	return "erased-" + string(customer) + erasedDomain
}

const erasedDomain = "@erased.invalid"

// IsErasedEmail reports whether an address stands for an erased customer's.
func IsErasedEmail(email string) bool {
	customer, ours := strings.CutSuffix(email, erasedDomain)
	_, known := id.Parse[id.Customer](strings.TrimPrefix(customer, "erased-"))
	return ours && known
}

// Erase removes all personal data from a locked record; orders is how many of its orders were anonymised. Its totals
// stay, its e-mail is free again.
func (c *Customer) Erase(tx db.Writer, orders int) {
	tx.Tally(counted, c.countedAs(), -1)
	*c = Customer{ID: c.ID, Email: ErasedEmail(c.ID), Metadata: "{}", Status: Erased, MergedInto: c.MergedInto,
		OrdersCount: c.OrdersCount, TotalSpent: c.TotalSpent, CreatedAt: c.CreatedAt, UpdatedAt: max(tx.Micros(), c.UpdatedAt+1),
		ErasedAt: tx.Micros(), ErasedOrders: int64(orders), Tags: []string{}, Addresses: []Address{}}
	tx.Tally(counted, c.countedAs(), 1)
	NoteChange(tx, c.ID)
	table.Update(tx, c, "id = $2::UUID", c.ID).Rows(1, nil)
	deleteTags(tx, c.ID)
	deleteAddresses(tx, c.ID)
	search.Put(tx, search.Customers, c.document())
}

// ForgetSearched removes some customers from the index of searches, before they are erased.
func ForgetSearched(tx *db.Tx, list []id.Customer) error {
	all := make([]string, len(list))
	for i := range list {
		all[i] = string(list[i])
	}
	return search.Erase(tx, search.Customers, all)
}
