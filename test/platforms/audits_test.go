package platforms

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/tiktokshop/fakeshop"
)

// TikTok Shop reviews what it is sent, and takes its time. A new product is pending until its review ends. A change of
// one that is on sale is pending, too, while stock updates continue; one that is refused says why, and the version on
// sale stays until the next change is reviewed.
func TestTikTokAudits(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		pictures := connectortest.Pictures(t)
		shop := fakeshop.New()
		shop.Now, shop.Audit, shop.Refuses = s.clock.now, 3*time.Hour, "miracle"
		channel := s.connectTikTok(shop, nil)
		product := s.call("POST", "/api/v1/products", map[string]any{"sku": "MUG", "name": "Mug", "price": 12,
			"stock": map[string]any{"quantity": 9}, "images": []any{map[string]any{"url": pictures + "/front.png"}}}, 201).Text("data", "id")
		s.call("POST", "/api/v1/channels/"+channel+"/publications", map[string]any{"skus": []string{"MUG"}}, 200)
		shown := func() fakeshop.Item { items, _ := shop.Items(); return items["MUG"] }
		publication := func() (status, reason string) {
			got := s.call("GET", "/api/v1/products/"+product, nil, 200)
			return got.Text("data", "publications", 0, "status"), got.Text("data", "publications", 0, "error")
		}
		becomes := func(what, status, reason string) {
			t.Helper()
			began := s.Now()
			for now, why := publication(); now != status || !strings.Contains(why, reason) || reason == "" && why != ""; now, why = publication() {
				if s.Now().Sub(began) > 8*time.Hour {
					t.Fatalf("%s: %s %q, want %s %q: %+v %s", what, now, why, status, reason, shown(), s.jobs(channel))
				}
				s.Pass(2 * time.Minute)
			}
		}
		reaches := func(what string, quantity int64) {
			t.Helper()
			for began := s.Now(); shown().Quantity != quantity; s.Pass(10 * time.Second) {
				if s.Now().Sub(began) > time.Hour {
					t.Fatalf("%s: %+v %s", what, shown(), s.jobs(channel))
				}
			}
		}
		stock := func(quantity int) {
			s.call("PATCH", "/api/v1/sdk/inventory/bulk-update",
				map[string]any{"updates": []any{map[string]any{"sku": "MUG", "quantity": quantity}}}, 200)
		}
		rename := func(name string) {
			s.call("PATCH", "/api/v1/products/"+product, map[string]any{"name": name}, 200)
			becomes(name+" is audited", "pending", "")
			if now := shown(); now.Status != "ACTIVATE" {
				t.Errorf("%s: %+v", name, now)
			}
		}
		for began := s.Now(); s.Now().Sub(began) < 30*time.Minute; {
			s.Pass(time.Minute)
		}
		if status, reason := publication(); status != "pending" || reason != "" || shown().Status != "PENDING" {
			t.Errorf("while it is audited: %s %q, %+v", status, reason, shown())
		}
		becomes("approved late", "published", "")

		rename("A miracle mug")
		stock(5)
		reaches("stock while the change is audited", 5)
		calls := shop.Calls("PUT /product/")
		becomes("refused", "failed", "Prohibited words")
		stock(4)
		reaches("stock after the change was refused", 4)
		if now, edits := shown(), shop.Calls("PUT /product/"); now.Status != "ACTIVATE" || edits != calls {
			t.Errorf("after the refusal: %+v, %d edits after %d", now, edits, calls)
		}
		rename("A plain mug")
		becomes("approved", "published", "")
		if _, doubled := shop.Items(); len(doubled) > 0 || shop.Pictures() != 1 {
			t.Error(fmt.Sprint(doubled), shop.Pictures())
		}
	}, timed)
}

// timed is a service with a clock of its own.
func timed(s *service) { s.timed() }
