package dashboard

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// Everybody ends his own logins.
func init() { ownActions["/settings/me/sign-ins"] = true }

// withKey asks the API with a key.
func (s *site) withKey(key, path string) reply {
	s.t.Helper()
	b := s.browser()
	b.header.Set("X-API-Key", key)
	return b.send("GET", path, nil, "")
}

// shownSecret is what a page shows once.
func (r reply) shownSecret(t *testing.T) string {
	t.Helper()
	found := regexp.MustCompile(`id="once-secret" readonly value="([^"]+)"`).FindStringSubmatch(r.body)
	if r.status != 200 || found == nil {
		t.Fatalf("no secret: %d %.400s", r.status, r.words())
	}
	return strings.ReplaceAll(found[1], "&#43;", "+")
}

// A key is shown once, works, appears in no other page and no log, and is refused once it is revoked.
func TestKeyPages(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		if out := b.get("/keys"); !strings.Contains(out.words(), "No API keys yet") {
			t.Errorf("%s", out.words())
		}
		form := b.get("/keys/new")
		send := func(values url.Values) reply {
			values.Set("_key", form.key(t, "/keys/new"))
			return b.post("/keys/new", values)
		}
		for want, values := range map[string]url.Values{"Name is required": {"scopes": {"read:orders"}},
			"What it may do":         {"name": {"ERP"}},
			"must lie in the future": {"name": {"ERP"}, "scopes": {"read:orders"}, "expiresAt": {"2020-01-01"}}} {
			if out := send(values); out.status != 422 || !strings.Contains(out.words(), want) {
				t.Errorf("%v: %d %s", values, out.status, out.words())
			}
		}
		values := url.Values{"name": {"ERP <script>"}, "scopes": {"read:orders", "write:products"}}
		made := send(values)
		key := made.shownSecret(t)
		if again := send(values); again.shownSecret(t) != key {
			t.Error("a second click made another key")
		}
		if made.header.Get("Cache-Control") != "no-store" || strings.Contains(made.header.Get("Set-Cookie"), key) {
			t.Errorf("%v", made.header)
		}
		if out := s.withKey(key, "/api/v1/orders"); out.status != 200 {
			t.Errorf("the key: %d", out.status)
		}
		list := b.get("/keys")
		if !strings.Contains(list.body, "ERP &lt;script&gt;") || !strings.Contains(list.words(), "write products · read orders") ||
			!strings.Contains(list.words(), "Olga Owner") {
			t.Errorf("%s", list.words())
		}
		page := regexp.MustCompile(`href="/dashboard(/keys/[0-9a-f-]{36})"`).FindStringSubmatch(list.body)
		if page == nil {
			t.Fatal("no link to the key")
		}
		for _, path := range []string{"/keys", page[1], "/settings/audit"} {
			if strings.Contains(b.get(path).body, key) {
				t.Errorf("%s shows the key", path)
			}
		}
		if strings.Contains(s.log.String(), key) {
			t.Error("the log has the key")
		}
		ask := b.get(page[1])
		if out := b.follow(b.post(page[1]+"/revoke", url.Values{"_key": {ask.key(t, page[1]+"/revoke")}})); !strings.Contains(out.words(),
			"Revoked the key") {
			t.Errorf("%s", out.words())
		}
		if out := s.withKey(key, "/api/v1/orders"); out.status != 401 {
			t.Errorf("the revoked key: %d", out.status)
		}
	})
}

// endpoint makes an endpoint by the form, and gives its page and its secret.
func (b *browser) endpoint(t *testing.T, target string) (page, secret string) {
	t.Helper()
	form := b.get("/webhooks/new")
	made := b.post("/webhooks/new", url.Values{"_key": {form.key(t, "/webhooks/new")}, "url": {target}, "description": {"Shop"},
		"events": {"*"}})
	secret = made.shownSecret(t)
	return regexp.MustCompile(`href="/dashboard(/webhooks/[0-9a-f-]{36})"`).FindStringSubmatch(made.body)[1], secret
}

