package dashboard

import (
	"html"
	"regexp"
	"strings"
	"testing"
)

// The command on the page of a new custom channel stores an order as it stands: it names a product of the account, whatever its SKU.
func TestTheFirstOrder(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.product(`{"sku":"O'NEIL \"1\"","name":"Green paint","price":12.5,"stock":{"quantity":3}}`)
		b := s.as(s.owner)
		page := b.submit(t, b.get("/channels/new?platform=CUSTOM"), "/channels/new", "name", "ERP", "platform", "CUSTOM")
		command := regexp.MustCompile(`(?s)X-API-Key: (pk_live_\w+)&#39; .*  -d &#39;([^\n]+?)&#39;`).FindStringSubmatch(page.body)
		if page.status != 200 || command == nil {
			t.Fatalf("%d %s", page.status, page.words())
		}
		caller := s.browser()
		caller.header.Set("X-API-Key", command[1])
		body := html.UnescapeString(command[2])
		if strings.Contains(body, "'") {
			t.Errorf("a shell ends the text before its end: %s", body)
		}
		if out := caller.send("POST", "/api/v1/orders", strings.NewReader(body), "application/json"); out.status != 201 {
			t.Errorf("%s: %d %s", body, out.status, out.body)
		}
	})
}

// A key without a scope is refused in the words of its form.
func TestAKeyWithoutScopes(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.as(s.owner)
	page := b.submit(t, b.get("/keys/new"), "/keys/new", "name", "ERP")
	if page.status != 422 || !strings.Contains(page.words(), "tick at least one box") || strings.Contains(page.words(), "read:analytics") {
		t.Errorf("%d %s", page.status, page.words())
	}
}
