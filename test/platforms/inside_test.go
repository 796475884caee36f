package platforms

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	prestashop "entrepot/internal/connector/prestashop/fakeshop"
	"entrepot/internal/connector/woocommerce/fakeshop"
)

// Without a public address no webhook is registered, whatever host the request names: it would decide where the shop sends its orders. The
// test says what to set, and orders come by pulls.
func TestNoPublicAddressNoWebhooks(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		woo := newWooShop(t, fakeshop.Habits{})
		channel := s.connect(woo, map[string]any{"pullEvery": 1})
		presta := httptest.NewServer(prestashop.New())
		t.Cleanup(presta.Close)
		pasted := s.call("POST", "/api/v1/channels", map[string]any{"name": "Presta", "platform": "PRESTASHOP",
			"credentials": map[string]any{"url": presta.URL, "webserviceKey": prestashop.Key}}, 201).Text("data", "channel", "id")
		for _, which := range []string{channel, pasted} {
			for _, host := range []string{"", "attacker.example"} {
				r, err := http.NewRequestWithContext(t.Context(), "POST", s.base+"/api/v1/channels/"+which+"/sync/test", nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Host = host
				r.Header.Set("X-API-Key", s.key)
				r.Header.Set("X-Forwarded-Host", "attacker.example")
				answer, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(answer.Body)
				_ = answer.Body.Close()
				if said := string(body); err != nil || !strings.Contains(said, `"success":true`) || !strings.Contains(said, `"webhooksRegistered":[]`) ||
					!strings.Contains(said, "--public-url") || strings.Contains(said, "attacker.example") || strings.Contains(said, "/webhooks/platform/") {
					t.Errorf("%s: %v %s", host, err, said)
				}
			}
		}
		if hooks := woo.Hooks(); len(hooks) > 0 {
			t.Errorf("registered: %v", hooks)
		}
		woo.AddProduct("MUG", "Mug", "5", 5)
		ordered := strconv.FormatInt(woo.Place(fakeshop.Wish{SKUs: map[string]int64{"MUG": 1}}), 10)
		s.await("the order, by a pull", func() string {
			got := s.call("GET", "/api/v1/orders?channelId="+channel, nil, 200)
			return unless(got.Text("data", 0, "externalId") == ordered, got, s.jobs(channel))
		})
	}, func(s *service) { s.inside = true })
}