// An endpoint is added, paused, activated again, gets another secret, and is deleted when its host is typed.
func TestEndpointPages(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		form := b.get("/webhooks/new")
		bad := b.post("/webhooks/new", url.Values{"_key": {form.key(t, "/webhooks/new")}, "url": {"http://10.0.0.1/"},
			"events": {"order.shipped"}})
		if bad.status != 422 || !strings.Contains(bad.body, `aria-invalid="true"`) ||
			!strings.Contains(bad.body, `value="order.shipped" checked`) {
			t.Errorf("a private address: %d %s", bad.status, bad.words())
		}
		page, secret := b.endpoint(t, "http://127.0.0.1:9/hooks")
		if !strings.HasPrefix(secret, "whsec_") {
			t.Errorf("secret %q", secret)
		}
		paused := b.post(page+"/status", url.Values{"status": {"paused"}, "_key": {"k1"}})
		out := b.follow(paused)
		if !strings.Contains(out.words(), "Paused") || !strings.Contains(out.words(), "Undo") {
			t.Errorf("paused: %s", out.words())
		}
		if out := b.follow(b.post(page+"/status", url.Values{"status": {"active"}, "_key": {"k2"}})); !strings.Contains(out.words(),
			"Activated the endpoint") {
			t.Errorf("active: %s", out.words())
		}
		if out := b.post(page+"/status", url.Values{"status": {"odd"}}); out.status != 400 {
			t.Errorf("an odd status: %d", out.status)
		}
		saved := b.follow(b.post(page, url.Values{"url": {"http://127.0.0.1:9/other"}, "description": {""}, "events": {"order.shipped"},
			"ordered": {"true"}, "_key": {"k3"}}))
		if !strings.Contains(saved.words(), "127.0.0.1:9/other") || !strings.Contains(saved.words(), "order.shipped") {
			t.Errorf("saved: %s", saved.words())
		}
		if rotated := b.post(page+"/rotate", url.Values{"_key": {"k4"}}).shownSecret(t); rotated == secret || strings.Contains(b.get(page).body,
			rotated) {
			t.Error("the secret is the old one, or is shown again")
		}
		if out := b.post(page+"/delete", url.Values{"typed": {"shop"}, "_key": {"k5"}}); out.status != 422 {
			t.Errorf("deleted without its host: %d", out.status)
		}
		if out := b.follow(b.post(page+"/delete", url.Values{"typed": {"127.0.0.1:9"}, "_key": {"k6"}})); !strings.Contains(out.words(),
			"No webhook endpoints yet") {
			t.Errorf("deleted: %s", out.words())
		}
		if out := b.post(page+"/delete", url.Values{"typed": {"127.0.0.1:9"}, "_key": {"k6"}}); out.to() != prefix+"/webhooks" {
			t.Errorf("a second click: %d %s", out.status, out.words())
		}
	})
}

// attempted sends a test event to an endpoint and stores what came of its first attempt, after which another one is due.
func (s *site) attempted(t testing.TB, b *browser, page string, attempt webhooks.Attempt) (delivery string) {
	t.Helper()
	return s.settled(t, b, page, webhooks.Pending, attempt)
}

// settled is attempted for a delivery that has a state afterwards.
func (s *site) settled(t testing.TB, b *browser, page string, state webhooks.State, attempt webhooks.Attempt) (delivery string) {
	t.Helper()
	out := b.post(page+"/test", url.Values{"_key": {id.New[string]()}})
	delivery = strings.TrimPrefix(out.to(), prefix)
	s.do(db.Across, func(tx *db.Tx) error {
		tx.Tenant = s.account.Tenant
		d, err := webhooks.DeliveryByID(tx, id.Delivery(strings.TrimPrefix(delivery, "/webhooks/deliveries/")))
		if err != nil {
			return err
		}
		attempt.Number, attempt.At = d.Attempts+1, tx.Micros()
		out := webhooks.Outcome{Queue: webhooks.Queue{Tenant: tx.Tenant, Endpoint: d.Endpoint}, Position: d.Position, Event: d.EventStamp,
			State: state, Attempt: attempt}
		if state == webhooks.Pending {
			out.DueAt = tx.Micros() + time.Hour.Microseconds()
		}
		return webhooks.Settle(tx, []webhooks.Outcome{out})
	})
	return delivery
}

