package dashboard

import (
	"strings"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
)

// The pages of a product and a customer show who changed what, also after the user is gone.
func TestPagesShowWhoChangedWhat(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		admin := s.newUser("ida@test.example", accounts.Admin)
		p := s.product(`{"sku":"MUG","name":"Mug","price":10}`)
		page := "/products/" + string(p.ID)
		b := s.as(admin)
		b.submit(t, b.get(page), page, "price", "12")
		customer := s.customer("ada@example.com", "Ada")
		about := "/customers/" + string(customer)
		b.submit(t, b.get(about), about, "company", "Engines")
		s.do(s.account.Tenant, func(tx *db.Tx) error { return s.Commerce.DeleteUser(tx, s.caller(), admin.ID, commerce.Expected{}) })
		for path, what := range map[string]string{page: "Changed price", about: "Changed company"} {
			text := s.as(s.owner).get(path).body
			_, history, _ := strings.Cut(text, `id="card-history"`)
			history, _, _ = strings.Cut(history, "</section>")
			if !strings.Contains(history, what) || !strings.Contains(history, "by Vera Viewer") {
				t.Errorf("%s: %s", path, history)
			}
		}
	})
}
