package api

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/limits"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// attempted queues a test event for an endpoint and stores what came of its first attempt.
func (s *server) attempted(t *testing.T, endpoint, event string, state webhooks.State, attempt webhooks.Attempt) (delivery string) {
	t.Helper()
	delivery = text(s.must(t, 200, "POST", hookPath+"/"+endpoint+"/test", member{"event": event}), "data", "id")
	s.settle(delivery, state, attempt)
	return delivery
}

// settle stores what came of the first attempt of a delivery.
func (s *server) settle(delivery string, state webhooks.State, attempt webhooks.Attempt) {
	s.t.Helper()
	s.write(db.Across, func(tx *db.Tx) error {
		tx.Tenant = s.tenant
		d, err := webhooks.DeliveryByID(tx, id.Delivery(delivery))
		if err != nil {
			return err
		}
		attempt.Number, attempt.At = 1, tx.Micros()
		return webhooks.Settle(tx, []webhooks.Outcome{{Queue: webhooks.Queue{Tenant: s.tenant, Endpoint: d.Endpoint}, Position: d.Position,
			Event: d.EventStamp, Resource: d.Resource, State: state, DueAt: map[bool]int64{true: tx.Micros() + 6e7}[state == webhooks.Pending],
			Attempt: attempt}})
	})
}

// Of one record's deliveries that failed at an ordered endpoint, the earliest that is retried is due at once, and a later one waits for it.
func TestRetriesOfOneRecordKeepTheirOrder(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		endpoint, _ := s.hook(t, `{"url":"http://127.0.0.1:9/in","events":["*"],"ordered":true}`)
		s.write(s.tenant, func(tx *db.Tx) error {
			for _, name := range []string{"customer.created", "customer.updated", "customer.updated"} {
				webhooks.Record(tx, records.EventOf(name, "r", []byte(`{"n":1}`)))
			}
			return nil
		})
		s.dispatch()
		list := at(s.must(t, 200, "GET", hookPath+"/"+endpoint+"/deliveries", nil), "data").([]any) // newest first
		for i := range list {
			s.settle(text(list[len(list)-1-i], "id"), webhooks.Failed, webhooks.Attempt{StatusCode: 404})
		}
		for _, c := range []struct {
			of  int
			due bool
		}{{1, true}, {0, false}, {2, true}} {
			retried := s.must(t, 200, "POST", hookPath+"/deliveries/"+text(list[c.of], "id")+"/retry", nil)
			if due := at(retried, "data", "nextAttemptAt") != nil; due != c.due {
				t.Errorf("delivery %d, from the newest: due %v, not %v: %v", c.of, due, c.due, retried)
			}
		}
	})
}

// A delivery shows what its newest attempt sent, with as much of the signatures as can be compared and not sent, and what came of it.
func TestADeliveryShowsItsRequest(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		endpoint, secret := s.hook(t, `{"url":"http://127.0.0.1:9/in","events":["*"]}`)
		delivery := s.attempted(t, endpoint, "order.shipped", webhooks.Pending, webhooks.Attempt{StatusCode: 500, Error: "HTTP 500"})
		path := hookPath + "/deliveries/" + delivery
		var read struct {
			Data struct {
				EventID string `json:"eventId"`
				Payload json.RawMessage
				Request struct {
					Method, URL string
					Headers     []webhooks.Header
				}
				Attempts []struct{ Reason, Explanation string }
			}
		}
		body := s.do(call{method: "GET", path: path}).body
		if err := json.Unmarshal(body, &read); err != nil {
			t.Fatal(err)
		}
		sent := map[string]string{}
		for _, h := range read.Data.Request.Headers {
			sent[h.Name] = h.Value
		}
		key, err := webhooks.ParseSecret(secret)
		if err != nil {
			t.Fatal(err)
		}
		whole := key.Sign(read.Data.Payload)
		standard := key.SignStandard(read.Data.EventID, sent["webhook-timestamp"], read.Data.Payload)
		if sent["X-Webhook-Signature"] != whole[:12]+"…" || sent["webhook-signature"] != standard[:12]+"…" ||
			sent["X-Webhook-Id"] != read.Data.EventID || sent["X-Webhook-Attempt"] != "1" || sent["X-Webhook-Event"] != "order.shipped" ||
			read.Data.Request.Method != "POST" || read.Data.Request.URL != "http://127.0.0.1:9/in" || len(sent) != 10 {
			t.Errorf("the request shown: %s", body)
		}
		if strings.Contains(string(body), whole) || strings.Contains(string(body), standard) || strings.Contains(string(body), "whsec_") {
			t.Error("a whole signature or the secret is shown")
		}
		if a := read.Data.Attempts; len(a) != 1 || a[0].Reason != "server_error" || !strings.Contains(a[0].Explanation, "its own log") {
			t.Errorf("attempts %+v", a)
		}
		// Without the right to read orders there is an envelope without data, and no request.
		narrow := s.with(s.newKey("read:webhooks")).must(t, 200, "GET", path, nil)
		if data, shown := at(narrow, "data", "payload").(map[string]any); !shown || data["data"] != nil || data["id"] != read.Data.EventID ||
			at(narrow, "data", "request") != nil || text(narrow, "data", "attempts", 0, "reason") != "server_error" {
			t.Errorf("with read:webhooks alone: %v", narrow)
		}
		if wide := s.with(s.newKey("read:webhooks", "read:orders")).must(t, 200, "GET", path, nil); at(wide, "data", "request") == nil {
			t.Errorf("with read:orders: %v", wide)
		}
		fresh := text(s.must(t, 200, "POST", hookPath+"/"+endpoint+"/test", nil), "data", "id")
		if before := s.must(t, 200, "GET", hookPath+"/deliveries/"+fresh, nil); at(before, "data", "request") != nil ||
			at(before, "data", "payload", "data") == nil {
			t.Errorf("before the first attempt: %v", before)
		}
		s.write(s.tenant, func(tx *db.Tx) error {
			_, err := tx.Exec("DELETE FROM events WHERE tenant_id = $1", tx.Tenant)
			return err
		})
		if late := s.must(t, 200, "GET", path, nil); at(late, "data", "payload") != nil || at(late, "data", "request") != nil {
			t.Errorf("when the event is swept: %v", late)
		}
	})
}

