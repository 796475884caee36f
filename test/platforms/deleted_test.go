package platforms

import (
	"fmt"
	"testing"

	"entrepot/internal/connector/woocommerce/fakeshop"
)

// An order that a shop has deleted for good, without a word, is cancelled here, and its goods can be sold again; one that was sent stays.
// When more are gone than is likely, such as after the shop was restored from a backup, a person decides.
func TestWooOrdersThatAreDeletedForGood(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		shop := newWooShop(t, fakeshop.Habits{})
		channel := s.connect(shop, nil)
		s.catalog(channel, 1)
		s.await("products", func() string {
			counts, first := s.states(channel)
			return unless(counts["published"] == 1, counts, first)
		})
		place := func(status string) int64 {
			return shop.Place(fakeshop.Wish{SKUs: map[string]int64{"MUG-000": 1}, Status: status})
		}
		pull := func() {
			s.call("POST", "/api/v1/channels/"+channel+"/sync", map[string]any{"type": "order_pull"}, 202)
		}
		statuses := func(of ...int64) (list []string) {
			for _, id := range of {
				for _, o := range s.chain(fmt.Sprint(id)) {
					list = append(list, o.Text("data", "status"), o.Text("data", "issues", 0, "code"))
				}
			}
			return list
		}
		awaits := func(what, want string, of ...int64) {
			t.Helper()
			s.await(what, func() string { return unless(fmt.Sprint(statuses(of...)) == want, statuses(of...)) })
		}
		open, unpaid, sent := place("processing"), place("on-hold"), place("completed")
		awaits("orders", "[PROCESSING  PENDING  SHIPPED ]", open, unpaid, sent)
		shop.Delete(open, sent)
		pull()
		awaits("the deleted one", "[CANCELLED  PENDING  SHIPPED ]", open, unpaid, sent)
		s.await("stock", func() string { return unless(s.available()["MUG-000"] == 48, s.available()["MUG-000"]) })
		var many []int64
		for range 6 {
			many = append(many, place("processing"))
		}
		awaits("more orders", "[PROCESSING  PROCESSING  PROCESSING ]", many[:3]...)
		awaits("more orders", "[PROCESSING  PROCESSING  PROCESSING ]", many[3:]...)
		s.await("no pull waits: one for a notification about these orders would find that the shop has named them", func() string {
			return unless(len(s.call("GET", "/api/v1/sdk/sync/status", nil, 200).List("data", "activeJobs")) == 0, "jobs are under way")
		})
		shop.Delete(many[:5]...)
		pull()
		awaits("many at once", "[PROCESSING conflict PROCESSING conflict PROCESSING conflict]", many[:3]...)
		if got := fmt.Sprint(statuses(many[5], unpaid)); got != "[PROCESSING  PENDING ]" {
			t.Errorf("others: %s", got)
		}
		if n := s.available()["MUG-000"]; n != 42 {
			t.Errorf("%d are available, want 42", n)
		}
	})
}