// A failing delivery says what was sent, what came back, why, and when it is tried again; it can be tried at once.
func TestDeliveryPages(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		page, secret := b.endpoint(t, "http://127.0.0.1:9/hooks")
		delivery := s.attempted(t, b, page, webhooks.Attempt{StatusCode: 500, Error: "HTTP 500", Duration: 2,
			Response: `{"error":"</pre><script>alert(1)</script>"}`})
		shown := b.get(delivery)
		for _, want := range []string{"Retrying", "attempt 2 of 6", "1 of 6", "Your endpoint failed while it handled the event.",
			"500 Internal Server Error",
			"0 of 1 attempts answered 2xx", "in 59 min", "30 minutes after that", "24 hours after that, the last", "X-Webhook-Signature",
			"As a curl command", "curl -i 'http://127.0.0.1:9/hooks'", "Retry all 1"} {
			if !strings.Contains(shown.words(), want) {
				t.Errorf("not shown: %s\nin %s", want, shown.words())
			}
		}
		if strings.Contains(shown.body, "<script>alert") || strings.Contains(shown.body, secret) {
			t.Error("the answer is not text, or the secret is shown")
		}
		list := b.get("/webhooks/deliveries?status=pending")
		if !strings.Contains(list.body, delivery) || !strings.Contains(list.words(), "Retry all waiting now") {
			t.Errorf("%s", list.words())
		}
		if none := b.get("/webhooks/deliveries?status=failed"); strings.Contains(none.body, delivery) {
			t.Error("it is listed as failed")
		}
		if wrong := b.get("/webhooks/deliveries?from=tomorrow"); wrong.status != 400 || !strings.Contains(wrong.words(), "must be a date") {
			t.Errorf("a wrong filter: %d", wrong.status)
		}
		if out := b.follow(b.post(delivery+"/retry", url.Values{"_key": {"k1"}})); !strings.Contains(out.words(), "Retrying the delivery now") {
			t.Errorf("retried: %s", out.words())
		}
		s.attempted(t, b, page, webhooks.Attempt{Error: webhooks.ErrorTimeout, Duration: 10_000})
		for _, more := range []string{"&event=order.received", "&resourceId=1", "&statusCode=500", "&from=tomorrow"} {
			if out := b.get("/webhooks/deliveries?status=pending" + more); strings.Contains(out.words(), "Retry all waiting") {
				t.Errorf("%s: all can be retried, where others are listed", more)
			}
		}
		later := b.get("/webhooks/deliveries?status=pending").inputs(t, "/webhooks/deliveries/retry")
		later.Set("from", "2990-01-01") // the page of that time offers none
		if out := b.follow(b.post("/webhooks/deliveries/retry", later)); !strings.Contains(out.words(), "0 deliveries are attempted now") {
			t.Errorf("of a time without any: %s", out.words())
		}
		if out := b.follow(b.post("/webhooks/deliveries/retry",
			url.Values{"_key": {"k2"}, "status": {"pending"}})); !strings.Contains(out.words(),
			"1 delivery is attempted now") {
			t.Errorf("all retried: %s", out.words())
		}
		endpoints := b.get("/webhooks")
		if !strings.Contains(endpoints.words(), "Last attempt failed") || !strings.Contains(endpoints.words(), "0 of 2 attempts answered 2xx") {
			t.Errorf("%s", endpoints.words())
		}
		s.newUser("vera@test.example", accounts.Viewer)
		viewer := s.as(accounts.User{Email: "vera@test.example"})
		if out := viewer.get(delivery); out.status != 200 || strings.Contains(out.words(), "Retry now") ||
			strings.Contains(out.words(), "Pause") {
			t.Errorf("a viewer: %d %s", out.status, out.words())
		}
		if out := viewer.get("/keys"); out.status != 403 || strings.Contains(viewer.get("/webhooks").words(), "API keys") {
			t.Errorf("a viewer sees keys: %d", out.status)
		}
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			_, err := tx.Exec("UPDATE users SET scopes = 'read:webhooks' WHERE tenant_id = $1 AND role = 'viewer'", tx.Tenant)
			return err
		})
		if out := viewer.get(delivery); !strings.Contains(out.words(), "Your user may not read what this event is about.") ||
			strings.Contains(out.words(), "curl") {
			t.Errorf("without read:orders: %s", out.words())
		}
	})
}