// Deliveries of all endpoints are one list; pending ones can be attempted now, all at once.
func TestDeliveriesOfAllEndpoints(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		one, _ := s.hook(t, `{"url":"http://127.0.0.1:9/1","events":["*"]}`)
		two, _ := s.hook(t, `{"url":"http://127.0.0.1:9/2","events":["*"]}`)
		var made []string
		for i := range 3 {
			made = append(made, s.attempted(t, one, "order.shipped", webhooks.Pending, webhooks.Attempt{StatusCode: 503, Error: "HTTP 503"}),
				s.attempted(t, two, "stock.low", []webhooks.State{webhooks.Failed, webhooks.Delivered, webhooks.Delivered}[i],
					webhooks.Attempt{StatusCode: int64([]int{404, 200, 200}[i])}))
		}
		for query, want := range map[string][]int{"": {5, 4, 3, 2, 1, 0}, "endpointId=" + one: {4, 2, 0}, "status=failed": {1},
			"status=pending": {4, 2, 0}, "status=delivered": {5, 3}, "statusCode=503": {4, 2, 0}, "event=stock.low&statusCode=200": {5, 3},
			"from=2099-01-01": {}, "to=2020-01-01": {}, "from=2020-01-01&to=2099-01-01&event=order.shipped": {4, 2, 0}, "resourceId=none": {},
			"endpointId=" + id.New[string](): {}} {
			got, cursor := []string{}, ""
			for {
				page := s.must(t, 200, "GET", hookPath+"/deliveries?limit=2&"+query+"&cursor="+url.QueryEscape(cursor), nil)
				for _, d := range at(page, "data").([]any) {
					got = append(got, text(d, "id"))
				}
				if cursor = text(page, "meta", "nextCursor"); cursor == "" {
					break
				}
			}
			wanted := []string{}
			for _, i := range want {
				wanted = append(wanted, made[i])
			}
			if fmt.Sprint(got) != fmt.Sprint(wanted) {
				t.Errorf("%q: %v, not %v", query, got, wanted)
			}
		}
		if none := s.stranger().must(t, 200, "GET", hookPath+"/deliveries", nil); len(at(none, "data").([]any)) != 0 {
			t.Errorf("another account sees %v", none)
		}
		due := func() (n int) {
			list := s.must(t, 200, "GET", hookPath+"/deliveries?status=pending", nil)
			for _, d := range at(list, "data").([]any) {
				if text(d, "nextAttemptAt") <= s.now.Now().Format("2006-01-02T15:04:05.999Z") {
					n++
				}
			}
			return n
		}
		if n := due(); n != 0 {
			t.Fatalf("%d are due already", n)
		}
		if got := s.must(t, 202, "POST", hookPath+"/deliveries/retry", `{"status":"pending"}`); number(got, "data", "retried") != "3" {
			t.Errorf("retried: %v", got)
		}
		s.now.move(1e9)
		if n := due(); n != 3 {
			t.Errorf("%d of 3 are due after the retry", n)
		}
		if status, _ := s.call(t, "POST", hookPath+"/deliveries/retry",
			`{"status":"pending","endpointId":"`+id.New[string]()+`"}`); status != 404 {
			t.Errorf("an unknown endpoint: %d", status)
		}
	})
}

// Of two calls that retry the same failed deliveries at once each counts those that it made pending. On SQLite there is one writer, so
// nothing can come between.
func TestFailedDeliveriesAreRetriedByOneCall(t *testing.T) {
	s := newServer(t, "postgres", limits.Off{})
	endpoint, _ := s.hook(t, `{"url":"http://127.0.0.1:9/in","events":["*"]}`)
	for range 3 {
		s.attempted(t, endpoint, "order.shipped", webhooks.Failed, webhooks.Attempt{StatusCode: 404})
	}
	retried := func(node *server) string {
		return number(node.must(t, 202, "POST", hookPath+"/deliveries/retry", `{"status":"failed"}`), "data", "retried")
	}
	twin := s.twin()
	var between atomic.Bool
	second := ""
	hook := func(sql string, _ []any) {
		if strings.Contains(sql, "ORDER BY d.position LIMIT") && between.CompareAndSwap(false, true) {
			second = retried(twin)
		}
	}
	s.trace.Store(&hook)
	first := retried(s)
	s.trace.Store(nil)
	if first != "0" || second != "3" {
		t.Errorf("3 deliveries are retried %s and, in between, %s times", first, second)
	}
	if got := s.must(t, 200, "GET", hookPath+"/"+endpoint+"/deliveries?status=pending", nil); number(got, "meta", "total") != "3" {
		t.Errorf("%v", got)
	}
}

// The description names every header that an attempt sends, beside those of HTTP itself.
func TestHeadersOfDeliveriesAreDescribed(t *testing.T) {
	described := map[string]bool{"Content-Type": true, "User-Agent": true}
	for _, header := range eventOperation(new(apijson.Components), records.Catalogue()[0])["parameters"].([]any) {
		described[header.(object)["name"].(string)] = true
	}
	for _, sent := range (webhooks.Sent{}).Headers() {
		if !described[sent.Name] {
			t.Errorf("the description lacks the header %s", sent.Name)
		}
	}
}
