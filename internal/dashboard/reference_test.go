package dashboard

import (
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/db"
)

// sampleText is the curl command and the programs of an operation's page in the API reference.
func (b *browser) sampleText(path string) string {
	b.s.t.Helper()
	out := b.send("GET", path, nil, "")
	if out.status != 200 {
		b.s.t.Fatalf("%s: %d", path, out.status)
	}
	text := ""
	samples := regexp.MustCompile(`<pre[^>]*aria-label="(?:curl command|\w+ sample)">([^<]*)</pre>`)
	for _, found := range samples.FindAllStringSubmatch(out.body, -1) {
		text += html.UnescapeString(found[1]) + "\n"
	}
	return text
}

// With a session the samples have ids of the account and the beginning of a chosen key; without one nothing of an account is shown.
func TestSamplesHaveOwnIDs(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.seed()
		s.newAccount("Another", "another@test.example")
		b, public := s.as(s.owner), s.browser()
		for operation, want := range map[string]string{"getOrder": "orders", "getCustomer": "customers", "getProduct": "products",
			"getChannel": "channels", "getEndpoint": "webhooks", "getWarehouse": "warehouses", "getSegment": "segments",
			"getAttribute": "attributes", "getEvent": "events", "getJob": "jobs"} {
			own := b.sampleText("/docs/" + operation)
			found := regexp.MustCompile(want+`/([0-9a-f-]{36})`).FindAllStringSubmatch(own, -1)
			if len(found) != 5 {
				t.Errorf("%s: %d ids in %s", operation, len(found), own)
				continue
			}
			api := map[string]string{"webhooks": "developer/webhooks", "events": "developer/events", "jobs": "sdk/jobs"}[want]
			if api == "" {
				api = want
			}
			if out := s.withKey(s.key, "/api/v1/"+api+"/"+found[0][1]); out.status != 200 {
				t.Errorf("%s is of no record: %d", found[0][1], out.status)
			}
			if out := public.sampleText("/docs/" + operation); strings.Contains(out, found[0][1]) || !strings.Contains(out, want+"/{") {
				t.Errorf("without a session: %s", out)
			}
		}
		for _, operation := range []string{"deleteSegment", "deleteProduct", "eraseCustomer"} {
			if own := b.sampleText("/docs/" + operation); strings.Count(own, "{id}") != 5 {
				t.Errorf("%s has an id that a pasted command would delete: %s", operation, own)
			}
		}
		if own := b.sampleText("/docs/createProduct"); !strings.Contains(own, "PLATE-WHITE") {
			t.Errorf("a product to create has the SKU of another: %s", own)
		}
	})
}

// The chosen key's beginning stands in the samples, its text nowhere; viewers, to whom keys are not shown, choose none.
func TestSamplesHaveTheChosenKey(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.seed()
		b := s.as(s.owner)
		var key accounts.Key
		s.do(s.account.Tenant, func(tx *db.Tx) (err error) {
			list, _, err := accounts.Keys(tx, 1, 0)
			key = list[0]
			return err
		})
		at := "/docs/getOrder?key=" + url.QueryEscape(string(key.ID))
		own := b.sampleText(at)
		rest := strings.ReplaceAll(own, key.Prefix, "") // which may have the same letters
		if strings.Count(own, key.Prefix+"…") != 5 || strings.Contains(rest, "KEY") {
			t.Errorf("%s", own)
		}
		page := b.send("GET", at, nil, "")
		if !strings.Contains(page.words(), "was shown once") || page.header.Get("Cache-Control") != "no-store" ||
			!strings.Contains(strings.Join(page.header.Values("Vary"), ","), "Cookie") {
			t.Errorf("%v %s", page.header, page.words())
		}
		if own := b.sampleText("/docs/getOrder?key=" + nobodys); strings.Count(own, "KEY") != 5 {
			t.Errorf("an unknown key: %s", own)
		}
		if own := s.browser().send("GET", at, nil, ""); strings.Contains(own.body, key.Prefix) {
			t.Error("without a session the beginning of a key is shown")
		}
		s.newUser("victor@test.example", accounts.Viewer)
		if own := s.as(accounts.User{Email: "victor@test.example"}).send("GET", at, nil, ""); strings.Contains(own.body, key.Prefix) {
			t.Error("a viewer sees the beginning of a key")
		}
	})
}

// A SKU with the special characters of shells, languages and HTML stays text.
func TestSamplesEscapeValues(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	const sku = "A$HOME`id`'\"\\</pre><b>${x}"
	text, err := json.Marshal(sku)
	if err != nil {
		t.Fatal(err)
	}
	s.call("POST", "/api/v1/products", `{"name":"Hostile","price":1,"sku":`+string(text)+`}`)
	b := s.as(s.owner)
	own := b.sampleText("/docs/getStock")
	if strings.Count(own, "/inventory/A%24HOME%60id%60%27%22%5C%3C%2Fpre%3E%3Cb%3E%24%7Bx%7D") != 5 {
		t.Errorf("in a path: %s", own)
	}
	page := b.send("GET", "/docs/createOrder", nil, "")
	if strings.Contains(page.body, "<b>${x}") || !strings.Contains(b.sampleText("/docs/createOrder"), `A$HOME`) {
		t.Error("in a body")
	}
}

// The ids of the reference are read in one or two messages, beside the session's.
func TestReferenceReadsInFewMessages(t *testing.T) {
	var count reads
	s := newSiteOn(t, "postgres", func(c *db.Config) { c.Sent, c.Trace = count.sent, count.trace })
	s.seed()
	b := s.as(s.owner)
	b.get("/settings/me") // writes when the session was used last
	for _, path := range []string{"/docs/", "/docs/getOrder"} {
		count.take()
		page := b.send("GET", path, nil, "")
		if messages, texts := count.take(); len(messages) > 3 || !strings.Contains(page.body, "You are signed in") {
			t.Errorf("%s sends %d messages:\n%s", path, len(messages), strings.Join(texts, "\n"))
		}
	}
	count.take()
	s.browser().send("GET", "/docs/getOrder", nil, "")
	if messages, _ := count.take(); len(messages) > 0 {
		t.Errorf("without a session: %d messages", len(messages))
	}
}
