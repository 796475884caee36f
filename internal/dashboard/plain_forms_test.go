package dashboard

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// sendForm sends the form that a page has for an action, with what is typed in turns of name and value, as a browser without a script does.
func (b *browser) sendForm(t testing.TB, page reply, action string, typed ...string) reply {
	t.Helper()
	values := page.inputs(t, action)
	for i := 0; i < len(typed); i += 2 {
		values.Set(typed[i], typed[i+1])
	}
	return b.post(action, values)
}

// has fails the test unless a page has this status and all the words.
func (r reply) has(t testing.TB, status int, words ...string) {
	t.Helper()
	if r.status != status {
		t.Errorf("%d, not %d", r.status, status)
	}
	r.status = 200
	has(t, r, words...)
}

// leads fails the test unless an action answered with a redirect to a page with the words; it gives the page.
func (b *browser) leads(t testing.TB, out reply, words ...string) reply {
	t.Helper()
	page := b.follow(out)
	has(t, page, words...)
	return page
}

// All actions work with plain forms, as browsers without scripts send them: the test takes each page's form, fills it
// in, sends it and follows the redirect.
func TestPlainForms(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.seed()
		c := s.shopper(t)
		order := c.order("PROCESSING", nil, 3)
		b := s.browser()
		t.Run("log in", func(t *testing.T) {
			out := b.get("/orders?status=PROCESSING")
			door := b.follow(out)
			if wrong := b.sendForm(t, door, "/login", "email", "owner@test.example", "password", "wrong"); wrong.status == 303 {
				t.Errorf("a wrong password leads to %s", wrong.to())
			}
			b.leads(t, b.sendForm(t, door, "/login", "email", "owner@test.example", "password", password), "Orders", "Status: To ship")
		})
		t.Run("read", func(t *testing.T) {
			for _, path := range s.pages() {
				if path == "/login" || path == "/setup" {
					continue
				}
				if page := b.get(path); page.status != 200 || !strings.Contains(page.body, "<h1") {
					t.Errorf("%s: %d %.200s", path, page.status, page.words())
				}
			}
		})
		t.Run("filter", func(t *testing.T) {
			values := b.get("/orders").inputs(t, "/orders")
			values.Set("search", "web-shipped")
			has(t, b.get("/orders?"+values.Encode()), "1 order")
		})
		t.Run("ship", func(t *testing.T) {
			page, at := b.get("/orders/"+order), "/orders/"+order+"/ship"
			quantity := ""
			for name := range page.inputs(t, at) {
				if strings.HasSuffix(name, ".quantity") {
					quantity = name
				}
			}
			if over := b.sendForm(t, page, at, quantity, "9"); over.status != 422 || !strings.Contains(over.words(), "only 3 remaining") {
				t.Errorf("9 of 3: %d %.300s", over.status, over.words())
			}
			shipped := b.leads(t, b.sendForm(t, page, at, quantity, "1", "carrier", "DHL"), "1 of 3", "Undo")
			b.leads(t, b.sendForm(t, shipped, "/orders/"+order+"/unship"), "0 of 3")
		})
		t.Run("channel and key", func(t *testing.T) {
			channel := b.sendForm(t, b.get("/channels/new?platform=CUSTOM"), "/channels/new", "name", "Our ERP")
			key := b.sendForm(t, b.get("/keys/new"), "/keys/new", "name", "Reader", "scopes", "read:orders")
			for _, made := range []reply{channel, key} {
				if out := s.withKey(made.shownSecret(t), "/api/v1/orders"); out.status != 200 {
					t.Errorf("the key that was made reads orders: %d %s", out.status, out.body)
				}
			}
		})
		t.Run("retry", func(t *testing.T) {
			at := "/webhooks/deliveries/" + s.samples["/webhooks/deliveries"]
			b.leads(t, b.sendForm(t, b.get(at), at+"/retry"), "order.received")
		})
		t.Run("file", func(t *testing.T) {
			if page := b.get(importsPath); !strings.Contains(page.body, `enctype="multipart/form-data"`) {
				t.Errorf("a browser would send the name of the file only: %.300s", page.words())
			}
			b.leads(t, b.give("mugs.csv", strings.NewReader(mugs)), "mugs.csv", "3 rows")
		})
	})
}

// A developer moves the clock of a sandbox on: what waited for its time is due, the page says how much, and he stays logged in.
func TestSandboxClock(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.seed()
		b := s.as(s.owner)
		if page := b.get("/settings/sandbox"); strings.Contains(page.body, `name="advance"`) ||
			!strings.Contains(page.words(), "Only a sandbox account") {
			t.Errorf("an account that is no sandbox: %.300s", page.words())
		}
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			tx.Queue("UPDATE tenants SET sandbox = TRUE WHERE tenant_id = $1", tx.Tenant)
			_, _, err := s.Commerce.CreateKey(tx, s.caller(), commerce.KeyDraft{Name: "Trial", Scopes: []string{"read:orders"},
				ExpiresAt: s.DB.Now().Add(3 * time.Hour)})
			return err
		})
		has(t, b.get("/settings/sandbox"), "The retries of a webhook take 26h36m.")
		s.Retries = webhooks.Schedule{time.Minute, time.Hour}
		page := b.get("/settings/sandbox")
		has(t, page, "The retries of a webhook take 1h1m.")
		if wrong := b.sendForm(t, page, "/settings/sandbox", "advance", "soon"); wrong.status != 422 {
			t.Errorf("soon: %d %.300s", wrong.status, wrong.words())
		}
		moved := b.leads(t, b.sendForm(t, page, "/settings/sandbox", "advance", "27h"),
			"The clock is 27h ahead. Came due: 1 delivery, 1 API key that expired.")
		b.leads(t, b.sendForm(t, moved, "/settings/sandbox", "advance", "90m"), "The clock is 28h30m ahead. Nothing came due.")
		delivery := b.get("/webhooks/deliveries/" + s.samples["/webhooks/deliveries"])
		if strings.Contains(delivery.words(), "attempt 2 of 6 in ") {
			t.Errorf("the delivery still waits: %.300s", delivery.words())
		}
		viewer := s.as(accounts.User{Email: "vera@test.example"})
		if page := viewer.get("/settings/sandbox"); !strings.Contains(page.words(), "Your role may look") {
			t.Errorf("a viewer sees %.400s", page.words())
		}
		other := viewer.post("/settings/sandbox", url.Values{"advance": {"1h"}})
		if other.status != 403 {
			t.Errorf("a viewer moves the clock: %d", other.status)
		}
	})
}
