package dashboard

import (
	"crypto/rand"
	"net/url"
	"strings"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/verify"
)

// Erasing a person also takes what users of the dashboard kept of him: views named after him or that search for him, what the answers to
// forms repeat of both, and texts of jobs, in whatever case. What is about others stays.
func TestErasureReachesTheDashboard(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		order := c.order("PROCESSING", map[string]any{"customerName": "Nora Ünster & Co", "customerEmail": "nora@noted.example"}, 3)
		customer := c.call("GET", "/orders/"+order, nil)["customerId"].(string)
		save := func(name, search string) {
			t.Helper()
			b.follow(b.post("/orders/views", url.Values{"_key": {rand.Text()}, "name": {name}, "search": {search}}))
		}
		save("For NORA ÜNSTER & CO", "")
		save("Complaints", "Nora@Noted.example")
		save("Late", "nora ünster & co")
		save("French", "rue")
		late := b.get("/orders?search=" + url.QueryEscape("nora ünster & co"))
		_, rest, found := strings.Cut(late.body, `name="view" value="`) // its undo names her
		if !found {
			t.Fatal(late.words())
		}
		b.follow(b.post("/orders/views/delete", url.Values{"_key": {rand.Text()}, "view": {rest[:36]}}))
		back := "?search=nora%40noted.example"
		at := "/orders/" + order
		b.follow(b.post(at+"/details"+back, url.Values{"_key": {rand.Text()}, "notes": {"leave at the door"}}))
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			jobs.Insert(tx, jobs.Job{Type: jobs.ProductImport, Input: `{"a":"NORA ÜNSTER \u0026 CO"}`})
			return nil
		})
		c.call("POST", "/customers/"+customer+"/erase", nil)

		proof := &verify.Proof{}
		for proof.Pending = 1; proof.Pending > 0; {
			if *proof = (verify.Proof{}); t.Context().Err() != nil {
				t.Fatal("bytes of what was erased are not overwritten")
			}
			if err := verify.CheckRecords(t.Context(), s.DB, proof, ""); err != nil {
				t.Fatal(err)
			}
		}
		err := verify.FindTexts(t.Context(), s.DB, proof, "Nora Ünster & Co", "Nora Ünster \\u0026 Co", "nora@noted.example")
		if err != nil || !proof.Clean() || proof.Customers == 0 {
			t.Errorf("%v %+v", err, proof)
		}
		page := b.get("/orders")
		has(t, page, "French")
		for _, name := range []string{"NORA", "Complaints", "Late"} {
			if strings.Contains(page.words(), name) {
				t.Errorf("the view %s is there still", name)
			}
		}
	})
}
