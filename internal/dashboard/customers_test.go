package dashboard

import (
	"net/url"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// customer makes a customer.
func (s *site) customer(email, name string, tags ...string) (which id.Customer) {
	s.t.Helper()
	s.do(s.account.Tenant, func(tx *db.Tx) error {
		c, err := s.Commerce.CreateCustomer(tx, customers.Change{Email: patch.To(email), LastName: patch.To(name), Tags: patch.To(tags)})
		which = c.ID
		return err
	})
	return which
}

// order makes an order of a customer.
func (s *site) order(customer id.Customer, sku string) {
	s.t.Helper()
	s.do(s.account.Tenant, func(tx *db.Tx) error {
		s.placed++
		_, err := s.Commerce.CreateOrder(tx, s.caller(), commerce.OrderDraft{Number: s.placed,
			Status: orders.Pending, CustomerName: "Ada", CustomerID: customer, Currency: "EUR",
			Lines: []orders.LineDraft{{SKU: sku, Quantity: 1, UnitPrice: 100_000}}})
		return err
	})
}

// The list finds customers, the page of one changes it, and segments count who is in them.
func TestCustomers(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		has(t, b.get("/customers"), "No customers yet")
		page := b.follow(
			b.submit(t, b.get("/customers/new"), "/customers/new", "email", "ada@example.com", "firstName", "Ada", "lastName", "Lovelace"),
		)
		has(t, page, "Ada Lovelace", "ada@example.com", "No orders yet")
		s.customer("bob@example.com", "Byron", "vip")
		has(t, b.get("/customers"), "Ada Lovelace", "Byron", "vip", "2 customers")
		has(t, b.get("/customers?search=lovelace"), "1 customer")
		has(t, b.get("/customers?tag=vip"), "1 customer", "Tag: vip")
		if out := b.submit(t, b.get("/customers/new"), "/customers/new", "email", "ADA@example.com"); out.status != 409 {
			t.Errorf("an e-mail twice: %d %.200s", out.status, out.words())
		}
		out := b.submit(t, b.get("/segments"), "/segments", "name", "Very important", "any", "vip", "count", "1")
		has(t, out, "1 customer is in it now", "No segments yet")
		out = b.submit(t, out, "/segments", "name", "Very important", "rules.country", "Atlantis")
		if out.status != 422 {
			t.Errorf("an unknown country: %d", out.status)
		}
		has(t, b.follow(b.submit(t, out, "/segments", "name", "Very important", "any", "vip")), "Very important", "any of vip", "1 customer")
	})
}

// A bookmark of customers in a segment that was deleted shows none of them, says so, and leads on.
func TestCustomersOfASegmentThatIsGone(t *testing.T) {
	s := newSite(t, "sqlite")
	s.customer("ada@test.example", "Lovelace")
	page := s.as(s.owner).get("/customers?segmentId=" + string(id.New[id.Segment]()))
	page.has(t, 200, "a segment that is gone", "No customer matches", "Segment: a segment that is gone")
	if strings.Contains(page.words(), "Lovelace") {
		t.Errorf("customers of no segment: %.600s", page.words())
	}
}

// Tags and addresses of a customer are changed on its page.
func TestCustomerTagsAndAddresses(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		home := "/customers/" + string(s.customer("ada@example.com", "Lovelace"))
		b.follow(b.submit(t, b.get(home), home+"/tags", "list", "vip, b2b,vip"))
		other := b.follow(b.submit(t, b.get(home), home+"/tags", "list", "late"))
		has(t, other, "Saved the tags Undo")
		_, toast, _ := strings.Cut(other.body, `id="toasts"`)
		before := keyInput.FindStringSubmatch(toast)[1]
		if !strings.Contains(toast, `name="list" value="vip, b2b"`) {
			t.Errorf("the undo of tags: %.400s", toast)
		}
		seen := between(toast, `name="_seen" value="`, `"`)
		back := url.Values{"_key": {before}, "_seen": {seen}, "list": {"vip, b2b"}}
		s.do(s.account.Tenant, func(tx *db.Tx) error { // a colleague adds one
			_, err := s.Commerce.UpdateCustomer(tx, id.Customer(strings.TrimPrefix(home, "/customers/")), commerce.Expected{},
				customers.Change{Tags: patch.To([]string{"late", "new"})})
			return err
		})
		if out := b.post(home+"/tags", back); out.status != 412 || !strings.Contains(out.words(), "it is “late, new” now") {
			t.Errorf("the undo takes the tag of a colleague: %d %s", out.status, out.words())
		}
		b.follow(b.submit(t, b.get(home), home+"/tags", "list", "late"))
		b.follow(b.post(home+"/tags", back))
		page := b.follow(b.submit(t, b.get(home), home+"/addresses", "line1", "1 rue X", "zip", "75001", "city", "Paris", "country", "fr"))
		has(t, page, "1 rue X", "75001 Paris", "FR")
		if !strings.Contains(page.body, `value="vip, b2b"`) {
			t.Errorf("tags: %.600s", page.words())
		}
		if out := b.submit(t, page, home+"/addresses", "line1", "1 rue X",
			"zip", "75001", "city", "Paris", "country", "Nowhere"); out.status != 422 {
			t.Errorf("an unknown country: %d", out.status)
		}
		_, rest, _ := strings.Cut(page.body, `name="addressId" value="`)
		which, _, _ := strings.Cut(rest, `"`)
		has(t, b.follow(b.submit(t, page, home+"/addresses/delete", "addressId", which)), "Deleted the address", "None.")
	})
}
