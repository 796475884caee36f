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