// customerEvent records that a customer was added.
func (s *site) customerEvent(t testing.TB, email string) (made id.Customer) {
	t.Helper()
	s.do(s.account.Tenant, func(tx *db.Tx) error {
		made = id.New[id.Customer]()
		webhooks.Record(tx, records.NewEvent(webhooks.CustomerCreated, string(made), func(w *apijson.Writer) {
			records.WriteCustomer(w, "", records.Customer{Customer: customers.Customer{ID: made, Email: email}})
		}))
		return nil
	})
	return made
}

// Events are listed newest first and found by kind and record; a replay is counted before it is sent.
func TestEventPages(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		page, _ := b.endpoint(t, "http://127.0.0.1:9/hooks")
		before := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
		first, second := s.customerEvent(t, "ada@test.example"), s.customerEvent(t, "bob@test.example")
		list := b.get("/events")
		if !strings.Contains(list.words(), "events on this page") {
			t.Errorf("the log counts something else than events: %s", list.words())
		}
		if i, j := strings.Index(list.body, string(second)), strings.Index(list.body, string(first)); i < 0 || j < i {
			t.Errorf("not newest first: %s", list.words())
		}
		one := b.get("/events?event=customer.created&resourceId=" + string(first))
		link := regexp.MustCompile(`href="/dashboard(/events/[0-9a-f-]{36})"`).FindAllStringSubmatch(one.body, -1)
		if len(link) != 1 || strings.Contains(one.body, string(second)) {
			t.Fatalf("by record: %s", one.words())
		}
		if out := b.get(link[0][1]); !strings.Contains(out.words(), "ada@test.example") {
			t.Errorf("%s", out.words())
		}
		if none := b.get("/events?event=stock.low"); !strings.Contains(none.words(), "No event matches") {
			t.Errorf("%s", none.words())
		}
		replay := strings.Replace(page, "/webhooks/", "/webhooks/replay/", 1)
		counted := b.get(replay + "?from=" + url.QueryEscape(before))
		if !strings.Contains(counted.words(), "Send 2 deliveries again") {
			t.Fatalf("%s", counted.words())
		}
		if wrong := b.get(replay + "?from=yesterday"); !strings.Contains(wrong.words(), "must be a date") {
			t.Errorf("%s", wrong.words())
		}
		values := url.Values{"_key": {counted.key(t, page+"/replay")}, "from": {before}}
		if out := b.follow(b.post(page+"/replay", values)); !strings.Contains(out.words(), "2 deliveries are queued again") {
			t.Errorf("%s", out.words())
		}
		b.post(page+"/replay", values)
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			counts, err := webhooks.Tallies(tx)
			for _, c := range counts {
				if c.Pending != 2 {
					t.Errorf("%d deliveries wait after two clicks, not 2", c.Pending)
				}
			}
			return err
		})
	})
}

