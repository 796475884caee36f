package platforms

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"entrepot/internal/connector/woocommerce/fakeshop"
)

// gated is a shop that lets writes of products through once it is opened; until then it has too much to do.
type gated struct {
	*fakeshop.Shop
	open chan struct{}
}

func (g *gated) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case <-g.open:
	default:
		if r.Method == http.MethodPost && strings.Contains(r.URL.Path, "/products/batch") && r.ContentLength > 40 { // a test writes nothing
			w.Header().Set("Retry-After", "1")
			http.Error(w, "later", http.StatusTooManyRequests)
			return
		}
	}
	g.Shop.ServeHTTP(w, r)
}

// An import onto a shop goes on until the shop has all products or has refused them, also over a restart of the service, and says then
// which it refused. One onto a custom channel ends at once.
func TestImportGoesOnUntilProductsArePublished(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		gate := &gated{fakeshop.New("ck_test", "cs_test"), make(chan struct{})}
		server := httptest.NewServer(gate)
		t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
		channel := s.connect(&wooShop{gate.Shop, server.URL}, nil)
		own := s.call("POST", "/api/v1/channels", map[string]any{"name": "ERP", "platform": "CUSTOM"}, 201).Text("data", "channel", "id")
		start := func(channel string, more ...map[string]any) string {
			products := append([]map[string]any{{"sku": "A", "name": "A", "price": 1}, {"sku": "B", "name": "B", "price": 1}, {"sku": "C"}}, more...)
			return s.call("POST", "/api/v1/sdk/products/bulk-import", map[string]any{"products": products,
				"options": map[string]any{"channelId": channel}}, 202).Text("data", "jobId")
		}
		ended := func(job, status string) document {
			t.Helper()
			var j document
			s.await("the end of the import", func() string {
				j = s.call("GET", "/api/v1/sdk/jobs/"+job, nil, 200)
				return unless(j.Text("data", "status") == status && j.Text("data", "processedItems") == j.Text("data", "totalItems"), j)
			})
			return j
		}
		ended(start(own), "COMPLETED_WITH_ERRORS")
		_, last := s.events("")
		job := start(channel, map[string]any{"sku": "BAD", "name": "Bad picture", "price": 10,
			"images": []map[string]any{{"url": "https://pictures.example/not-there.png", "position": 0}}})
		s.await("a try of the push", func() string {
			return unless(strings.Contains(s.jobs(channel), "product_push"), s.jobs(channel))
		})
		s.restart()
		if j := s.call("GET", "/api/v1/sdk/jobs/"+job, nil, 200); j.Text("data", "status") != "PROCESSING" ||
			j.Text("data", "processedItems") != "1" || j.Text("data", "progress") != "25" {
			t.Errorf("while the shop takes nothing: %v", j)
		}
		if names, _ := s.events(last); strings.Contains(strings.Join(names, " "), "channel.sync_") {
			t.Errorf("events %v", names)
		}
		close(gate.open)
		j := ended(job, "COMPLETED_WITH_ERRORS")
		if j.Text("data", "failed") != "2" || j.Text("data", "errors", 1, "sku") != "BAD" || j.Text("data", "errors", 1, "code") != "not_published" {
			t.Errorf("%v", j)
		}
		if counts, _ := s.states(channel); counts["pending"] != 0 || counts["published"] != 2 || counts["failed"] != 1 {
			t.Errorf("it ended with %v", counts)
		}
		s.await("the event", func() string {
			log := s.call("GET", "/api/v1/developer/events?limit=100&after="+last, nil, 200)
			for i := range log.List("data") {
				if log.Text("data", i, "event") == "channel.sync_completed" && log.Text("data", i, "data", "jobId") == job {
					return ""
				}
			}
			return "not there"
		})
	})
}