// Settings show the account, its people and what was done and refused, each to whom the API would.
func TestSettingsPages(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		if out := b.get("/settings/account"); !strings.Contains(out.words(), "2,000 a minute for each key") {
			t.Errorf("%s", out.words())
		}
		if out := b.post("/settings/account", url.Values{"name": {"Atelier"}, "currency": {"XXQ"}, "_key": {"k1"}}); out.status != 422 ||
			!strings.Contains(out.words(), "must be a currency") {
			t.Errorf("%d %s", out.status, out.words())
		}
		if out := b.follow(b.post("/settings/account", url.Values{"name": {"Atelier"}, "currency": {"chf"}, "strictWarehouses": {"true"},
			"_key": {"k2"}})); !strings.Contains(out.words(), "Saved the account") || !strings.Contains(out.body, `value="CHF"`) {
			t.Errorf("%s", out.words())
		}
		user := url.Values{"name": {"Vera"}, "email": {"vera@test.example"}, "role": {"viewer"}, "password": {"quite long enough"},
			"_key": {"k3"}}
		if out := b.follow(b.post("/settings/users/new", user)); !strings.Contains(out.words(), "vera@test.example") {
			t.Errorf("%s", out.words())
		}
		if out := b.post("/settings/users/new", url.Values{"name": {"Vera"}, "email": {"vera@test.example"}, "role": {"viewer"},
			"password": {"quite long enough"}, "_key": {"k4"}}); out.status != 409 || !strings.Contains(out.words(), "already has a login") {
			t.Errorf("twice: %d %s", out.status, out.words())
		}
		var vera accounts.User
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			list, _, err := accounts.Users(tx, 10, 0)
			vera = list[slices.IndexFunc(list, func(u accounts.User) bool { return u.Name == "Vera" })]
			return err
		})
		at := "/settings/users/" + string(vera.ID)
		if out := b.follow(b.post(at, url.Values{"name": {"Vera V"}, "role": {"admin"}, "status": {"active"},
			"_key": {"k5"}})); !strings.Contains(
			out.words(), "Vera V") {
			t.Errorf("%s", out.words())
		}
		if out := b.post(at+"/delete", url.Values{"typed": {"vera"}, "_key": {"k6"}}); out.status != 422 {
			t.Errorf("removed without her address: %d", out.status)
		}
		if out := b.follow(b.post(at+"/delete", url.Values{"typed": {"vera@test.example"}, "_key": {"k7"}})); strings.Contains(out.words(),
			"Vera V") {
			t.Errorf("%s", out.words())
		}
		if out := b.get("/settings/audit?action=user.created"); !strings.Contains(out.words(), "user.created") || strings.Contains(out.words(),
			"account.updated") {
			t.Errorf("%s", out.words())
		}
		if out := b.get("/settings/requests"); !strings.Contains(out.words(), "Nothing was refused") {
			t.Errorf("%s", out.words())
		}
		if out := b.post("/settings/sandbox", url.Values{"advance": {"1h"}, "_key": {"k8"}}); out.status != 403 {
			t.Errorf("the clock of an account that is no sandbox: %d", out.status)
		}
	})
}

// seedIntegrations adds a key, a failing endpoint with a delivery, a user, and something in every log.
func (s *site) seedIntegrations() {
	caller := accounts.Caller{Tenant: s.account.Tenant, User: s.owner.ID, Role: accounts.Owner}
	target, about := "http://127.0.0.1:9/hooks", "Shop order status page"
	vera := s.newUser("vera@test.example", accounts.Viewer)
	s.samples["/settings/users"] = string(vera.ID)
	s.do(s.account.Tenant, func(tx *db.Tx) error {
		key, _, err := s.Commerce.CreateKey(tx, caller, commerce.KeyDraft{Name: "ERP", Scopes: []string{"write:orders", "read:products"}})
		if err != nil {
			return err
		}
		s.samples["/keys"] = string(key.ID)
		audit.RecordRefused(tx, []audit.Refused{{Key: key.ID, Method: "POST", Route: "/api/v1/orders", Status: 400, Code: "validation_failed",
			RequestID: id.New[string](), Times: 3, At: tx.Micros()}})
		e, _, err := s.Commerce.CreateEndpoint(tx, caller,
			commerce.EndpointDraft{URL: &target, Events: []string{webhooks.All}, Description: &about})
		if err != nil {
			return err
		}
		s.samples["/webhooks"], s.samples["/webhooks/replay"] = string(e.ID), string(e.ID)
		return nil
	})
	b := s.as(s.owner)
	s.customerEvent(s.t, "ada@test.example")
	delivery := s.attempted(s.t, b, "/webhooks/"+s.samples["/webhooks"], webhooks.Attempt{StatusCode: 500, Error: "HTTP 500",
		Duration: 12, Response: `{"error":"SQLSTATE[HY000] [2002] Connection refused"}`})
	s.samples["/webhooks/deliveries"] = strings.TrimPrefix(delivery, "/webhooks/deliveries/")
	s.do(s.account.Tenant, func(tx *db.Tx) error {
		log, err := webhooks.Log(tx, webhooks.LogFilter{Limit: 1})
		if err == nil {
			s.samples["/events"] = string(log.Events[0].ID)
		}
		return err
	})
}
